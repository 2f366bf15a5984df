/** The cost of counters: a formula, and a file of prices. */
@NullMarked
package dev.tallyroll.local.bill;

import org.jspecify.annotations.NullMarked;
