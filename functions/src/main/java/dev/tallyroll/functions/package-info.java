/**
 * The two Cloud Functions, thin adapters between the platform and {@code dev.tallyroll.protocol}.
 */
@NullMarked
package dev.tallyroll.functions;

import org.jspecify.annotations.NullMarked;
