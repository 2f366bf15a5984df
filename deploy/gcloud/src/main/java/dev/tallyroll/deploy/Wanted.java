package dev.tallyroll.deploy;

import java.util.Optional;

/**
 * The state of the platform that a command wants.
 *
 * @param artifact the hash of the artifact; empty if it is not compared
 * @param source the folder that gcloud sends
 * @param rules the rules that are to be released, if any
 * @param rulesFile the file with the rules as JSON
 * @param excludeRequestLogs empty if the deployed state stays
 * @param alertsTo an e-mail address; an empty text for nobody; empty if the deployed state stays
 * @param builder a service account, or empty
 */
record Wanted(
    Deployment deployment,
    String artifact,
    String source,
    Optional<RulesText> rules,
    String rulesFile,
    Optional<Boolean> excludeRequestLogs,
    Optional<String> alertsTo,
    Monitoring monitoring,
    String builder,
    String jvmOptions) {}
