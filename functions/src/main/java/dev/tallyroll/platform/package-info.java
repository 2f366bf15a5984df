/**
 * Any function on Cloud Run needs these: events and messages, clients, the loop, the log, calls
 * with limits. They know neither totals nor folds.
 */
@NullMarked
package dev.tallyroll.platform;

import org.jspecify.annotations.NullMarked;
