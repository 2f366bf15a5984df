package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Iterables;
import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.deploy.RulesCases.Place;
import dev.tallyroll.local.LocalCloudException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The security rules on the official emulator: honest calls, attacks, and rules with a hole. */
class RulesIT {

  private static final Place STRICT = Place.with("RULES=strict");
  private static final Place ONCE = Place.with("RULES=strict RULES_VARIANTS=once");

  private static final Place ANYWHERE = Place.with("COUNTERS={parent=**}/counters POLLED=");

  /** The places whose rules have lines of their own. */
  private static final List<Place> MAIN =
      List.of(
          apart("RULES=plain"),
          apart("RULES=plain RULES_VARIANTS=down"),
          apart("RULES=plain RULES_VARIANTS=list"),
          ANYWHERE.in("rooms/r1/").changed("mayCount"),
          apart("RULES=strict"),
          apart("RULES=strict RULES_VARIANTS=once"));

  /** Those whose lines for polled counters are their own. */
  private static final List<Place> POLLED =
      Stream.of(
              "RULES=plain",
              "RULES=plain RULES_VARIANTS=list",
              "RULES=strict",
              "RULES=strict RULES_VARIANTS=once")
          .map(rules -> apart(rules).polled("a/b/", "hot"))
          .toList();

  /** Those to which a match is pasted. */
  private static final List<Place> ROOMS =
      List.of(
          Place.with("RULES=plain").in("rooms/r1/").changed("rooms"),
          STRICT.in("rooms/r1/").changed("rooms"));

  private static final List<Place> FURTHER =
      List.of(
          Place.with("RULES=strict RULES_VARIANTS=once,down,list"),
          Place.with("RULES=plain RULES_VARIANTS=more"),
          Place.with("RULES=strict RULES_VARIANTS=more"),
          ANYWHERE,
          ANYWHERE.in("rooms/r1/"),
          Place.with("RULES=plain").changed("rooms"),
          STRICT.changed("rooms"),
          ANYWHERE.in("rooms/r1/days/d/").changed("mayCount"),
          nested("RULES=plain"),
          nested("RULES=strict"),
          nested("RULES=strict RULES_VARIANTS=once"),
          STRICT,
          ONCE,
          Place.with("RULES=plain").polled("", "polled_counters"),
          STRICT.polled("", "polled_counters"),
          ONCE.polled("", "polled_counters"),
          Place.with("COUNTERS={parent=**}/counters").polled("", "polled_counters"),
          nested("RULES=strict").polled("", "polled_counters"),
          nested("RULES=plain", "POLLED=").polled("", "polled_counters"));

  /** Words of the rules' language, of JavaScript, and of our own rules. */
  private static final String WORDS =
      """
      allow break case continue default do duration each else extends false for function goto \
      hashing if import in is latlng let match math not null package request resource return \
      rules_version service switch timestamp true var while \
      after before counter data database get parent pass path rested shard spent uid \
      room user_id a1 polled""";

  private static final String OFFSET = ",\"offset\":";

  private static final long A_SECOND = 1_000_000_000;
  private static final int MOST_TRIES = 20;

  private static final RulesEmulator EMULATOR = RulesEmulator.SHARED;

  /** With the totals of polled counters elsewhere, so that each match is needed. */
  private static Place apart(String rules) {
    return Place.with(rules + " POLLED=a/b/hot");
  }

  /** Under other names, too. */
  private static Place nested(String... rules) {
    String names =
        "COUNTERS=rooms/{room}/tallies SHARDS_COLLECTION=parts ROLLUPS_COLLECTION=totals"
            + " COUNT_FIELD=Cnt ";
    return new Place(
        names + String.join(" ", rules), "", "rooms/r1/", "tallies", "parts", "totals", "Cnt");
  }

  static Stream<Place> places() {
    return Stream.of(MAIN, POLLED, ROOMS, FURTHER).flatMap(List::stream);
  }

  @ParameterizedTest
  @MethodSource("places")
  void rules_allowWhatTheyShouldAndNothingElse(Place place) {
    RulesEmulator.Loaded loaded = EMULATOR.load(RulesCases.besideAnApp(place.rules()));

    assertThat(wrong(loaded.project(), RulesCases.at(place))).isEmpty();
    boolean toFillIn = place.is("anywhere") && !place.is("mayCount");
    assertThat(loaded.issues())
        .isEqualTo(toFillIn ? List.of("Unused variable: parent.") : List.of());
  }

  /** The cases that another answer meets, each played when it is asked for. */
  private static Stream<Case> wrong(String project, List<Case> cases) {
    return IntStream.range(0, cases.size())
        .filter(run -> !cases.get(run).holds(EMULATOR, project, run))
        .mapToObj(cases::get);
  }

  /** A condition that no case misses is either superfluous or untested. */
  @Test
  void rules_needEachCondition() {
    Map<String, Set<String>> telling = new HashMap<>();
    List<String> survivors = new ArrayList<>();
    for (Place place : Iterables.concat(MAIN, POLLED, ROOMS)) {
      for (RulesMutants.Mutant mutant : mutants(place)) {
        // The cases that noticed the same change elsewhere come first.
        Set<String> first = telling.computeIfAbsent(mutant.line(), line -> new HashSet<>());
        List<Case> cases = RulesCases.at(place);
        cases.sort(Comparator.comparing(tried -> !first.contains(tried.name())));
        wrong(EMULATOR.load(RulesCases.besideAnApp(mutant.rules())).project(), cases)
            .findFirst()
            .ifPresentOrElse(
                found -> first.add(found.name()),
                () -> survivors.add(place.options() + ": " + mutant.line()));
      }
    }

    // With a list of integers for the steps, no double is a step.
    assertThat(survivors)
        .containsExactly(
            apart("RULES=plain RULES_VARIANTS=down").options()
                + ": && before.count is int -> && true",
            apart("RULES=plain RULES_VARIANTS=down").options()
                + ": && after.count is int -> && true");
  }

  private static List<RulesMutants.Mutant> mutants(Place place) {
    if (place.is("rooms")) {
      return mutants(place.rooms(), changed -> RulesCases.beside(changed, place.printed()));
    }
    String rules = place.rules();
    int polled = rules.contains("// POLLED:") ? rules.indexOf("// POLLED:") : rules.length();
    String own = place.is("polled") ? rules.substring(polled) : rules.substring(0, polled);
    return mutants(own, changed -> rules.replace(own, changed));
  }

  private static List<RulesMutants.Mutant> mutants(String part, UnaryOperator<String> whole) {
    return RulesMutants.of(part).stream()
        .map(it -> new RulesMutants.Mutant(it.line(), whole.apply(it.rules())))
        .toList();
  }

  /** A pass that is a moment old. The try does not count if the moment was a second. */
  @Test
  void strictRules_makeAClientRestForASecond() {
    Case atOnce = RulesCases.atOnce(STRICT);
    String project = EMULATOR.load(STRICT.rules()).project();

    int tries = 0;
    boolean denied;
    long start;
    do {
      start = System.nanoTime();
      denied = atOnce.holds(EMULATOR, project, tries++);
    } while (!denied && System.nanoTime() - start >= A_SECOND && tries < MOST_TRIES);

    assertThat(denied).isTrue();
  }

  /** Posts with their likes: the app's own rule lets users write them, but not the total. */
  @ParameterizedTest
  @CsvSource({"likes, title", "stats.likes, stats.views"})
  void totalField_isTheFunctionsAlone(String total, String other) {
    String own = "match /posts/{post} { allow write: if keepsTotal(); }\n";
    String rules = Place.with("TOTAL_FIELD=" + total).rules();
    String project =
        EMULATOR.load(rules.replaceFirst("(?m)^ *// Totals are public", own + "$0")).project();
    String post = Call.set("posts/p", nested(total, 5) + "," + nested("title", 1));
    String without = nested("title", 2);

    assertThat(allows(project, post, "u")).isFalse();
    assertThat(allows(project, post, Case.OWNER)).isTrue();
    assertThat(allows(project, changed(other, 1), "u")).isTrue();
    assertThat(allows(project, changed(total, 7), "u")).isFalse();
    assertThat(allows(project, Call.set("posts/p", without), "u")).isFalse();
    assertThat(allows(project, Call.set("posts/q", without), "u")).isTrue();
  }

  private static boolean allows(String project, String write, String uid) {
    return EMULATOR.allows(project, Call.commit(List.of(write.replace("@P", project))), uid);
  }

  /** An update of that field alone. */
  private static String changed(String path, long value) {
    String set = Call.set("posts/p", nested(path, value));
    return set.substring(0, set.length() - 1)
        + ",\"updateMask\":{\"fieldPaths\":[\"%s\"]}}".formatted(path);
  }

  /** A field of a document, or one in a map of it. */
  private static String nested(String path, long value) {
    String[] names = path.split("\\.", 2);
    return names.length == 1
        ? "\"%s\":%s".formatted(path, Call.integer(value))
        : "\"%s\":{\"mapValue\":{\"fields\":{\"%s\":%s}}}"
            .formatted(names[0], names[1], Call.integer(value));
  }

  /** In the extension's place: one field, by one, and nothing else; its own rules let all pass. */
  @ParameterizedTest(name = "{0}: {1} after {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          true  | 'visits':1                                  | none
          true  | 'stats':{'likes':1}                         | none
          true  | 'visits':8                                  | 'visits':7
          true  | 'visits':7,'stats':{'likes':1}              | 'visits':7
          false | 'visits':2                                  | none
          false | 'visits':-1                                 | none
          false | 'visits':1000000                            | none
          false | 'visits':1.0                                | none
          false | 'visits':'x'                                | none
          false | 'visits':8.0                                | 'visits':7
          false | 'visits':9                                  | 'visits':7
          false | 'visits':7                                  | 'visits':7
          false | 'visits':6                                  | 'visits':7
          false | 'visits':1                                  | 'visits':1,'stats':{'likes':1}
          false | 'visits':1,'stats':{'likes':1}              | none
          false | 'visits':2,'stats':{'likes':-1}             | none
          false | 'other':1                                   | none
          false | 'visits':1,'other':1                        | none
          false | 'stats':1                                   | none
          false | 'stats':{'other':1}                         | none
          false | 'visits':1,'stats':{'other':0}              | none
          false |                                             | none
          """)
  void foldsRules_letAClientCountByOne(boolean allowed, String write, String before) {
    Project nobody = new Project();
    nobody.settings("FOLD=PT1S", "FOLD_FIELDS=visits stats.likes");
    String project = EMULATOR.load(nobody.exits(0, "rules")).project();
    String shard = "rooms/r/pages/p/_counter_shards_/s";
    if (!before.equals("none")) {
      assertThat(allows(project, Call.set(shard, typed(before)), Case.OWNER)).isTrue();
    }

    assertThat(allows(project, Call.set(shard, typed(write)), Case.SIGNED_OUT)).isFalse();
    assertThat(allows(project, Call.set(shard, typed(write)), "u")).isEqualTo(allowed);
    assertThat(EMULATOR.allows(project, Call.get(shard), "u")).isTrue();
    assertThat(EMULATOR.allows(project, Call.get(shard), Case.SIGNED_OUT)).isFalse();
    assertThat(allows(project, Call.set("rooms/r/pages/p", typed("'visits':1")), "u")).isFalse();
    assertThat(allows(project, "{\"delete\":\"" + Call.DOCUMENTS + "/" + shard + "\"}", "u"))
        .isFalse();
    assertThat(EMULATOR.allows(project, Call.group("_counter_shards_"), "u")).isFalse();
  }

  /** Fields as JSON has them, in the form of Firestore's REST API. */
  private static String typed(@Nullable String fields) {
    return Objects.requireNonNullElse(fields, "")
        .replace('\'', '"')
        .replaceAll(":\\{(.*?)\\}", ":{\"mapValue\":{\"fields\":{$1}}}")
        .replaceAll(":(-?[0-9]+\\.[0-9]+)", ":{\"doubleValue\":$1}")
        .replaceAll(":(-?[0-9]+)(?=[,}]|$)", ":{\"integerValue\":\"$1\"}")
        .replaceAll(":(\"[a-z]\")", ":{\"stringValue\":$1}");
  }

  /** A client reads how many shards there are, whatever total stands beside that. */
  @Test
  void countersThatShowTheirTotals_areOpenAsOthers() {
    String project = EMULATOR.load(Place.with("TOTAL_FIELD=stats.likes").rules()).project();
    String counter = nested("num_shards", 1) + "," + nested("stats.likes", 5);

    assertThat(allows(project, Call.set("counters/c", counter), Case.OWNER)).isTrue();
    assertThat(EMULATOR.allows(project, Call.get("counters/c"), "u")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"games/g/, 10, 11", "sites/s/, 24, 25"})
  void recipes_listAFewTotalsFromTheFirst(String parent, String most, String tooMany) {
    String recipes = Shell.read(Shell.ROOT.resolve("deploy/clients/recipes.rules"));
    String project = EMULATOR.load(RulesCases.beside(recipes, STRICT.rules())).project();

    assertThat(
            Stream.of(most, most + OFFSET + 0, tooMany, most + OFFSET + 1, "1" + OFFSET + 1_000_000)
                .map(limit -> "\"limit\":" + limit + ",")
                .map(limit -> Call.highest(parent, "rollups", limit))
                .map(call -> EMULATOR.allows(project, call, Case.SIGNED_OUT)))
        .containsExactly(true, true, false, false, false);
  }

  /** A name of a part of the path becomes a variable of the rules, whose words they need. */
  @Test
  void variables_countOrAreRefused() {
    List<Case> honest = RulesCases.at(ONCE.in("rooms/r1/")).stream().filter(Case::allowed).toList();
    List<String> broken = new ArrayList<>();
    for (String word : WORDS.split("\\s+", -1)) {
      Project nobody = new Project();
      nobody.settings(
          "RULES=strict", "RULES_VARIANTS=once", "COUNTERS=rooms/{" + word + "}/counters");
      Shell.Result rules = nobody.run("rules");
      if (rules.code() == 0 && !isHonestyAllowed(rules.text(), honest)) {
        broken.add(word);
      } else if (rules.code() != 0) {
        assertThat(rules.text()).contains("COUNTERS: expected ").contains("{" + word + "}");
      }
    }

    assertThat(broken).isEmpty();
  }

  private static boolean isHonestyAllowed(String rules, List<Case> honest) {
    try {
      RulesEmulator.Loaded loaded = EMULATOR.load(RulesCases.besideAnApp(rules));
      return loaded.issues().isEmpty() && wrong(loaded.project(), honest).findAny().isEmpty();
    } catch (LocalCloudException e) {
      return false;
    }
  }

  @Test
  void rulesThatDoNotCompile_areNotTakenForRulesThatDeny() {
    assertThatThrownBy(() -> EMULATOR.load("service cloud.firestore {"))
        .isInstanceOf(LocalCloudException.class);
  }
}
