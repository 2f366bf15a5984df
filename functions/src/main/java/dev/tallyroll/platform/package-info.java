/**
 * What any function on Cloud Run needs: events and messages, clients, the loop, the journal, calls
 * with limits, variables of the environment. It knows neither totals nor folds.
 */
@NullMarked
package dev.tallyroll.platform;

import org.jspecify.annotations.NullMarked;
