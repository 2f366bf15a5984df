package dev.tallyroll.operator;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Figure;
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
 * or fields; none may have our name in another region; and a fold has shards of its own, as it
 * deletes them. Used by one thread.
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
      Layout layout = Settings.from(other.environment()::get).layout();
      return Set.of(layout.rollups(), layout.shards(), Layout.INCREMENT_NAMES).contains(collection);
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
        checkShards(FoldSettings.from(other.environment()::get).layout().shards(), whose, refuse);
      } else {
        check(Settings.from(other.environment()::get), whose, refuse);
      }
    } catch (IllegalArgumentException unreadable) {
      refuse.accept(
          "expected settings of %s that this version can read; found: %s"
              .formatted(other.name(), unreadable.getMessage()));
    }
  }

  private void check(Settings theirs, String whose, Consumer<String> refuse) {
    Optional<Settings> ours = settings.totals();
    if (ours.isEmpty()) {
      checkShards(theirs.layout().shards(), whose, refuse);
      return;
    }
    checkTotals(ours.get(), theirs, whose, refuse);
    checkIndex(ours.get(), theirs, whose, refuse);
  }

  private void checkShards(String shards, String whose, Consumer<String> refuse) {
    String own =
        settings
            .fold()
            .map(fold -> fold.layout().shards())
            .orElseGet(() -> settings.totals().orElseThrow().layout().shards());
    if (own.equals(shards)) {
      refuse.accept(
          "SHARDS_COLLECTION: expected one that is a fold's alone; found %s of %s, too"
              .formatted(shards, whose));
    }
  }

  private static void checkTotals(
      Settings ours, Settings theirs, String whose, Consumer<String> refuse) {
    if (!overlap(ours.layout(), theirs.layout())) {
      return;
    }
    String its = theirs.layout().counters() + " of " + whose;
    if (ours.layout().rollups().equals(theirs.layout().rollups())) {
      refuse.accept(
          "COUNTERS: expected counters that no other deployment has, or another ROLLUPS_COLLECTION;"
              + " found %s, and %s".formatted(ours.layout().counters(), its));
    }
    for (Map.Entry<Figure, FieldName> own : ours.fields().entrySet()) {
      for (FieldName other : theirs.fields().values()) {
        if (meet(own.getValue(), other)) {
          refuse.accept(
              ("%s_FIELD: expected a field that no other deployment writes, nor one on the way to"
                      + " it; found %s, and %s for %s")
                  .formatted(own.getKey(), own.getValue(), other, its));
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
  private void checkIndex(Settings ours, Settings theirs, String whose, Consumer<String> refuse) {
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
          "SUM: expected %s, as %s has for %s.%s, or another SHARDS_COLLECTION; found %s"
              .formatted(
                  name(theirs.sum()), whose, theirs.layout().shards(), other, name(ours.sum())));
    }
  }

  private static String name(SumMode sum) {
    return sum.name().toLowerCase(Locale.ROOT);
  }
}
