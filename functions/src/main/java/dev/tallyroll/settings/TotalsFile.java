package dev.tallyroll.settings;

import com.google.common.base.Ascii;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An app's file of totals, {@code totals.json}: which totals there are. No other class reads it.
 *
 * <p>Each entry, by its name, has the keys of {@link #KEYS}. The text must be JSON without any
 * leniency. All mistakes are told at once, one a line, each with its entry and key, what was
 * expected and what was found.
 *
 * @param entries in the order of the file
 * @param rules which security rules are printed, by the names of the entries that have some
 */
public record TotalsFile(List<Entry> entries, Map<String, EntryRules> rules) {
  /** The file that stands for none: sharded counters, where Google's samples have them. */
  public static final String DEFAULT =
      """
      {"counters": {"of": "counters/{counter}/shards", "sum": "count", "rollups": "rollups"}}""";

  /** The keys of an entry. */
  static final List<String> KEYS =
      List.of(
          "of",
          "sum",
          "where",
          "document",
          "into",
          "rollups",
          "every",
          "hold",
          "precision",
          "events",
          "index",
          "rules");

  static final String SCHEMA = "$schema";
  static final String NAME = "[a-z][a-z0-9-]{0,19}";
  static final int MOST_ENTRIES = 20;

  /** A composite index has room for no more, beside the summed field. */
  private static final int MOST_CONDITIONS = 10;

  /** A field's name or path; Firestore keeps names such as __x__ for itself. */
  private static final String FIELD = "(?!(.*\\.)?__\\w*__(\\.|$))" + FieldName.PATTERN;

  /** Firestore indexes the first 1,500 bytes of a text. */
  private static final int MOST_TEXT = 1_500;

  /** An environment of a function has room for 32 kilobytes. */
  static final int MOST_BYTES = 24 * 1024;

  /** The name of the entry whose roll-ups are where the libraries read those of counters. */
  static final String COUNTERS = "counters";

  private static final String ANYWHERE = "{parent=**}/";
  private static final String SHARDS = "shards";
  private static final String ROLLUPS = "rollups";

  /** A trigger takes no other names. */
  private static final String PLAIN_NAME = "[\\w-]([\\w -]*[\\w-])?";

  private static final Duration LEAST_EVERY = Duration.ofMillis(100);
  private static final Duration LEAST_POLL = Duration.ofSeconds(1);
  private static final Duration MOST_HOLD = Duration.ofMinutes(4);
  private static final double PRECISION = 0.01;

  /** The reads of a sum that is paid each second: as much in a month as an instance. */
  private static final long MOST_READS = 30;

  /** Firestore bills a read for so many index entries that a sum has found. */
  private static final long ENTRIES_OF_A_READ = 1_000;

  /** Fields of a counter's own document that are the library's. */
  private static final Set<String> LIBRARYS = Set.of("num_shards", "numShards", "reset_id");

  /** Gives the timing of an entry. */
  @FunctionalInterface
  interface Timings {
    /**
     * Gives a timing.
     *
     * @param intoDocument whether totals are also in fields of the app's documents
     */
    Timing of(Duration every, Duration hold, double precision, boolean intoDocument);
  }

  /** Copies both. */
  public TotalsFile {
    entries = List.copyOf(entries);
    rules = Map.copyOf(rules);
  }

  /**
   * Reads the text of a file.
   *
   * @throws IllegalArgumentException if something is wrong; the message has a line for each mistake
   */
  public static TotalsFile parse(String text) {
    return parse(text, CommonSettings.timings(new Environment(name -> null)));
  }

  static TotalsFile parse(String text, Timings timings) {
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_BYTES) {
      throw new IllegalArgumentException(
          "expected at most %d bytes, as the functions have it in their environment; found %d"
              .formatted(MOST_BYTES, bytes));
    }
    return new Reading(timings).file(StrictJson.read(text));
  }

  /**
   * The text of a file, on one line.
   *
   * @throws IllegalArgumentException if it cannot be read, or something in it is wrong
   */
  public static String text(Path file) {
    try {
      String text = Files.readString(file);
      parse(text);
      return StrictJson.read(text).toString();
    } catch (NoSuchFileException missing) {
      throw new IllegalArgumentException(
          file + ": expected a file of totals; found no such file", missing);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "%s: expected a file of totals; found %s".formatted(file, unreadable), unreadable);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          String.valueOf(wrong.getMessage())
              .lines()
              .map(line -> file + ": " + line)
              .collect(Collectors.joining("\n")),
          wrong);
    }
  }

  /** Reads a whole file, and notes what is wrong. */
  private static final class Reading {
    private final Timings timings;
    private final List<String> mistakes = new ArrayList<>();
    private final Map<String, EntryRules> rules = new HashMap<>();

    Reading(Timings timings) {
      this.timings = timings;
    }

    TotalsFile file(JsonElement json) {
      if (!json.isJsonObject()) {
        throw new IllegalArgumentException(
            "expected an object with an entry for each kind of total; found " + shown(json));
      }
      List<Entry> entries = new ArrayList<>();
      Map<String, JsonElement> named = new LinkedHashMap<>(json.getAsJsonObject().asMap());
      named.remove(SCHEMA);
      if (named.isEmpty() || named.size() > MOST_ENTRIES) {
        mistakes.add("expected 1 to %d entries; found %d".formatted(MOST_ENTRIES, named.size()));
      }
      named.forEach((name, entry) -> entry(name, entry).ifPresent(entries::add));
      for (int i = 0; i < entries.size(); i++) {
        for (int j = 0; j < i; j++) {
          mistakes.addAll(Meeting.mistakes(entries.get(i), entries.get(j)));
        }
      }
      Meeting.circle(entries).ifPresent(mistakes::add);
      if (!mistakes.isEmpty()) {
        throw new IllegalArgumentException(String.join("\n", mistakes));
      }
      return new TotalsFile(entries, rules);
    }

    private Optional<Entry> entry(String name, JsonElement json) {
      int before = mistakes.size();
      if (!name.matches(NAME)) {
        mistakes.add(
            "%s: expected a name of a small letter, then small letters, digits and dashes, at most 20 in all; found '%s'"
                .formatted(name, name));
      }
      if (!json.isJsonObject()) {
        mistakes.add(
            "%s: expected an object such as {\"of\": \"posts/{post}/likes\"}; found %s"
                .formatted(name, shown(json)));
        return Optional.empty();
      }
      EntryReading reading = new EntryReading(name, json.getAsJsonObject(), mistakes);
      Optional<Entry> entry = reading.entry(timings);
      reading.rules(entry.map(Entry::layout)).ifPresent(found -> rules.put(name, found));
      return mistakes.size() == before ? entry : Optional.empty();
    }
  }

  /** Reads an entry, and notes what is wrong. */
  private static final class EntryReading {
    private final String name;
    private final JsonObject json;
    private final List<String> mistakes;

    EntryReading(String name, JsonObject json, List<String> mistakes) {
      this.name = name;
      this.json = json;
      this.mistakes = mistakes;
    }

    private void wrong(String key, String expected, String found) {
      mistakes.add("%s.%s: expected %s; found %s".formatted(name, key, expected, found));
    }

    private void wrong(String key, String expected) {
      wrong(key, expected, json.has(key) ? shown(json.get(key)) : "nothing");
    }

    Optional<Entry> entry(Timings timings) {
      json.keySet().stream()
          .filter(key -> !KEYS.contains(key))
          .forEach(
              key -> wrong(key, "one of the keys " + String.join(", ", KEYS), "'" + key + "'"));
      Optional<FieldName> sum =
          text("sum", "a field's name or path, such as \"stars\"").flatMap(this::sum);
      Map<Figure, FieldName> fields = into(sum.isPresent() || json.has("sum"));
      boolean events = flag("events");
      Conditions where = where();
      Optional<Layout> layout = of().flatMap(of -> layout(of, sum, where));
      Duration every =
          duration(
              "every",
              events ? LEAST_EVERY : LEAST_POLL,
              RunSettings.SCHEDULE,
              Duration.ofSeconds(1));
      Duration hold = duration("hold", every, MOST_HOLD, Duration.ZERO);
      double precision = precision();
      boolean indexed = flag("index");
      if (!indexed && !json.has("sum")) {
        wrong("index", "true without \"sum\", as then no field is read");
      }
      if (!events && layout.filter(found -> found.owners().contains("{")).isPresent()) {
        wrong(
            "events",
            "true, as \"of\" has a variable before its last one: without events, all documents are looked for in one collection");
      }
      if (!events && layout.filter(found -> !found.documentFields().isEmpty()).isPresent()) {
        wrong("events", "true, as \"document\" has a field: no list says which documents it names");
      }
      return layout.map(
          found ->
              new Entry(
                  name,
                  found,
                  fields,
                  indexed ? SumMode.AGGREGATE : SumMode.DOCUMENTS,
                  events,
                  timings.of(every, hold, precision, !fields.isEmpty()).withMost(most(indexed))));
    }

    /** More documents are summed once a minute, unless the entry says how often. */
    private long most(boolean indexed) {
      return json.has("every")
          ? Long.MAX_VALUE
          : indexed ? MOST_READS * ENTRIES_OF_A_READ : MOST_READS;
    }

    /** The pattern, if it is one of a collection. */
    private Optional<String> of() {
      String expected = "the path of a collection, such as \"posts/{post}/likes\"";
      if (!json.has("of")) {
        wrong("of", expected);
        return Optional.empty();
      }
      return text("of", expected).filter(of -> isCollection(of, expected));
    }

    private boolean isCollection(String of, String expected) {
      String plain = of.startsWith(ANYWHERE) ? of.substring(ANYWHERE.length()) : of;
      List<String> parts = List.of(plain.split("/", -1));
      String end = parts.get(parts.size() - 1);
      if (of.startsWith("/") || of.endsWith("/")) {
        wrong("of", expected + ", without a slash at either end");
        return false;
      }
      if (parts.size() % 2 == 0) {
        boolean isVariable = end.startsWith("{");
        wrong(
            "of",
            isVariable && parts.size() > 1
                ? "a collection, so without '/%s' at its end".formatted(end)
                : "the path of a collection, which has a name behind each document");
        return false;
      }
      if (parts.size() == 1 && of.startsWith(ANYWHERE)) {
        wrong("of", expected + ", with a document before its last name");
        return false;
      }
      if (parts.size() == 1 && !json.has("document")) {
        wrong(
            "document",
            "the document that the total is of, such as \"stats/app\", as \"of\" is at the root");
        return false;
      }
      return hasSoundParts("of", of, expected);
    }

    private boolean hasSoundParts(String key, String path, String expected) {
      PathPattern pattern =
          PathPattern.of(path.startsWith(ANYWHERE) ? path.substring(ANYWHERE.length()) : path);
      Optional<String> odd =
          pattern.parts().stream()
              .filter(part -> !part.matches("\\{\\w+}"))
              .filter(part -> !part.matches(PLAIN_NAME))
              .findFirst();
      if (odd.isPresent()) {
        wrong(
            key,
            "names of A-Z, a-z, 0-9, _ and -, as a trigger takes no others, and variables such as {post}",
            "'" + odd.get() + "' in '" + path + "'");
        return false;
      }
      try {
        if (pattern.isSound(key)) {
          return true;
        }
      } catch (IllegalArgumentException reserved) {
        wrong(key, "names that Firestore takes (" + reserved.getMessage() + ")");
        return false;
      }
      wrong(key, expected + ", with variables for documents only, and each variable once");
      return false;
    }

    /** Whether a pattern, which is none of the documents above, is one of documents. */
    private boolean isDocument(String path, String of) {
      String expected = "the path of a document, such as \"profiles/{user}\"";
      if (of.startsWith(ANYWHERE)) {
        wrong("document", "nothing, as \"of\" is below any document");
        return false;
      }
      PathPattern pattern = PathPattern.of(path);
      if (pattern.parts().size() % 2 != 0) {
        wrong("document", expected + ", which has an id behind each collection");
        return false;
      }
      if (!hasSoundParts("document", path, expected)) {
        return false;
      }
      Set<String> missing = new TreeSet<>(PathPattern.of(of).variables());
      missing.removeAll(pattern.variables());
      if (!missing.isEmpty()) {
        wrong("document", "all variables of \"of\", also " + String.join(" and ", missing));
        return false;
      }
      return true;
    }

    private Optional<Layout> layout(String of, Optional<FieldName> sum, Conditions where) {
      String shards = of.substring(of.lastIndexOf('/') + 1);
      String above = of.substring(0, Math.max(0, of.lastIndexOf('/')));
      Optional<String> document =
          json.has("document")
              ? text("document", "a document's path, such as \"" + above + "\"")
                  .filter(path -> path.equals(above) || isDocument(path, of))
              : Optional.of(above);
      Optional<String> rollups =
          text("rollups", "the name of a collection").filter(this::isRollups);
      if (shards.equals(SHARDS) && !name.equals(COUNTERS) && !json.has("rollups")) {
        wrong(
            "rollups",
            "\"rollups\", where the libraries read the totals of counters, or another collection, as \"of\" ends in 'shards'");
      }
      String otherwise = name.equals(COUNTERS) ? ROLLUPS : name + "_rollups";
      if (document.isEmpty()) {
        return Optional.empty();
      }
      try {
        Layout layout =
            new Layout(
                of,
                document.get(),
                rollups.orElse(otherwise),
                sum.map(FieldName::toString).orElse(""),
                where);
        return hasSoundIds(layout) ? Optional.of(layout) : Optional.empty();
      } catch (IllegalArgumentException refused) {
        mistakes.add(name + ": " + refused.getMessage());
        return Optional.empty();
      }
    }

    /** Whether the fields that ids come from are fields of the app's, without a condition. */
    private boolean hasSoundIds(Layout layout) {
      Set<FieldName> fields = Set.copyOf(layout.documentFields().values());
      Optional<FieldName> reserved =
          fields.stream().filter(field -> !field.toString().matches(FIELD)).findFirst();
      if (reserved.isPresent()) {
        wrong("document", "fields other than __.*__ as variables", "'" + reserved.get() + "'");
        return false;
      }
      Optional<FieldName> both =
          layout.where().all().keySet().stream().filter(field -> field.meets(fields)).findFirst();
      both.ifPresent(
          field ->
              wrong("where", "no field that \"document\" takes an id from", "'" + field + "'"));
      return both.isEmpty();
    }

    private Conditions where() {
      String expected =
          "fields or their paths, each with a text, a number, true, false or null, such as {\"state\": \"published\"}";
      JsonElement found = json.get("where");
      if (found == null) {
        return Conditions.NONE;
      }
      boolean isObject = found.isJsonObject();
      if (!isObject
          || found.getAsJsonObject().isEmpty()
          || found.getAsJsonObject().size() > MOST_CONDITIONS) {
        wrong("where", "an object of 1 to %d %s".formatted(MOST_CONDITIONS, expected));
        return Conditions.NONE;
      }
      Map<FieldName, Optional<Object>> all = new HashMap<>();
      for (var each : found.getAsJsonObject().entrySet()) {
        String key = "where." + each.getKey();
        Optional<Object> value = value(each.getValue());
        if (!each.getKey().matches(FIELD) || (value.isEmpty() && !each.getValue().isJsonNull())) {
          wrong(key, expected, shown(each.getValue()));
          continue;
        }
        FieldName field = FieldName.parse(each.getKey());
        if (field.meets(all.keySet())) {
          wrong(key, "a field that is not on the way to another, or inside", "'" + field + "'");
          continue;
        }
        all.put(field, value);
      }
      return new Conditions(all);
    }

    /** A value of a condition; empty for null, and for what cannot be one. */
    private static Optional<Object> value(JsonElement json) {
      if (!json.isJsonPrimitive()) {
        return Optional.empty();
      }
      JsonPrimitive value = json.getAsJsonPrimitive();
      if (value.isBoolean()) {
        return Optional.of(value.getAsBoolean());
      }
      if (value.isString()) {
        String text = value.getAsString();
        boolean fits = text.getBytes(StandardCharsets.UTF_8).length <= MOST_TEXT;
        return fits && StandardCharsets.UTF_8.newEncoder().canEncode(text)
            ? Optional.of(text)
            : Optional.empty();
      }
      BigDecimal number = value.getAsBigDecimal();
      boolean isWhole = value.getAsString().matches("-?[0-9]+");
      if (isWhole && number.toBigInteger().bitLength() < Long.SIZE) {
        return Optional.of(number.longValueExact());
      }
      double fraction = number.doubleValue();
      return Double.isFinite(fraction) ? Optional.of(fraction) : Optional.empty();
    }

    private boolean isRollups(String collection) {
      if (collection.matches(PLAIN_NAME)
          && !collection.matches("__.*__")
          && !collection.equals(Layout.INCREMENT_NAMES)) {
        return true;
      }
      wrong(
          "rollups",
          "the name of a collection, of letters, digits, _ and -, other than "
              + Layout.INCREMENT_NAMES);
      return false;
    }

    private Optional<FieldName> sum(String path) {
      if (path.matches(FieldName.PATTERN)) {
        return Optional.of(FieldName.parse(path));
      }
      wrong("sum", "a field's name or path, such as \"stars\" or \"review.stars\"");
      return Optional.empty();
    }

    private Map<Figure, FieldName> into(boolean sums) {
      Map<Figure, FieldName> fields = new EnumMap<>(Figure.class);
      String example =
          sums ? "{\"average\": \"rating\", \"count\": \"ratings\"}" : "{\"count\": \"likes\"}";
      JsonElement into = json.get("into");
      if (into == null) {
        return fields;
      }
      if (!into.isJsonObject()) {
        wrong(
            "into",
            "an object that names a field for each figure, such as "
                + (isText(into) && !sums ? "{\"count\": %s}".formatted(into) : example));
        return fields;
      }
      into.getAsJsonObject()
          .asMap()
          .forEach(
              (word, field) ->
                  figure(word, field, sums, example)
                      .ifPresent(figure -> field(figure, field, fields)));
      if (into.getAsJsonObject().isEmpty()) {
        wrong("into", "at least one figure, such as " + example);
      }
      return fields;
    }

    private Optional<Figure> figure(String word, JsonElement field, boolean sums, String example) {
      Optional<Figure> figure = named(word, Figure.values());
      if (figure.isEmpty()) {
        boolean isReversed =
            isText(field) && named(field.getAsString(), Figure.values()).isPresent();
        wrong(
            "into",
            isReversed
                ? "the figure before the field: {\"%s\": \"%s\"}"
                    .formatted(field.getAsString(), word)
                : "sum, count or average, each with the name of a field, such as " + example,
            "'" + word + "'");
        return figure;
      }
      if (!sums && figure.get() != Figure.COUNT) {
        wrong("into", "count alone without \"sum\", as each document counts one", "'" + word + "'");
        return Optional.empty();
      }
      return figure;
    }

    private void field(Figure figure, JsonElement json, Map<Figure, FieldName> fields) {
      String key = "into." + word(figure);
      String path = isText(json) ? json.getAsString() : "";
      boolean isField = path.matches(FIELD) && !LIBRARYS.contains(FieldName.parse(path).first());
      if (!isField) {
        wrong(
            key,
            "a field's name or path, such as \"likes\" or \"stats.likes\", other than num_shards, reset_id and __.*__",
            shown(json));
        return;
      }
      FieldName field = FieldName.parse(path);
      Set<FieldName> others = new HashSet<>(fields.values());
      if (field.meets(others)) {
        wrong(
            key,
            "a field other than "
                + others.stream().map(FieldName::toString).sorted().toList()
                + ", and not on the way to it or inside",
            shown(json));
        return;
      }
      fields.put(figure, field);
    }

    private Duration duration(String key, Duration least, Duration most, Duration otherwise) {
      if (!json.has(key)) {
        return otherwise;
      }
      String expected =
          "a duration from %s to %s in double quotes, such as \"PT5S\" for five seconds"
              .formatted(least, most);
      Duration found = text(key, expected).flatMap(TotalsFile::parsedDuration).orElse(null);
      if (found == null || found.compareTo(least) < 0 || found.compareTo(most) > 0) {
        if (isText(json.get(key))) {
          wrong(key, expected);
        }
        return otherwise;
      }
      return found;
    }

    private double precision() {
      if (!json.has("precision")) {
        return PRECISION;
      }
      JsonElement found = json.get("precision");
      boolean isNumber = found.isJsonPrimitive() && found.getAsJsonPrimitive().isNumber();
      double value = isNumber ? found.getAsDouble() : -1;
      if (value < 0 || value >= 1) {
        wrong("precision", "a part of the total, from 0 to below 1, such as 0.01");
        return PRECISION;
      }
      if (!json.has("hold")) {
        wrong("precision", "nothing without \"hold\", which it belongs to");
      }
      return value;
    }

    private boolean flag(String key) {
      JsonElement found = json.get(key);
      if (found == null) {
        return true;
      }
      if (!found.isJsonPrimitive() || !found.getAsJsonPrimitive().isBoolean()) {
        wrong(
            key,
            isText(found) && found.getAsString().matches("true|false")
                ? found.getAsString() + " without quotes"
                : "true or false");
        return true;
      }
      return found.getAsBoolean();
    }

    /**
     * Which rules are printed for it.
     *
     * @param layout empty if it is wrong
     */
    Optional<EntryRules> rules(Optional<Layout> layout) {
      boolean isBelow = layout.filter(entry -> !entry.isBelow()).isEmpty();
      JsonElement found = json.get("rules");
      if (found == null) {
        boolean isSharded =
            isBelow
                && isText(json.get("of"))
                && json.get("of").getAsString().endsWith("/" + SHARDS);
        return isSharded
            ? Optional.of(new EntryRules(EntryRules.RulesKind.PLAIN, Optional.empty()))
            : Optional.empty();
      }
      Optional<JsonObject> object =
          found.isJsonObject() ? Optional.of(found.getAsJsonObject()) : Optional.empty();
      JsonElement word = object.map(rules -> rules.get("kind")).orElse(found);
      Optional<EntryRules.RulesKind> kind =
          isText(word)
              ? named(word.getAsString(), EntryRules.RulesKind.values())
              : Optional.empty();
      Set<String> others = new HashSet<>(object.map(JsonObject::keySet).orElse(Set.of()));
      others.removeAll(Set.of("kind", "values", "set"));
      if (kind.isEmpty() || !others.isEmpty()) {
        wrong(
            "rules", "\"plain\", \"strict\", \"own\", or {\"kind\": \"own\", \"values\": [1, 5]}");
        return Optional.empty();
      }
      Optional<EntryRules.Values> values =
          object.map(rules -> rules.get("values")).flatMap(this::values);
      boolean isOwn = kind.get() == EntryRules.RulesKind.OWN;
      boolean needsValues = isOwn && json.has("sum");
      boolean hasValues = object.filter(rules -> rules.has("values")).isPresent();
      if (hasValues != needsValues) {
        wrong(
            "rules",
            needsValues
                ? "the least and the most of \"sum\", such as {\"kind\": \"own\", \"values\": [1, 5]}"
                : "no \"values\" but with \"own\" and \"sum\"");
      }
      if (!isOwn && !isBelow) {
        wrong(
            "rules",
            "no \"document\" beside plain and strict rules, as shards that clients increment are below the document that their total is of");
      }
      if (!isOwn && !json.has("sum")) {
        wrong(
            "rules", "\"own\" without \"sum\", as each document counts one: no client increments");
      }
      boolean isOfMany =
          layout.filter(entry -> entry.owners().isEmpty() && entry.only().isEmpty()).isPresent();
      if (isOwn && isOfMany) {
        wrong(
            "rules",
            "none with \"of\" at the root, as each user would have one document there, for whatever \"document\" it names");
      }
      return Optional.of(
          new EntryRules(
              kind.get(), values, set(object.map(rules -> rules.get("set")), isOwn, layout)));
    }

    /** The fields that clients may set, of those that say whether a document counts. */
    private Set<FieldName> set(Optional<JsonElement> json, boolean isOwn, Optional<Layout> layout) {
      if (json.isEmpty()) {
        return Set.of();
      }
      Set<FieldName> choosing = layout.map(Layout::choosing).orElse(Set.of());
      Set<FieldName> set = new HashSet<>();
      if (json.get() instanceof JsonArray list && isOwn && !list.isEmpty()) {
        list.forEach(
            name ->
                choosing.stream()
                    .filter(field -> isText(name) && field.toString().equals(name.getAsString()))
                    .forEach(set::add));
        if (set.size() == list.size()) {
          return set;
        }
      }
      wrong(
          "rules.set",
          "with \"own\", a list of fields of \"where\" and \"document\", some of "
              + choosing.stream().map(FieldName::toString).sorted().toList(),
          shown(json.get()));
      return Set.of();
    }

    private Optional<EntryRules.Values> values(JsonElement json) {
      if (json instanceof JsonArray range && range.size() == 2) {
        Optional<Long> least = whole(range.get(0));
        Optional<Long> most = whole(range.get(1));
        if (least.isPresent() && most.isPresent() && least.get() <= most.get()) {
          return Optional.of(new EntryRules.Values(least.get(), most.get()));
        }
      }
      wrong(
          "rules.values",
          "the least and the most, two integers of at most 15 digits, such as [1, 5]",
          shown(json));
      return Optional.empty();
    }

    private Optional<String> text(String key, String expected) {
      JsonElement found = json.get(key);
      if (found == null) {
        return Optional.empty();
      }
      if (!isText(found)) {
        wrong(key, expected);
        return Optional.empty();
      }
      return Optional.of(found.getAsString());
    }
  }

  private static Optional<Long> whole(JsonElement json) {
    return json.isJsonPrimitive()
            && json.getAsJsonPrimitive().isNumber()
            && json.getAsString().matches("0|-?[1-9][0-9]{0,14}")
        ? Optional.of(new BigDecimal(json.getAsString()).longValueExact())
        : Optional.empty();
  }

  private static Optional<Duration> parsedDuration(String text) {
    try {
      return Optional.of(Duration.parse(text));
    } catch (DateTimeParseException malformed) {
      return Optional.empty();
    }
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  private static <T extends Enum<T>> Optional<T> named(String word, T[] choices) {
    return Stream.of(choices).filter(choice -> word(choice).equals(word)).findFirst();
  }

  private static boolean isText(@Nullable JsonElement json) {
    return json instanceof JsonPrimitive value && value.isString();
  }

  /** A value as it is in a message: not all of a long one. */
  private static String shown(JsonElement json) {
    String text = isText(json) ? "'" + json.getAsString() + "'" : json.toString();
    return Ascii.truncate(text, 200, "...");
  }
}
