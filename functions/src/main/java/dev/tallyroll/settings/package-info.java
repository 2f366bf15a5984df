/**
 * The settings of functions and of those who deploy them: each one's default, and its only check.
 */
@NullMarked
package dev.tallyroll.settings;

import org.jspecify.annotations.NullMarked;
