/** The cost of counters: the functions' own code in virtual time, and a file of prices. */
@NullMarked
package dev.tallyroll.local.bill;

import org.jspecify.annotations.NullMarked;
