/**
 * The local cloud: the official emulators and invoker as child processes, and the wires between
 * them.
 */
@NullMarked
package dev.tallyroll.local;

import org.jspecify.annotations.NullMarked;
