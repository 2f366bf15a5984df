package dev.tallyroll.deploy;

/**
 * A question that only a real project answers, and the place where our documents leave it open. In
 * the order of the report.
 */
enum Question {
  ANYWHERE(
      "Does the trigger take {parent=**}?",
      "deploy/README.md#where-counters-are",
      "Production takes the form {parent=**}/... of a pattern.",
      "The canary's trigger has this form, and counters below a document got their totals."),
  IAM_CONDITION(
      "Does the IAM condition let the functions work?",
      "deploy/README.md#what-is-made-and-why",
      "Each function has datastore.user on this one database, and no other role in the project.",
      "Both functions kept totals, and the project's policy names their accounts only so."),
  TRIGGER_PLACE(
      "Where is the trigger?",
      "deploy/README.md#regions-and-databases",
      "The trigger is where the database is, by its own name, also for nam5 and eur3.",
      "Read from the database and the function."),
  ACK_DEADLINES(
      "Do the ack deadlines outlast a redeploy?",
      "deploy/README.md#what-is-made-and-why",
      "120 s and 600 s on the two subscriptions that Eventarc makes with 10 s.",
      "Both functions were deployed again with another setting; then the subscriptions were read."),
  DEAD_LETTERS(
      "Does the trigger's subscription keep its topic of dead letters?",
      "deploy/README.md#monitoring",
      "Its name begins eventarc-PLACE-FUNCTION, and it keeps the topic, also after a redeploy.",
      "Read after both functions were deployed again."),
  RETRIES(
      "How do failures and retries show?",
      "deploy/README.md#what-is-made-and-why",
      "OnShardWritten's events are retried, RollUp's messages are not.",
      "One total had no room in its document, so its event failed; Cloud Run's and Pub/Sub's counts were read."),
  STRING_OF_PATH(
      "Does string() take a path in security rules?",
      "deploy/README.md#security-rules",
      "string() takes a path in production; if not, all stays closed.",
      "The Rules API's own test of the rules for counters under any parent; no rules were deployed."),
  TWO_WRITES(
      "Do the rules refuse two writes of one shard in a commit?",
      "deploy/README.md#security-rules",
      "A client raises a shard by exactly 1 in a commit.",
      "As a client, in a database without rules, with rules that open the canary's collections only."),
  COLD_START(
      "How long does RollUp start, with a third of a vCPU?",
      "deploy/README.md#the-artifact",
      "It listens after about a second, on an idle machine with whole processors.",
      "Cloud Run's startup latencies."),
  LAG_1(
      "How late is a total at 1 increment a second?",
      ".github/BENCHMARKS.md#benchmarks",
      "Quiet counters show an increment in the time of one event.",
      Question.LAG),
  LAG_20(
      "How late is a total at 20 increments a second?",
      ".github/BENCHMARKS.md#benchmarks",
      Question.RHYTHM,
      Question.LAG),
  LAG_100(
      "How late is a total at 100 increments a second?",
      ".github/BENCHMARKS.md#benchmarks",
      Question.RHYTHM,
      Question.LAG),
  OPERATIONS(
      "How many operations is an increment?",
      ".github/BENCHMARKS.md#benchmarks",
      "The table has reads, sums and writes of the emulators.",
      "The project's own counts, without the canary's; others in this database count, too."),
  DOLLARS(
      "How many dollars is an increment?",
      "deploy/README.md#what-it-costs",
      "The table is computed, and not compared with a bill.",
      "These operations, Cloud Run's seconds and requests, at the prices of deploy/prices.json."),
  ENTERPRISE(
      "Does it work on an Enterprise database?",
      "deploy/README.md#editions",
      "With an index on shards.count, without the exemptions.",
      "By hand, from deploy --dry-run: the commands refuse an Enterprise database.");

  private static final String RHYTHM =
      "A busy total is bound by its rhythm, a TICK: about half of one at p50, a whole one at p99.";

  private static final String LAG =
      "Each increment's commit, and the first total with it, looked for each 250 ms, both in Firestore's time.";

  final String title;

  /** A document and its heading, as a link has them. */
  final String place;

  final String claim;
  final String how;

  Question(String title, String place, String claim, String how) {
    this.title = title;
    this.place = place;
    this.claim = claim;
    this.how = how;
  }
}
