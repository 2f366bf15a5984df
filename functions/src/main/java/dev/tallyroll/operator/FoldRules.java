package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.operator.RulesOptions.Variant;
import dev.tallyroll.settings.FoldLayout;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Rules for the shards of documents that are folded, in the place of the extension's rules. */
final class FoldRules {
  private static final Template HEAD =
      new Template(
          """
          // Rules for FOLD, in place of those that the Firebase extension prints: a signed-in client may raise one field of a shard by exactly
          // 1 at a time, <if it is there>
          // Whoever may write a shard has the functions write the document above it, so there is a match for each of FOLD_DOCUMENTS, and no
          // other. The documents themselves are your app's: these rules open none of them, and your own rules must not let clients write the
          // counted fields.
          //
          // What these rules cannot stop: a signed-in script that counts as often as it likes, on as many shards <rest>
          """);

  private static final Template BODY =
      new Template(
          """
          function plusOne_<name>(before, after) {
            return after.keys().hasOnly(<fields>)
              <and only in maps>
              && <steps> == 1;
          }

          // By how much a field differs: 0 or 1. All else spoils the sum.
          function step_<name>(before, after, field) {
            return difference_<name>(before.get(field, 0), after.get(field, 0));
          }

          // Clients also count on what others have left there, or such a shard would refuse them for ever: a double stays one, and nobody
          // else makes any; what is no number goes for nothing, as in the fold, and an increment replaces it.
          function difference_<name>(before, after) {
            return isNewDouble_<name>(before, after) ? -1000 : after == before ? 0 : after == counted_<name>(before) + 1 ? 1 : -1000;
          }

          function isNewDouble_<name>(before, after) {
            return after is float && !(before is float);
          }

          function counted_<name>(value) {
            return value is number ? value : 0;
          }

          <matches>
          """);

  private static final Template MATCH =
      new Template(
          """
          match /<document>/<shards>/{shard} {
            <is there>
            allow get: if request.auth != null;
            allow create: if request.auth != null && plusOne_<name>({}, request.resource.data)
              <and it is there>;
            allow update: if request.auth != null && plusOne_<name>(resource.data, request.resource.data)
              <and it is there>;
          }
          """);

  private static final String IS_THERE =
      """
      // The functions would make a document that is not there, or bring back one that was removed. This is a billed read.
      function isThere_<name>() {
        return exists(/databases/$(database)/documents/<document path>);
      }
      """;

  private FoldRules() {}

  static Template of(FoldLayout layout, Collection<FieldName> fields, RulesOptions options) {
    options
        .entry()
        .ifPresent(
            found -> {
              throw Names.refusal(RulesOptions.ENTRY, "none with FOLD", found);
            });
    options.requireVariants(EnumSet.of(Variant.MAKE), "make or nothing with FOLD");
    if (fields.isEmpty()) {
      throw Names.refusal(
          "FOLD_FIELDS", "the fields that clients may count, such as visits stats.likes", "");
    }
    boolean makes = options.has(Variant.MAKE);
    Map<List<String>, Set<String>> held = held(fields);
    Set<String> top = Objects.requireNonNull(held.remove(List.of()));
    return ClientRules.whole(head(makes), BODY)
        .with("matches", matches(layout, makes))
        .with("fields", RulesPath.list(top.stream()))
        .with("and only in maps", onlyInMaps(held))
        .with(
            "steps",
            fields.stream()
                .map(field -> "step_<name>(before, after, %s)".formatted(RulesPath.list(field)))
                .collect(Collectors.joining(" + ")));
  }

  /** What each map may hold, by the names on the way to it; those of the document by none. */
  private static Map<List<String>, Set<String>> held(Collection<FieldName> fields) {
    Map<List<String>, Set<String>> held = new LinkedHashMap<>();
    for (FieldName field : fields) {
      List<String> names = field.names();
      for (int i = 0; i < names.size(); i++) {
        held.computeIfAbsent(names.subList(0, i), map -> new LinkedHashSet<>()).add(names.get(i));
      }
    }
    return held;
  }

  private static String onlyInMaps(Map<List<String>, Set<String>> held) {
    return held.entrySet().stream()
        .map(
            map ->
                "&& after.get(%s, {}).keys().hasOnly(%s)"
                    .formatted(
                        RulesPath.list(map.getKey().stream()),
                        RulesPath.list(map.getValue().stream())))
        .collect(Collectors.joining("\n"));
  }

  private static Template head(boolean makes) {
    return makes
        ? HEAD.with(
                "if it is there",
                "and read a shard by its id, as the extension's clients do. The functions make a"
                    + " document that is not there.")
            .with(
                "rest",
                """
                and documents as it likes,
                // and so makes these documents. Rules never bind server SDKs.""")
        : HEAD.with(
                "if it is there",
                "if the document above it is there, and read a shard by its id, as the extension's"
                    + " clients do.")
            .with(
                "rest",
                """
                as it likes. Rules never
                // bind server SDKs.""");
  }

  private static String matches(FoldLayout layout, boolean makes) {
    return layout.documents().stream()
        .map(document -> RulesPath.of("FOLD_DOCUMENTS", document.parts()))
        .map(
            document ->
                MATCH
                    .with("is there", !makes, IS_THERE)
                    .with("and it is there", !makes, "&& isThere_<name>()")
                    .with("document", document.pattern())
                    .with("document path", document.path())
                    .text())
        .collect(Collectors.joining());
  }
}
