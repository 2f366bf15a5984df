package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.Meeting;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The other deployments of a project. They may sum the same documents, but not into the same totals
 * or fields; none may have our name in another region; and what a fold deletes is nobody else's.
 * Used by one thread.
 */
final class Neighbours {
  private static final Comparator<FieldName> BY_TEXT = Comparator.comparing(FieldName::toString);

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
    for (Entry ours : settings.entries()) {
      checkTotals(ours, theirs, whose, refuse);
      checkIndex(ours, theirs, whose, refuse);
    }
    if (settings.fold().isPresent() && theirs.layout().shards().equals(FoldLayout.SHARDS)) {
      refuseShards("FOLD", whose, refuse);
    }
  }

  /** Folds have their shards in one collection, and so have documents of their own. */
  private void checkFold(FoldLayout theirs, String whose, Consumer<String> refuse) {
    settings.entries().stream()
        .filter(ours -> ours.layout().shards().equals(FoldLayout.SHARDS))
        .forEach(ours -> refuseShards(ours + ".of", whose, refuse));
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
    String its = "%s of %s".formatted(theirs, whose);
    if (Meeting.mayShareRollups(ours, theirs)) {
      refuse.accept(
          "%s.rollups: expected a collection in which no other deployment has totals; found %s, and %s for %s"
              .formatted(ours, ours.layout().allRollups(), theirs.layout().allRollups(), its));
    }
    for (FieldName field : Meeting.fields(ours, theirs)) {
      refuse.accept(
          "%s.into: expected fields that no other deployment writes, nor any on the way to one; found %s, and %s for %s"
              .formatted(
                  ours, field, theirs.fields().values().stream().sorted(BY_TEXT).toList(), its));
    }
  }

  private void checkIndex(Entry ours, Entry theirs, String whose, Consumer<String> refuse) {
    if (!theirs.isIndexed()) {
      unindexed.add(new Field(theirs.layout().shards(), theirs.layout().countField()));
    }
    if (Meeting.needOtherIndexes(ours, theirs)) {
      refuse.accept(
          "%s.index: expected %s, as %s has for %s.%s, or another collection; found %s"
              .formatted(
                  ours,
                  theirs.isIndexed(),
                  whose,
                  theirs.layout().shards(),
                  theirs.layout().countField(),
                  ours.isIndexed()));
    }
  }
}
