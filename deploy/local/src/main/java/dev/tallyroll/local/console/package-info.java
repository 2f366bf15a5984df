/** The console: a page that shows the counters of a local cloud, and lets one disturb it. */
@NullMarked
package dev.tallyroll.local.console;

import org.jspecify.annotations.NullMarked;
