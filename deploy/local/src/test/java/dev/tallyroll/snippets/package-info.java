/** Clients in other languages, as they are shown to users, against the real functions. */
@NullMarked
package dev.tallyroll.snippets;

import org.jspecify.annotations.NullMarked;
