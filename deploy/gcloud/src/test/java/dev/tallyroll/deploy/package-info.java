/**
 * Tests of the deployment: the gcloud scripts, and the Firestore rules and indexes that they put in
 * place.
 */
@NullMarked
package dev.tallyroll.deploy;

import org.jspecify.annotations.NullMarked;
