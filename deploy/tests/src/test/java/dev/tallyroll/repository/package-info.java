/** Tests of the repository and its artifact, not of the code. */
@NullMarked
package dev.tallyroll.repository;

import org.jspecify.annotations.NullMarked;
