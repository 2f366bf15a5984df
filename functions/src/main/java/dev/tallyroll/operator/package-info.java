/**
 * What operators ask and decide: programs behind the commands of deploy/gcloud. They read the
 * settings, gcloud's answers and the database, and print lines for people and for bash.
 */
@NullMarked
package dev.tallyroll.operator;

import org.jspecify.annotations.NullMarked;
