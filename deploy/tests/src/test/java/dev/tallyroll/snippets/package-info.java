/** Tests of the clients that users copy, in several languages, with the real functions. */
@NullMarked
package dev.tallyroll.snippets;

import org.jspecify.annotations.NullMarked;
