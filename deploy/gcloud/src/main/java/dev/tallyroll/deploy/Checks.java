package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Setting.COUNTERS;
import static dev.tallyroll.deploy.Setting.COUNT_FIELD;
import static dev.tallyroll.deploy.Setting.ROLLER_CPU;
import static dev.tallyroll.deploy.Setting.ROLLER_MEMORY;
import static dev.tallyroll.deploy.Setting.TICK;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks command lines and settings without a question to the platform. Stateless. */
final class Checks {
  private static final String PLACE = "[a-z]+-[a-z]+[0-9]+";

  /** The longest id that Firestore allows, in bytes. */
  private static final int MOST_OF_A_NAME = 1500;

  /** The id of a run's document holds the whole path. */
  private static final int MOST_OF_A_PATH = 1000;

  /** Compilers of security rules refuse these as variables, or take them for their own. */
  private static final String RESERVED =
      """
       allow break case continue default do duration each else extends false for function goto hashing if import in is \
      latlng let match math not null package request resource return rules_version service switch timestamp true var while \
      parent\s""";

  private static final String VARIANTS = "RULES_VARIANTS";
  private static final Pattern AMOUNT = Pattern.compile("(\\d+(?:\\.\\d+)?)([KMG]?i?)B?");

  private Checks() {}

  /** Checks the names that every question to the platform needs. */
  static void names(String project, String region, String name, String place) {
    String id = "([a-z0-9][a-z0-9.-]*:)?[a-z][a-z0-9-]{0,29}";
    expect(project.matches(id), "PROJECT", "a project's id", project);
    expect(region.matches(PLACE), "REGION", "a region such as us-central1", region);
    String words = "a name of 2 to 13 small letters, digits and dashes";
    expect(name.matches("[a-z][a-z0-9-]{0,11}[a-z0-9]"), "NAME", words, name);
    words = "the database's location, such as us-central1 or nam5";
    expect(place.matches(PLACE + "|nam5|eur3"), "TRIGGER_LOCATION", words, place);
  }

  private static void expect(boolean holds, Object what, String words, String found) {
    if (!holds) {
      throw new Refusal(what + ": expected " + words + ", found '" + found + "'");
    }
  }

  static void address(Arguments arguments) {
    String found = arguments.value("--monitoring").orElse("a@b.c");
    boolean isOne = found.matches("[^@\\s,=]+@[^@\\s,=]+\\.[^@\\s,=]+");
    expect(isOne, "--monitoring", "an e-mail address", found);
  }

  /** Refuses --bill with options that it does not take, and its own options without it. */
  static void bill(Arguments arguments) {
    boolean bill = arguments.has("--bill");
    for (String other : List.of("--watch", "--rules", "--rules-variants")) {
      expect(!bill || !arguments.has(other), "--bill", "no " + other + " with it", other);
    }
    for (String one : List.of("--free", "--prices")) {
      expect(bill || !arguments.has(one), one, "--bill with it", one + " alone");
    }
  }

  /** Refuses combinations of options whose rules could not be published. */
  static void rules(Arguments arguments, String counters) {
    String rules = arguments.value("--rules").orElse("");
    String variants = arguments.value("--rules-variants").orElse("");
    boolean strict = rules.equals("strict");
    boolean anywhere = counters.startsWith(Paths.ANYWHERE);
    expect(rules.matches("(plain|strict)?"), "RULES", "plain or strict", rules);
    String words = "some of once, down, list, more, with commas between";
    expect(variants.matches("(((once|down|list|more)(,(?!$)|$))*)"), VARIANTS, words, variants);
    expect(variants.isEmpty() || !rules.isEmpty(), VARIANTS, "--rules with it", variants);
    boolean once = variants.contains("once");
    expect(!once || strict, VARIANTS, "--rules=strict with it", variants);
    words = "plain for counters under any parent, since a pass names the path of its shard";
    expect(!anywhere || !strict, "RULES", words, rules);
    words =
        """
        no list for counters under any parent, since it makes every document in a roll-ups collection public""";
    expect(!anywhere || !variants.contains("list"), VARIANTS, words, variants);
  }

  /**
   * Checks the settings, alone and together.
   *
   * @param rulesWords which words the rules use themselves
   * @throws Refusal for the first that is malformed or does not fit the others
   */
  static void of(Deployment wanted, Set<String> rulesWords) {
    for (Setting setting : Setting.values()) {
      String found = wanted.get(setting);
      int most = setting == COUNTERS ? MOST_OF_A_PATH : MOST_OF_A_NAME;
      String words = "at most " + most + " characters";
      expect(found.length() <= most, setting, words, found.length() + " of them");
      expect(setting.pattern.matcher(found).matches(), setting, setting.words, found);
    }
    times(wanted);
    variables(wanted.get(COUNTERS), rulesWords);
    collections(wanted);
    size(wanted);
  }

  /** The functions' own ranges. An event-driven function is stopped after 540 s. */
  private static void times(Deployment wanted) {
    long tick = between(wanted, TICK, 100, 60_000, "PT0.1S to PT1M");
    between(wanted, Setting.LEASE, 3 * tick, 600_000, "three times TICK to PT10M");
    between(wanted, Setting.SLACK, 0, 60_000, "PT0S to PT1M");
    long run = between(wanted, Setting.RUN, 2 * tick, 500_000, "two times TICK to PT500S");
    between(wanted, Setting.IDLE_EXIT, tick, run, "TICK to RUN");
    between(wanted, Setting.SWEEP, 1000, 500_000, "PT1S to PT500S");
  }

  private static long between(
      Deployment wanted, Setting setting, long least, long most, String words) {
    String found = wanted.get(setting);
    long millis = Duration.parse(found).toMillis();
    expect(millis >= least && millis <= most, setting, words, found);
    return millis;
  }

  private static void variables(String counters, Set<String> rulesWords) {
    Matcher reserved = Pattern.compile("/(__[^/]*__)/").matcher("/" + counters + "/");
    String found = reserved.find() ? reserved.group(1) : "";
    expect(found.isEmpty(), COUNTERS, "names that Firestore does not reserve", found);
    Set<String> used = new HashSet<>();
    Matcher variables = Pattern.compile("\\{([a-z0-9_]+)}").matcher(counters);
    while (variables.find()) {
      String variable = variables.group(1);
      boolean taken = RESERVED.contains(" " + variable + " ") || rulesWords.contains(variable);
      String words = "a variable that security rules do not use themselves";
      expect(!taken, COUNTERS, words, variables.group());
      expect(used.add(variable), COUNTERS, "each variable once", variables.group() + " again");
    }
  }

  /** Two collections under one name would let the functions trigger themselves. */
  private static void collections(Deployment wanted) {
    List<String> taken = new ArrayList<>(List.of("passes", "live"));
    for (Setting setting : Setting.variables()) {
      String name = Paths.last(wanted.get(setting));
      if (setting == COUNTERS || setting.name().endsWith("_COLLECTION")) {
        expect(!taken.contains(name), setting, "a name that no other collection has", name);
        taken.add(name);
      }
      boolean reserved = name.matches("__.*__") && setting != COUNT_FIELD;
      expect(!reserved, setting, "a name that Firestore does not reserve", name);
    }
  }

  /** Refuses sizes that Cloud Run does not allow together. */
  private static void size(Deployment wanted) {
    String cpu = wanted.get(ROLLER_CPU);
    double number = Double.parseDouble(cpu);
    long memory = mebibytes(wanted.get(ROLLER_MEMORY));
    int least = number < 4 ? 128 : number == 4 ? 2048 : 4096;
    int most = number < .5 ? 512 : number < 1 ? 1024 : number <= 6 ? (int) (4096 * number) : 32_768;
    String words = "%dMi to %dMi with %s vCPU".formatted(least, most, cpu);
    expect(memory >= least && memory <= most, ROLLER_MEMORY, words, wanted.get(ROLLER_MEMORY));
  }

  /** An amount of memory as the platform says it: 512Mi, 1Gi, 512M, or 536870912 bytes. */
  static long mebibytes(String amount) {
    Matcher matcher = AMOUNT.matcher(amount);
    if (!matcher.matches()) {
      return -1;
    }
    String unit = matcher.group(2);
    int power = unit.isEmpty() ? 0 : 1 + "KMG".indexOf(unit.charAt(0));
    double bytes =
        Double.parseDouble(matcher.group(1)) * Math.pow(unit.endsWith("i") ? 1024 : 1000, power);
    return Math.round(bytes / (1024 * 1024));
  }
}
