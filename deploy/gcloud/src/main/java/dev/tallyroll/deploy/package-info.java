/**
 * Deploys Tallyroll to Google Cloud. The commands read the state of a project, compare it with the
 * wanted state as plain data, and change it with gcloud.
 */
@NullMarked
package dev.tallyroll.deploy;

import org.jspecify.annotations.NullMarked;
