package dev.tallyroll.settings;

import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.RunSettings;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The settings of the functions that keep totals, from environment variables.
 *
 * @param entries of {@code TOTALS}, in their order
 * @param rules which security rules are printed, by the names of entries
 * @param deployment {@code NAME}
 * @param database {@code FIRESTORE_DATABASE}
 * @param topic of the schedule and the wake-ups
 * @param runs {@code WORKERS}, {@code SWEEP_COUNTERS}
 */
public record Settings(
    List<Entry> entries,
    Map<String, EntryRules> rules,
    String deployment,
    String database,
    String topic,
    RunSettings runs) {

  /** Which totals there are. */
  public static final Variable TOTALS =
      new Variable(
          "TOTALS",
          "",
          "the file that says which totals there are, such as `totals.json`; in the functions' own "
              + "environment, its text. Empty: sharded counters in `counters`, where Google's "
              + "samples have them");

  /** All of them, in the order of the README. */
  public static final List<Variable> VARIABLES =
      List.of(
          CommonSettings.NAME,
          TOTALS,
          CommonSettings.FIRESTORE_DATABASE,
          CommonSettings.WORKERS,
          CommonSettings.SWEEP_COUNTERS);

  /**
   * Reads the settings.
   *
   * @param environment gives the value of a variable, or null if it is not set: such as {@code
   *     System::getenv}
   * @throws IllegalArgumentException if one is malformed or out of range; the message has a line
   *     for each mistake, which names what was expected and what was found
   */
  public static Settings from(UnaryOperator<String> environment) {
    return Environment.whole(environment, Settings::read);
  }

  /** Reads the settings, and notes each mistake. */
  static Settings read(Environment env) {
    for (String name : List.of("FOLD", "FOLD_DOCUMENTS", "FOLD_FIELDS")) {
      env.matching(
          new Variable(name, "", ""), "", "nothing: it is a setting of the jar that folds");
    }
    String text = env.text(TOTALS).isEmpty() ? TotalsFile.DEFAULT : env.text(TOTALS);
    TotalsFile file =
        env.made(
            () -> TotalsFile.parse(text, CommonSettings.timings(env)),
            () -> TotalsFile.parse(TotalsFile.DEFAULT));
    String deployment = CommonSettings.deployment(env);
    return new Settings(
        file.entries(),
        file.rules(),
        deployment,
        CommonSettings.database(env),
        CommonSettings.topic(env, deployment),
        CommonSettings.runs(env, shortest(file.entries())));
  }

  private static Duration shortest(List<Entry> entries) {
    return entries.stream()
        .map(entry -> entry.timing().tick())
        .min(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** Whether a trigger watches the shards of an entry. */
  public boolean hasTrigger() {
    return entries.stream().anyMatch(Entry::hasEvents);
  }

  /** The rules that are printed for an entry, if there are any. */
  public Optional<EntryRules> rules(Entry entry) {
    return Optional.ofNullable(rules.get(entry.name()));
  }
}
