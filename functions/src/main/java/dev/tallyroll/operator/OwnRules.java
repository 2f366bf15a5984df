package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.EntryRules;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Rules for documents that are counted as they are, each user's own. */
final class OwnRules {
  private static final Template HEAD =
      new Template(
          """
          // Rules for documents that are counted as they are, each user's own: a like, a rating, a vote. A signed-in client may
          //   - create, change and delete the document with the user's uid as its id, <what it holds>;
          //   - get this document, also if it is not there.
          // Everybody may get a total. Each function ends with the name of the entry. They read no document at your expense.
          //
          // These rules do not stop
          //   - one person with many accounts: turn anonymous sign-in off, use App Check;
          //   - other fields, of any kind and size, and documents below a counter that is not there: add conditions of your own below;
          //   - another rule of yours that allows more for these documents, since one is enough;
          //   - anyone who reads totals again and again at your expense;
          //   - a server: no rule binds its SDK.
          """);

  private static final Template BODY =
      new Template(
          """
          <keeps>

          function isOwn_<name>(uid) {
            return request.auth.uid == uid;
          }

          <is counted>

          <is chosen>

          function mayWrite_<name>(uid) {
            return isOwn_<name>(uid)
              <and counted>
              <and chosen>;
          }

          // Add your own conditions before a semicolon, such as && request.resource.data.keys().hasOnly([...]) for other fields, or
          // && exists(...) for the counter, a billed read. If you have a match for these documents, use the functions there, and delete
          // this one.
          match /<of>/{uid} {
            allow get: if isOwn_<name>(uid);
            allow create, update: if mayWrite_<name>(uid);
            allow delete: if isOwn_<name>(uid);
          }

          <totals>

          // Nothing else is allowed here: not the functions' own rollup_runs. Rules of the counters' own documents are your app's.
          """);

  private static final String IS_COUNTED =
      """
      // What is counted: a whole number. Some SDKs send 4 as 4.0.
      function isCounted_<name>(value) {
        return value >= <least>
          && value <= <most>
          && int(value) == value;
      }
      """;

  private static final String IS_CHOSEN =
      """
      // Whether a document counts, and for which total: only your servers say so. Absent in a new document, and else as it was.
      function isChosen_<name>(field) {
        return resource == null && request.resource.data.get(field, [].toSet()) == [].toSet()
          || resource != null && request.resource.data.get(field, [].toSet()) == resource.data.get(field, [].toSet());
      }
      """;

  private OwnRules() {}

  static Template of(Entry entry, EntryRules rules, RulesPath counters, RulesOptions options) {
    if (counters.isAnywhere()) {
      throw Names.refusal(
          entry + ".rules",
          "plain for counters under any parent; users make these documents, so name in \"of\" whose,"
              + " such as posts/{post}/likes",
          "own");
    }
    options.requireVariants(
        EnumSet.of(RulesOptions.Variant.LIST), "list or nothing with the rules own");
    return chosen(counted(ClientRules.whole(HEAD, BODY), entry, rules), entry, rules);
  }

  /** The fields of conditions and ids that clients may not set. */
  private static Template chosen(Template text, Entry entry, EntryRules rules) {
    List<FieldName> fields =
        entry.layout().choosing().stream()
            .filter(field -> !rules.set().contains(field))
            .sorted(Comparator.comparing(FieldName::toString))
            .toList();
    return text.with("is chosen", fields.isEmpty() ? "" : IS_CHOSEN)
        .with(
            "and chosen",
            fields.stream()
                .map(field -> "&& isChosen_<name>(%s)".formatted(RulesPath.list(field)))
                .collect(Collectors.joining("\n  ")));
  }

  /** Fills in the condition on the counted number, or on each document as it is. */
  private static Template counted(Template text, Entry entry, EntryRules rules) {
    Optional<FieldName> field = entry.layout().counted();
    if (field.isEmpty()) {
      return text.with("what it holds", "whatever it holds")
          .with("is counted", "")
          .with("and counted", "");
    }
    if (field.get().unnameable().isPresent()) {
      throw Names.refusal(
          entry + ".sum", "for rules names of letters, digits and _", field.get().toString());
    }
    EntryRules.Values values = rules.values().orElseThrow();
    return text.with(
            "what it holds",
            "whose field %s is a whole number from <least> to <most>".formatted(field.get()))
        .with("is counted", IS_COUNTED)
        .with(
            "and counted",
            "&& isCounted_<name>(request.resource.data.get(%s, null))"
                .formatted(RulesPath.list(field.get())))
        .with("least", Long.toString(values.least()))
        .with("most", Long.toString(values.most()));
  }
}
