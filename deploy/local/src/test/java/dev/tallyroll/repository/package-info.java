/** What the repository and its artifact promise of themselves, apart from what the code does. */
@NullMarked
package dev.tallyroll.repository;

import org.jspecify.annotations.NullMarked;
