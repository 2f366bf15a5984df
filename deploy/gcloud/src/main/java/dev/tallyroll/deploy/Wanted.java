package dev.tallyroll.deploy;

import java.util.Optional;

/**
 * The state of the platform that a command wants.
 *
 * @param artifact the hash of what is to be deployed; empty where that is not compared
 * @param source the folder that gcloud sends
 * @param rules those that are to hold, if any
 * @param rulesFile with the rules as JSON
 * @param excludeRequestLogs empty where that is left as it is
 * @param alertsTo an e-mail address; empty text where nobody is to be told; empty where that is
 *     left as it is
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
