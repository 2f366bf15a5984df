package dev.tallyroll.deploy;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The settings of a deployment, with their defaults and allowed values. The first ones are
 * environment variables of both functions; those from MAX_INSTANCES on size the functions.
 */
enum Setting {
  COUNTERS(
      "counters",
      "\\{parent=\\*\\*}/(ID)|((ID)/(\\{[a-z][a-z0-9_]*}|(ID))/)*(ID)",
      "a path that starts and ends with a collection, such as counters, rooms/{room}/counters or {parent=**}/counters"),
  SHARDS_COLLECTION("shards", "(ID)", Setting.COLLECTION),
  ROLLUPS_COLLECTION("rollups", "(ID)", Setting.COLLECTION),
  RUNS_COLLECTION("rollup_runs", "(ID)", Setting.COLLECTION),
  COUNT_FIELD("count", "[A-Za-z_][A-Za-z0-9_]*", "a field's name of letters, digits and _"),
  FIRESTORE_DATABASE(
      "(default)", "\\(default\\)|[a-z][a-z0-9-]{2,61}[a-z0-9]", "(default) or a database's id"),
  TICK("PT1S", Setting.TIME, Setting.DURATION),
  LEASE("PT5S", Setting.TIME, Setting.DURATION),
  SLACK("PT1S", Setting.TIME, Setting.DURATION),
  BURST("15", "[2-9]|[1-9][0-9]|100", "a number from 2 to 100"),
  WORKERS("1", "[1-9]|[1-5][0-9]|6[0-4]", "a number from 1 to 64"),
  SUM("aggregate", "aggregate|documents", "aggregate or documents"),
  RUN("PT70S", Setting.TIME, Setting.DURATION),
  /** The default is a TICK. */
  IDLE_EXIT("", Setting.TIME, Setting.DURATION),
  SWEEP("PT8M", Setting.TIME, Setting.DURATION),
  SWEEP_COUNTERS("10000", "[1-9][0-9]{2,6}|10000000", "a number from 100 to 10000000"),
  ROLLUP_TOPIC(
      "rollup",
      "(?!goog)[A-Za-z][A-Za-z0-9._~+%-]{2,254}",
      "a topic's id of 3 to 255 characters that does not start with goog"),
  /** The functions have no use for it: it tells another deployment which TTL policy is needed. */
  INCREMENTS_COLLECTION("increment_names", "(ID)", Setting.COLLECTION),
  MAX_INSTANCES("20", "[1-9][0-9]{0,3}", "a number from 1 to 9999"),
  RUNTIME("java21", "java(17|21|25)", "java17, java21 or java25"),
  ROLLER_CPU("0.333", "0?\\.(0[89]\\d?|[1-9]\\d{0,2})|[12468]", ".08 to .999, 1, 2, 4, 6 or 8"),
  ROLLER_MEMORY("512Mi", "[1-9]\\d{0,4}(Mi|Gi)", "an amount such as 512Mi or 1Gi");

  private static final String COLLECTION = "a collection's name of letters, digits, _ and -";
  private static final String DURATION = "an ISO-8601 duration such as PT1S";
  private static final String TIME = "PT(?=.)(\\d{1,5}H)?(\\d{1,5}M)?(\\d{1,5}(\\.\\d{1,3})?S)?";

  /** The settings that totals are made with: another value makes wrong or other totals. */
  static final List<Setting> OF_TOTALS =
      List.of(SHARDS_COLLECTION, ROLLUPS_COLLECTION, COUNT_FIELD);

  final String standard;
  final Pattern pattern;
  final String words;

  Setting(String standard, String pattern, String words) {
    this.standard = standard;
    this.pattern = Pattern.compile(pattern.replace("(ID)", "[A-Za-z0-9_][A-Za-z0-9_-]*"));
    this.words = words;
  }

  boolean isVariable() {
    return compareTo(MAX_INSTANCES) < 0;
  }

  static List<Setting> variables() {
    return Arrays.stream(values()).filter(Setting::isVariable).toList();
  }

  String flag() {
    return this == FIRESTORE_DATABASE ? "--database" : "--" + field().replace('_', '-');
  }

  /** Its field in the deployment's document. */
  String field() {
    return name().toLowerCase(Locale.ROOT);
  }
}
