/** The programs that show and measure the local cloud: {@code up} and the benchmark. */
@NullMarked
package dev.tallyroll.local.up;

import org.jspecify.annotations.NullMarked;
