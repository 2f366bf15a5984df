package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.EntryRules;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The security rules for clients, by a deployment's settings; and what all of them have. */
public final class ClientRules {
  private static final String VERSION = "rules_version = '2';\n\n";

  private static final String START =
      """
      service cloud.firestore {
        match /databases/{database}/documents {
      """;

  private static final String END =
      """
        }
      }
      """;

  private static final Template WHOLE =
      new Template(VERSION + "<head>\n\n" + START + "\n    <body>\n" + END);

  private static final Template TOTALS =
      new Template(
          """
          // Totals are public, <as many>
          match /<rollups>/{counter} {
            // Clients may listen to a total that does not exist yet.
            allow get: if <open>resource == null;
            <further fields>
            allow get: if <open><is its own>
              <and no further field>;
            <skipped>
            allow list: if <a few>;
          }
          """);

  private static final Template KEEPS =
      new Template(
          """
          // End your own rule of a counter's document with && keepsTotal_<name>(): only the functions write <fields>.
          function keepsTotal_<name>() {
            return request.method == 'delete' || <kept>;
          }

          // Absent or 0 in a new document, and else as it was: absent, too, which no value of a document equals.
          function keeps_<name>(field) {
            return resource == null && request.resource.data.get(field, 0) == 0
              || request.resource.data.get(field, [].toSet()) == resource.data.get(field, [].toSet());
          }

          <is map>
          """);

  private static final String IS_MAP =
      """
      // What is on the way to a field: a map or absent, or as it was.
      function isMap_<name>(field) {
        return request.resource.data.get(field, {}) is map
          || request.resource.data.get(field, {}) == resource.data.get(field, {});
      }
      """;

  private ClientRules() {}

  /**
   * The text of the rules for a deployment's fold, or for all of its entries that have some.
   *
   * @throws IllegalArgumentException if there are none for these options with these settings; the
   *     message names what was expected and what was found
   */
  public static String of(OperatorSettings settings, RulesOptions options) {
    return settings
        .fold()
        .map(fold -> of(fold.layout(), fold.fields(), options))
        .orElseGet(() -> of(settings.totals().orElseThrow(), options));
  }

  private static String of(Settings totals, RulesOptions options) {
    List<Entry> entries = entries(totals, options);
    return merged(
        entries.stream()
            .map(
                entry ->
                    of(entry, totals.rules(entry).orElseThrow(() -> withoutRules(entry)), options))
            .toList());
  }

  private static IllegalArgumentException withoutRules(Entry entry) {
    return new IllegalArgumentException(
        "%s.rules: expected which rules to print, in the file of totals: \"rules\": %s; found nothing"
            .formatted(
                entry,
                entry.layout().counted().isEmpty()
                    ? "\"own\""
                    : "{\"kind\": \"own\", \"values\": [1, 5]}, \"plain\" or \"strict\""));
  }

  /** The entries that are asked for: the one that is named, or all that have rules. */
  private static List<Entry> entries(Settings totals, RulesOptions options) {
    List<Entry> all = totals.entries();
    if (options.entry().isEmpty()) {
      List<Entry> with = all.stream().filter(entry -> totals.rules(entry).isPresent()).toList();
      return with.isEmpty() ? all : with;
    }
    String found = options.entry().get();
    List<Entry> named = all.stream().filter(entry -> entry.name().equals(found)).toList();
    if (named.isEmpty()) {
      throw Names.refusal(RulesOptions.ENTRY, "the entry, one of " + all, found);
    }
    return named;
  }

  /** One file of several: what they say of themselves once, and each one's rules. */
  private static String merged(List<String> files) {
    String head =
        files.stream()
            .map(file -> file.substring(VERSION.length(), file.indexOf(START)))
            .distinct()
            .collect(Collectors.joining());
    String body =
        files.stream()
            .map(
                file ->
                    file.substring(
                        file.indexOf(START) + START.length(), file.length() - END.length()))
            .collect(Collectors.joining("\n"));
    return VERSION + head + START + body + END;
  }

  /**
   * The text of the rules for counters.
   *
   * @throws IllegalArgumentException as above
   */
  public static String of(Entry entry, EntryRules kind, RulesOptions options) {
    Layout layout = entry.layout();
    Map<Figure, FieldName> fields = entry.fields();
    options.requireNumShardsBeside(fields.values());
    RulesPath of = RulesPath.of(entry + ".of", layout.of());
    RulesPath counters = RulesPath.of(entry + ".document", layout.counters());
    Template rules =
        kind.kind() == EntryRules.RulesKind.OWN
            ? OwnRules.of(entry, kind, counters, options)
            : CounterRules.of(entry, kind, counters, options);
    RulesPath rollups = counters.beside(RulesPath.name(entry + ".rollups", layout.rollups()));
    return rules
        .with("keeps", keeps(fields))
        .with("totals", totals(counters, options).text())
        .with("of", of.pattern())
        .with("counters", counters.pattern())
        .with("counters path", counters.path())
        .with("shards", layout.shards())
        .with("rollups", rollups.pattern())
        .with("name", name(entry.name()))
        .filled();
  }

  /**
   * The text of the rules for documents that are folded.
   *
   * @param fields that clients may count, at least one
   * @throws IllegalArgumentException as above
   */
  public static String of(FoldLayout layout, Collection<FieldName> fields, RulesOptions options) {
    return FoldRules.of(layout, fields, options)
        .with("shards", layout.shards())
        .with("name", name(layout.deployment()))
        .filled();
  }

  /**
   * Each function ends with the name of the entry, or of the fold, so that none meets an app's, or
   * another's.
   */
  private static String name(String own) {
    return own.replace('-', '_');
  }

  /**
   * A whole file.
   *
   * @param head what these rules are, as comments
   */
  static Template whole(Template head, Template body) {
    return WHOLE.with("head", head.text()).with("body", body.text());
  }

  private static Template totals(RulesPath counters, RulesOptions options) {
    boolean lists = options.has(RulesOptions.Variant.LIST);
    boolean more = options.has(RulesOptions.Variant.MORE);
    return TOTALS
        .with(
            "as many",
            lists
                ? """
                up to 100 at a time, and so is every document here, whoever wrote it: a query is judged by
                // its limit and filters, not by what it finds. Only the functions write totals."""
                : """
                one at a time; what does not carry its own counter's path is not a total. Only the functions
                // write them.""")
        .with("further fields", more, "// With the fields that your servers have added.")
        .with(
            "and no further field",
            !more,
            "&& resource.data.keys().hasOnly(%s)"
                .formatted(RulesPath.list(RollupFields.OURS.stream())))
        .with("skipped", lists, "// Documents that an offset skips are billed, too.")
        .with(
            "a few",
            lists ? "request.query.limit <= 100 && request.query.get('offset', 0) == 0" : "false")
        .with("open", counters.isAnywhere(), "mayCount_<name>(string(parent)) && ")
        .with(
            "is its own",
            counters.isAnywhere()
                ? "('/' + resource.data.counter).replace('.*/%s/', '') == counter"
                    .formatted(counters.last())
                : "resource.data.counter == '%s/' + counter".formatted(counters.text()));
  }

  /** The condition for an app's own rule of counters' documents; nothing if no field is ours. */
  private static String keeps(Map<Figure, FieldName> fields) {
    List<FieldName> all =
        Stream.of(Figure.values()).map(fields::get).filter(Objects::nonNull).toList();
    if (all.isEmpty()) {
      return "";
    }
    Set<FieldName> maps =
        all.stream()
            .flatMap(ClientRules::around)
            .collect(Collectors.toCollection(LinkedHashSet::new));
    List<String> kept = new ArrayList<>();
    all.forEach(field -> kept.add("keeps_<name>(" + RulesPath.list(field) + ")"));
    maps.forEach(map -> kept.add("isMap_<name>(" + RulesPath.list(map) + ")"));
    return KEEPS
        .with("fields", all.stream().map(FieldName::toString).collect(Collectors.joining(", ")))
        .with("kept", String.join("\n    && ", kept))
        .with("is map", !maps.isEmpty(), IS_MAP)
        .text();
  }

  /** The maps that a field is in, the innermost first. */
  private static Stream<FieldName> around(FieldName field) {
    List<String> names = field.names();
    return Stream.iterate(names.size() - 1, size -> size > 0, size -> size - 1)
        .map(size -> new FieldName(names.subList(0, size)));
  }
}
