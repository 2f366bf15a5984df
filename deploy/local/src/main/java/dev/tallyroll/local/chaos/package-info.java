/** Everything that may go wrong with a local cloud, at once, and what came of it. */
@NullMarked
package dev.tallyroll.local.chaos;

import org.jspecify.annotations.NullMarked;
