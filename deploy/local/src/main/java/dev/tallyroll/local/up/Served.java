package dev.tallyroll.local.up;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.operator.ClientRules;
import dev.tallyroll.operator.RulesOptions;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.EntryRules;
import dev.tallyroll.settings.EntryRules.RulesKind;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Settings;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The functions' settings as {@code up} needs them: the entries whose totals the functions keep,
 * or, with FOLD, the documents whose shards they fold. Immutable.
 *
 * @param entries none with FOLD
 * @param rules of the app's file of totals, by the names of entries
 * @param fold the settings of the functions that fold; empty without FOLD
 */
record Served(List<Entry> entries, Map<String, EntryRules> rules, Optional<FoldSettings> fold) {
  private static final Documents STARS = new Documents(1, 5);

  /**
   * Documents of people, which are counted as they are.
   *
   * @param least of the numbers that rules let people write; 1 if each document counts one
   * @param most of these numbers
   */
  record Documents(long least, long most) {
    /** The range, for the page. */
    String range() {
      return least + ".." + most;
    }

    /** One of these numbers. */
    long pick(Random random) {
      return least + (long) (random.nextDouble() * (double) (most - least + 1));
    }
  }

  /** Copies both. */
  Served {
    entries = List.copyOf(entries);
    rules = Map.copyOf(rules);
  }

  /** Patterns as in a setting. */
  static String words(List<PathPattern> patterns) {
    return patterns.stream().map(PathPattern::toString).collect(Collectors.joining(" "));
  }

  /**
   * Reads the functions' settings as they do.
   *
   * @throws IllegalArgumentException if one is malformed
   */
  static Served by(Map<String, String> environment) {
    if (LocalCloudOptions.isFolding(environment)) {
      FoldSettings folding = FoldSettings.from(environment::get);
      return new Served(List.of(), Map.of(), Optional.of(folding));
    }
    Settings totals = Settings.from(environment::get);
    return new Served(totals.entries(), totals.rules(), Optional.empty());
  }

  /** Whether writes make events; else RollUp sums all totals. */
  boolean hasTrigger() {
    return fold.isPresent() || entries.stream().anyMatch(Entry::hasEvents);
  }

  /** Whether the app's file of totals has strict rules for an entry. */
  boolean isStrict() {
    return rules.values().stream().anyMatch(each -> each.kind() == RulesKind.STRICT);
  }

  /** The entries whose shards clients increment. */
  List<Entry> counters() {
    return entries.stream().filter(entry -> documents(entry).isEmpty()).toList();
  }

  /** The documents that an entry counts as they are; empty if clients increment shards. */
  Optional<Documents> documents(Entry entry) {
    Optional<EntryRules> theirs = Optional.ofNullable(rules.get(entry.name()));
    if (entry.looksLikeShardedCounter()
        && theirs.filter(each -> each.kind() == RulesKind.OWN).isEmpty()) {
      return Optional.empty();
    }
    Optional<Documents> values =
        theirs.flatMap(EntryRules::values).map(range -> new Documents(range.least(), range.most()));
    return Optional.of(
        entry.layout().counted().isEmpty() ? new Documents(1, 1) : values.orElse(STARS));
  }

  /**
   * The fields that the documents of an entry hold to be summed, and which numbers: also those that
   * other entries sum of the same documents. None if all of these entries count documents.
   */
  Map<FieldName, Documents> written(Entry entry) {
    Map<FieldName, Documents> written = new LinkedHashMap<>();
    for (Entry other : entries) {
      if (other.layout().trigger().equals(entry.layout().trigger())) {
        other
            .layout()
            .counted()
            .ifPresent(field -> documents(other).ifPresent(range -> written.put(field, range)));
      }
    }
    return written;
  }

  /**
   * The name of a total: its document, among several entries after the entry's name. A sharded
   * counter alone has the name by which clients know it.
   */
  String name(CounterId counter) {
    if (entries.size() > 1) {
      return counter.entry().name() + " of " + counter.document();
    }
    return documents(counter.entry()).isPresent() ? counter.document() : counter.path().toString();
  }

  /** How long a total may be held, at the most. */
  Duration longestHold() {
    return entries.stream()
        .map(entry -> entry.timing().hold())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /**
   * The security rules for these settings, a whole text for each entry that has some. With FOLD
   * there is one kind. For counters under any parent, which only their owner can say more of, they
   * are those for counters at the root.
   *
   * @param asked the kind, for the entries that can have it. Empty for what the app's file of
   *     totals says
   * @return none if a kind is not asked for, and the app's file says nothing
   * @throws IllegalArgumentException if no entry can have those of the kind
   */
  List<String> rules(Optional<RulesKind> asked) {
    if (fold.isPresent()) {
      return List.of(
          rules(fold.get(), asked.filter(kind -> kind != RulesKind.OWN).orElse(RulesKind.PLAIN)));
    }
    List<String> printed = entries.stream().flatMap(entry -> rules(entry, asked).stream()).toList();
    if (printed.isEmpty() && asked.isPresent()) {
      throw new IllegalArgumentException(
          "--rules: expected a kind that an entry can have; found '%s'"
              .formatted(asked.get().name().toLowerCase(Locale.ROOT)));
    }
    return printed;
  }

  private Optional<String> rules(Entry entry, Optional<RulesKind> asked) {
    Optional<Documents> documents = documents(entry);
    Optional<RulesKind> kind =
        asked
            .filter(
                given -> entries.size() == 1 || (given == RulesKind.OWN) == documents.isPresent())
            .or(() -> Optional.ofNullable(rules.get(entry.name())).map(EntryRules::kind));
    return kind.map(given -> rules(entry, given, documents));
  }

  private String rules(Entry entry, RulesKind kind, Optional<Documents> documents) {
    return ClientRules.of(
        entry.layout().fixedStart().isEmpty() ? atRoot(entry) : entry,
        new EntryRules(
            kind,
            Optional.of(documents.orElse(STARS))
                .filter(values -> kind == RulesKind.OWN && entry.layout().counted().isPresent())
                .map(range -> new EntryRules.Values(range.least(), range.most())),
            Optional.ofNullable(rules.get(entry.name())).map(EntryRules::set).orElse(Set.of())),
        RulesOptions.NONE);
  }

  private static Entry atRoot(Entry entry) {
    return new Entry(
        entry.name(),
        entry.layout().in(entry.layout().countersCollection()),
        entry.fields(),
        entry.sum(),
        entry.hasEvents(),
        entry.timing());
  }

  private static String rules(FoldSettings fold, RulesKind kind) {
    if (kind == RulesKind.STRICT) {
      throw new IllegalArgumentException("--rules: expected plain with FOLD; found 'strict'");
    }
    return ClientRules.of(fold.layout(), FoldedPage.fields(fold).toList(), RulesOptions.NONE);
  }
}
