/**
 * Deploys Tallyroll to Google Cloud: what is there is read first, compared with what is wanted as
 * plain data, and then changed by gcloud's commands.
 */
@NullMarked
package dev.tallyroll.deploy;

import org.jspecify.annotations.NullMarked;
