package dev.tallyroll.operator;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The other deployments of a project. They may sum the same counters, but not into the same totals
 * or fields; none may have our name in another region; and what a fold deletes is nobody else's.
 * Used by one thread.
 */
final class Neighbours {
  private final OperatorSettings settings;
  private final List<DeployedFunction> functions;

  /** Fields of shards that others read without an index. */
  private final Set<Field> unindexed = new HashSet<>();

  /**
   * @param functions all of the project
   */
  Neighbours(OperatorSettings settings, List<DeployedFunction> functions) {
    this.settings = settings;
    this.functions = functions;
  }

  /** The fields of shards that another deployment of the database reads without an index. */
  boolean reads(Field field) {
    return unindexed.contains(field);
  }

  /**
   * Whether another deployment of the database uses a collection, or may, for all that is known.
   */
  boolean use(String collection) {
    return others()
        .filter(other -> !OperatorSettings.isFolding(other.environment()::get))
        .anyMatch(other -> uses(other, collection));
  }

  private static boolean uses(DeployedFunction other, String collection) {
    try {
      return Settings.from(other.environment()::get).entries().stream()
          .map(Entry::layout)
          .flatMap(layout -> Stream.of(layout.rollups(), layout.shards(), Layout.INCREMENT_NAMES))
          .anyMatch(collection::equals);
    } catch (IllegalArgumentException unreadable) {
      return true;
    }
  }

  private Stream<DeployedFunction> others() {
    return functions.stream()
        .filter(other -> !other.deployment().isEmpty())
        .filter(other -> !other.deployment().equals(settings.name()))
        .filter(
            other ->
                other
                    .environment()
                    .getOrDefault("FIRESTORE_DATABASE", "(default)")
                    .equals(settings.database()));
  }

  /** Says what is in the way. */
  void check(Consumer<String> refuse) {
    functions.stream()
        .filter(other -> other.deployment().equals(settings.name()))
        .filter(other -> !other.region().equals(settings.region()))
        .findFirst()
        .ifPresent(
            other ->
                refuse.accept(
                    "NAME: expected one that no other deployment has; found '%s' in %s, too"
                        .formatted(settings.name(), other.region())));
    others().forEach(other -> check(other, refuse));
  }

  private void check(DeployedFunction other, Consumer<String> refuse) {
    String whose = other.deployment() + " in " + other.region();
    try {
      if (OperatorSettings.isFolding(other.environment()::get)) {
        checkFold(FoldSettings.from(other.environment()::get).layout(), whose, refuse);
      } else {
        Settings.from(other.environment()::get)
            .entries()
            .forEach(entry -> check(entry, whose, refuse));
      }
    } catch (IllegalArgumentException unreadable) {
      refuse.accept(
          "expected settings of %s that this version can read; found: %s"
              .formatted(other.name(), unreadable.getMessage()));
    }
  }

  private void check(Entry theirs, String whose, Consumer<String> refuse) {
    Optional<Entry> ours = settings.entry();
    if (ours.isPresent()) {
      checkTotals(ours.get(), theirs, whose, refuse);
      checkIndex(ours.get(), theirs, whose, refuse);
    } else if (theirs.layout().shards().equals(FoldLayout.SHARDS)) {
      refuseShards("FOLD", whose, refuse);
    }
  }

  /** Folds have their shards in one collection, and so have documents of their own. */
  private void checkFold(FoldLayout theirs, String whose, Consumer<String> refuse) {
    settings
        .entry()
        .filter(ours -> ours.layout().shards().equals(FoldLayout.SHARDS))
        .ifPresent(ours -> refuseShards(ours + ".of", whose, refuse));
    for (PathPattern own :
        settings.fold().map(FoldSettings::layout).map(FoldLayout::documents).orElse(List.of())) {
      theirs.documents().stream()
          .filter(other -> other.collections().equals(own.collections()))
          .forEach(
              other ->
                  refuse.accept(
                      "FOLD_DOCUMENTS: expected documents that no other deployment folds; found %s, and %s of %s"
                          .formatted(own, other, whose)));
    }
  }

  private static void refuseShards(String key, String whose, Consumer<String> refuse) {
    refuse.accept(
        "%s: expected shards that are a fold's alone; found %s of %s, too"
            .formatted(key, FoldLayout.SHARDS, whose));
  }

  private static void checkTotals(Entry ours, Entry theirs, String whose, Consumer<String> refuse) {
    if (!overlap(ours.layout(), theirs.layout())) {
      return;
    }
    String its = theirs.layout().counters() + " of " + whose;
    if (ours.layout().rollups().equals(theirs.layout().rollups())) {
      refuse.accept(
          "%s.rollups: expected a collection beside %s in which no other deployment has totals; found %s, and %s"
              .formatted(ours, ours.layout().counters(), ours.layout().rollups(), its));
    }
    for (Map.Entry<Figure, FieldName> own : ours.fields().entrySet()) {
      for (FieldName other : theirs.fields().values()) {
        if (meet(own.getValue(), other)) {
          refuse.accept(
              ("%s.into.%s: expected a field that no other deployment writes, nor one on the way to"
                      + " it; found %s, and %s for %s")
                  .formatted(
                      ours,
                      own.getKey().name().toLowerCase(Locale.ROOT),
                      own.getValue(),
                      other,
                      its));
        }
      }
    }
  }

  /** Whether they are one, or one is on the way to the other. */
  private static boolean meet(FieldName one, FieldName other) {
    return one.equals(other) || one.isInside(Set.of(other));
  }

  /** Whether a counter may be in both; with a variable, the names of documents are not compared. */
  private static boolean overlap(Layout one, Layout other) {
    if (one.singleParent().isPresent() && other.singleParent().isPresent()) {
      return one.counters().equals(other.counters());
    }
    return one.countersCollection().equals(other.countersCollection())
        && (one.counters().startsWith("{parent=**}")
            || other.counters().startsWith("{parent=**}")
            || PathPattern.of(one.counters())
                .collections()
                .equals(PathPattern.of(other.counters()).collections()));
  }

  /** An exemption holds in all collections of a name, and for what is in the field. */
  private void checkIndex(Entry ours, Entry theirs, String whose, Consumer<String> refuse) {
    if (!ours.layout().shards().equals(theirs.layout().shards())
        || ours.layout().counted().isEmpty()
        || theirs.layout().counted().isEmpty()) {
      return;
    }
    FieldName own = ours.layout().counted().get();
    FieldName other = theirs.layout().counted().get();
    if (theirs.sum() == SumMode.DOCUMENTS) {
      unindexed.add(new Field(theirs.layout().shards(), other.toString()));
    }
    if (ours.sum() == theirs.sum()) {
      return;
    }
    FieldName exempt = ours.sum() == SumMode.DOCUMENTS ? own : other;
    FieldName indexed = ours.sum() == SumMode.DOCUMENTS ? other : own;
    if ((indexed + ".").startsWith(exempt + ".")) {
      refuse.accept(
          "%s.index: expected %s, as %s has for %s.%s, or another collection; found %s"
              .formatted(
                  ours,
                  isIndexed(theirs),
                  whose,
                  theirs.layout().shards(),
                  other,
                  isIndexed(ours)));
    }
  }

  /** The value of the key "index". */
  private static boolean isIndexed(Entry entry) {
    return entry.sum() == SumMode.AGGREGATE;
  }
}
