/** Tests of the two functions, on the official emulators and in the official invoker. */
@NullMarked
package dev.tallyroll.it;

import org.jspecify.annotations.NullMarked;
