/** Promises about the repository and its artifact, apart from those about the code. */
@NullMarked
package dev.tallyroll.repository;

import org.jspecify.annotations.NullMarked;
