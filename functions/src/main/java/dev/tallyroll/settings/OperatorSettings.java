package dev.tallyroll.settings;

import dev.tallyroll.protocol.Entry;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All settings of a deployment: those of its functions, and those of the project and the platform.
 *
 * @param project {@code PROJECT}
 * @param region {@code REGION}
 * @param totals the settings of the functions that keep totals; empty with {@code FOLD}
 * @param fold the settings of the functions that fold; empty without {@code FOLD}
 * @param platform what they run on
 * @param given those that differ from their defaults, as they were given
 */
public record OperatorSettings(
    String project,
    String region,
    Optional<Settings> totals,
    Optional<FoldSettings> fold,
    PlatformSettings platform,
    Map<String, String> given) {

  private static final Variable PROJECT =
      new Variable("PROJECT", "", "the project, here or as --project");

  private static final Variable REGION =
      new Variable("REGION", "", "the region of the functions, here or as --region");

  /** Where functions are, which a settings file begins with. */
  static final List<Variable> PLACE = List.of(PROJECT, REGION);

  private static final Set<String> SEVERAL_REGIONS = Set.of("nam5", "nam7", "eur3");

  /** The keys of a settings file. */
  public static Set<String> keys() {
    return Stream.of(PLACE, Settings.VARIABLES, FoldSettings.VARIABLES, PlatformSettings.VARIABLES)
        .flatMap(List::stream)
        .map(Variable::name)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether these settings are of functions that fold. */
  public static boolean isFolding(UnaryOperator<String> environment) {
    String fold = environment.apply("FOLD");
    return fold != null && !fold.isEmpty();
  }

  /**
   * Reads them all.
   *
   * @param settings those that are given, as {@link SettingsFile#read} gives them: {@code TOTALS}
   *     is a text
   * @throws IllegalArgumentException if some are malformed, out of range or missing; the message
   *     has a line for each, with its name, what was expected and what was found
   */
  public static OperatorSettings of(Map<String, String> settings) {
    Environment env = new Environment(settings::get);
    boolean folding = isFolding(settings::get);
    Optional<Settings> totals = folding ? Optional.empty() : Optional.of(Settings.read(env));
    Optional<FoldSettings> fold = folding ? Optional.of(FoldSettings.read(env)) : Optional.empty();
    OperatorSettings read =
        new OperatorSettings(
            env.matching(PROJECT, "[a-z][a-z0-9-]{0,29}", "a project's id, here or as --project"),
            region(env),
            totals,
            fold,
            PlatformSettings.read(env),
            given(settings));
    if (folding) {
      requirePlainNames(env);
    }
    env.end();
    return read;
  }

  /** A fold takes any name that Firestore has; a trigger's pattern only these. */
  private static void requirePlainNames(Environment env) {
    Variable path = FoldSettings.FOLD_DOCUMENTS;
    String names = env.text(path).replaceAll("\\{parent=\\*\\*}/|\\{\\w+}", "");
    if (!names.matches("[\\w/ -]*")) {
      env.wrong(
          path, "names of A-Z, a-z, 0-9, _ and -, as a trigger takes no others", env.text(path));
    }
  }

  /** Functions are in a region, also if the database is in several. */
  private static String region(Environment env) {
    String found = env.text(REGION);
    if (SEVERAL_REGIONS.contains(found)) {
      String near = found.equals("eur3") ? "europe-west4" : "us-central1";
      env.wrong(REGION, "a region; for a database there, " + near, found);
      return found;
    }
    return env.matching(
        REGION, "[a-z]+-[a-z]+[0-9]+", "a region such as us-central1, here or as --region");
  }

  private static Stream<Variable> variables(boolean folding) {
    return Stream.of(
            PLACE, folding ? FoldSettings.ALL : Settings.VARIABLES, PlatformSettings.VARIABLES)
        .flatMap(List::stream);
  }

  private static Map<String, String> given(Map<String, String> settings) {
    Map<String, String> given = new TreeMap<>(settings);
    given.keySet().retainAll(keys());
    variables(isFolding(settings::get))
        .filter(variable -> !variable.name().equals("FOLD")) // its presence says which jar it is
        .forEach(variable -> given.remove(variable.name(), variable.otherwise()));
    return given;
  }

  /** Whether RollUp is always at work: it polls, more often than it is asked for a run. */
  public boolean worksWithoutPause() {
    return totals
        .filter(
            settings ->
                settings.entries().stream()
                    .anyMatch(entry -> !entry.hasEvents() && !entry.timing().isLeftToSchedule()))
        .isPresent();
  }

  /** Whether writes make events. */
  public boolean hasTrigger() {
    return totals.map(Settings::hasTrigger).orElse(true);
  }

  /**
   * The variables of the deployed functions that are settings, those of the platform among them.
   */
  public Map<String, String> environment() {
    Map<String, String> environment = new TreeMap<>(given);
    PLACE.forEach(variable -> environment.remove(variable.name()));
    environment.put(CommonSettings.NAME.name(), name());
    return environment;
  }

  /**
   * The settings of a deployed function, each as it was given or with its default; in place of
   * {@code TOTALS} each key of each entry, such as {@code likes.into}, in JSON.
   */
  public static Map<String, String> effective(Map<String, String> environment) {
    Map<String, String> effective = new TreeMap<>();
    boolean folding = isFolding(environment::get);
    variables(folding)
        .filter(variable -> !PLACE.contains(variable) && !variable.equals(Settings.TOTALS))
        .forEach(
            variable ->
                effective.put(
                    variable.name(),
                    environment.getOrDefault(variable.name(), variable.otherwise())));
    if (!folding) {
      effective.putAll(TotalsKeys.of(environment.getOrDefault(Settings.TOTALS.name(), "")));
    }
    return effective;
  }

  /** The entries of the file of totals; none with {@code FOLD}. */
  public List<Entry> entries() {
    return totals.map(Settings::entries).orElse(List.of());
  }

  /** What the functions keep, for people. */
  public String what() {
    return fold.map(folding -> "a fold of " + folding.layout().pattern())
        .orElseGet(
            () ->
                "totals " + entries().stream().map(Entry::name).collect(Collectors.joining(", ")));
  }

  /** What triggers watch, each pattern once; none without events. */
  public List<String> patterns() {
    return fold.isPresent()
        ? List.of(fold.get().layout().pattern())
        : entries().stream()
            .filter(Entry::hasEvents)
            .map(entry -> entry.layout().trigger())
            .distinct()
            .toList();
  }

  /** {@code WORKERS}. */
  public int workers() {
    return totals.map(Settings::runs).orElseGet(() -> fold.orElseThrow().runs()).workers();
  }

  /** The topic of the schedule and the wake-ups. */
  public String topic() {
    return totals.map(Settings::topic).orElseGet(() -> fold.orElseThrow().topic());
  }

  /** {@code NAME}. */
  public String name() {
    return totals
        .map(Settings::deployment)
        .orElseGet(() -> fold.orElseThrow().layout().deployment());
  }

  /** {@code FIRESTORE_DATABASE}. */
  public String database() {
    return totals.map(Settings::database).orElseGet(() -> fold.orElseThrow().database());
  }
}
