/** Tests of the library with the real client, the official emulator and the real functions. */
@NullMarked
package dev.tallyroll.library;

import org.jspecify.annotations.NullMarked;
