/** The console: its server, and its page in a real browser. */
@NullMarked
package dev.tallyroll.console;

import org.jspecify.annotations.NullMarked;
