package dev.tallyroll.deploy;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.deploy.RulesCases.Place;
import dev.tallyroll.local.LocalCloudException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The security rules on the official emulator: honest calls, attacks, and rules with a hole. */
class RulesIT {

  private static final Place STRICT = Place.with("counters.rules=strict");
  private static final Place ONCE = Place.with("counters.rules=strict --variants=once");

  private static final Place ANYWHERE =
      Place.with("counters.of={parent=**}/counters/{counter}/shards");

  /** Each user's own document, with a number. */
  private static final String VALUES = "counters.rules={'kind':'own','values':[-1,5]}";

  /** The places whose rules have lines of their own. */
  private static final List<Place> MAIN =
      List.of(
          Place.with("counters.rules=plain"),
          Place.with("counters.rules=plain --variants=down"),
          Place.with("counters.rules=plain --variants=list"),
          ANYWHERE.in("rooms/r1/").changed("mayCount"),
          STRICT,
          ONCE,
          own(
                  "counters.sum=review.stars",
                  "counters.into={'sum':'sum','count':'number','average':'mean'}")
              .changed("keeps"),
          own("counters.sum=", "--variants=list"));

  private static final List<Place> FURTHER =
      List.of(
          Place.with("counters.rules=strict --variants=once,down,list"),
          Place.with("counters.rules=plain --variants=more"),
          Place.with("counters.rules=strict --variants=more"),
          ANYWHERE,
          ANYWHERE.in("rooms/r1/"),
          ANYWHERE.in("rooms/r1/days/d/").changed("mayCount"),
          nested("counters.rules=plain"),
          nested("counters.rules=strict"),
          nested("counters.rules=strict --variants=once"),
          // A counter of ours whose users own a shard each.
          Place.with(VALUES),
          nested(VALUES));

  /** Whether a client may write these fields to a shard, and what is there before. */
  private static final String FOLDS =
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
        true  | 'visits':8.0                                | 'visits':7.0
        true  | 'visits':8                                  | 'visits':7.0
        true  | 'visits':2.3                                | 'visits':1.3
        false | 'visits':9.0                                | 'visits':7.0
        false | 'visits':7.5                                | 'visits':7.0
        true  | 'visits':1                                  | 'visits':'x'
        false | 'visits':2                                  | 'visits':'x'
        false | 'visits':1.0                                | 'visits':'x'
        false | 'visits':'y'                                | 'visits':'x'
        true  | 'visits':7.0,'stats':{'likes':1}            | 'visits':7.0
        true  | 'visits':'x','stats':{'likes':1}            | 'visits':'x'
        false | 'visits':'y','stats':{'likes':1}            | 'visits':'x'
        false | 'visits':7.0,'stats':{'likes':1}            | 'visits':7
        false | 'visits':7                                  | 'visits':7.0
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
        false |                                             | none""";

  private static final String FOLDED = "pages/{page} rooms/{room}/posts/{post}";

  private static final String OFFSET = ",\"offset\":";

  private static final long A_SECOND = 1_000_000_000;
  private static final int MOST_TRIES = 20;

  /** The names of the cases that notice a change of a line. */
  private static final Map<String, Set<String>> TELLING = new ConcurrentHashMap<>();

  /** Under other names, too. */
  private static Place nested(String... rules) {
    String names =
        "counters.of=rooms/{room}/tallies/{counter}/parts counters.rollups=totals"
            + " counters.sum=Cnt --num-shards=pieces ";
    return new Place(
        names + String.join(" ", rules), "", "rooms/r1/", "tallies", "parts", "totals", "Cnt");
  }

  /** Documents of users, below documents of the app. */
  private static Place own(String field, String... more) {
    boolean any = field.endsWith("=");
    String options =
        "counters.of=posts/{counter}/reviews " + (any ? "counters.rules=own " : VALUES + " ");
    return new Place(
        options + field + " " + String.join(" ", more),
        "",
        "",
        "posts",
        "reviews",
        "rollups",
        any ? "stars" : field.replace("counters.sum=", ""));
  }

  static Stream<Place> placesOfMutants() {
    return MAIN.stream();
  }

  static Stream<Place> places() {
    return Stream.concat(MAIN.stream(), FURTHER.stream());
  }

  @ParameterizedTest
  @MethodSource("places")
  @Tag("core")
  void rules_allowWhatTheyShouldAndNothingElse(Place place) {
    RulesProject project = new RulesProject(RulesCases.besideAnApp(place.rules()));

    assertThat(project.wrong(RulesCases.at(place))).isEmpty();
    boolean toFillIn = place.is("anywhere") && !place.is("mayCount");
    assertThat(project.issues())
        .isEqualTo(toFillIn ? List.of("Unused variable: parent.") : List.of());
  }

  /** A condition that no case misses is either superfluous or untested. */
  @ParameterizedTest
  @MethodSource("placesOfMutants")
  @Tag("mutants")
  void rules_needEachCondition(Place place) {
    RulesProject project = new RulesProject(place.rules());
    List<Case> cases = RulesCases.at(place);
    List<String> survivors = new ArrayList<>();
    for (RulesMutants.Mutant mutant : RulesMutants.of(place.rules())) {
      // The compiler spends most of its time on comments.
      String rules = mutant.rules().replaceAll("(?m)^ *//.*\n", "");
      project.load(RulesCases.besideAnApp(rules));
      // The cases that noticed the same change elsewhere come first.
      Set<String> first =
          TELLING.computeIfAbsent(mutant.line(), line -> ConcurrentHashMap.newKeySet());
      cases.sort(Comparator.comparing(tried -> !first.contains(tried.name())));
      project
          .wrong(cases)
          .findFirst()
          .ifPresentOrElse(found -> first.add(found.name()), () -> survivors.add(mutant.line()));
    }

    assertThat(survivors).isEmpty();
  }

  /** A pass that is a moment old. The try does not count if the moment was a second. */
  @Test
  void strictRules_makeAClientRestForASecond() {
    Case atOnce = RulesCases.atOnce(STRICT);
    RulesProject project = new RulesProject(STRICT.rules());

    int tries = 0;
    boolean denied;
    long start;
    do {
      start = System.nanoTime();
      denied = project.holds(atOnce);
    } while (!denied && System.nanoTime() - start >= A_SECOND && ++tries < MOST_TRIES);

    assertThat(denied).isTrue();
  }

  /** Posts with their likes: the app's own rule lets users write them, but not the total. */
  @ParameterizedTest
  @CsvSource({"likes, title", "stats.likes, stats.views"})
  void totalField_isTheFunctionsAlone(String total, String other) {
    String own = "match /posts/{post} { allow write: if keepsTotal_counters(); }\n";
    String rules = Place.with("counters.into={'sum':'" + total + "'}").rules();
    RulesProject project =
        new RulesProject(rules.replaceFirst("(?m)^ *// Totals are public", own + "$0"));
    String post = Call.set("posts/p", nested(total, 5) + "," + nested("title", 1));
    String without = nested("title", 2);

    assertThat(allows(project, post, "u")).isFalse();
    assertThat(allows(project, post, Case.OWNER)).isTrue();
    assertThat(allows(project, changed(other, 1), "u")).isTrue();
    assertThat(allows(project, changed(total, 7), "u")).isFalse();
    assertThat(allows(project, Call.set("posts/p", without), "u")).isFalse();
    assertThat(allows(project, Call.set("posts/q", without), "u")).isTrue();
    assertThat(allows(project, changed(total, 5), "u")).isTrue();
    assertThat(allows(project, Call.set("posts/r", nested(total, 0)), "u")).isTrue();
    assertThat(allows(project, Call.set("posts/s", nested(total, 1)), "u")).isFalse();
    assertThat(allows(project, Call.set("posts/q", nested(total, 0)), "u")).isFalse();
    assertThat(allows(project, Call.delete("posts/p"), "u")).isTrue();
  }

  /**
   * The functions write into a map only: with anything else there, the field never shows a total.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {"{\"stringValue\":\"x\"}", "{\"nullValue\":null}", "{\"integerValue\":7}"})
  void wayToTheTotal_staysFree(String value) {
    String own = "match /posts/{post} { allow write: if keepsTotal_counters(); }\n";
    String rules = Place.with("counters.into={'sum':'stats.sum.likes'}").rules();
    RulesProject project =
        new RulesProject(rules.replaceFirst("(?m)^ *// Totals are public", own + "$0"));
    String title = nested("title", 1);
    String top = "\"stats\":" + value;
    String inside = "\"stats\":{\"mapValue\":{\"fields\":{\"sum\":%s}}}".formatted(value);

    for (String obstacle : List.of(top, inside)) {
      assertThat(allows(project, Call.set("posts/new", obstacle), "u")).isFalse();
      assertThat(allows(project, Call.set("posts/p", title), Case.OWNER)).isTrue();
      assertThat(allows(project, Call.set("posts/p", title + "," + obstacle), "u")).isFalse();
      assertThat(allows(project, Call.set("posts/p", title), "u")).isTrue();
      // One that was there before the rules may stay, and may be mended.
      assertThat(allows(project, Call.set("posts/q", obstacle), Case.OWNER)).isTrue();
      assertThat(allows(project, Call.set("posts/q", title + "," + obstacle), "u")).isTrue();
      assertThat(allows(project, Call.set("posts/q", title), "u")).isTrue();
    }
  }

  /** All fields of the functions' are protected, and none keeps a counter's document closed. */
  @Test
  void fieldsOfACountersDocument_areTheFunctionsAlone() {
    String own = "match /posts/{post} { allow write: if keepsTotal_counters(); }\n";
    String rules =
        Place.with("counters.into={'sum':'stats.sum','count':'stats.number','average':'mean'}")
            .rules();
    RulesProject project =
        new RulesProject(rules.replaceFirst("(?m)^ *// Totals are public", own + "$0"));
    String stats =
        "\"stats\":{\"mapValue\":{\"fields\":{\"sum\":%s,\"number\":%s}}}"
            .formatted(Call.integer(8), Call.integer(2));
    String held = stats + "," + nested("mean", 4);

    assertThat(rules).contains("only the functions write stats.sum, stats.number, mean.");
    assertThat(project.issues()).isEmpty();
    assertThat(allows(project, Call.set("posts/p", held), Case.OWNER)).isTrue();
    assertThat(allows(project, changed("title", 1), "u")).isTrue();
    for (String field : List.of("stats.sum", "stats.number", "mean")) {
      assertThat(allows(project, changed(field, 9), "u")).as(field).isFalse();
      assertThat(allows(project, Call.set("posts/q", nested(field, 9)), "u")).as(field).isFalse();
    }
    String counter = nested("num_shards", 1) + "," + held;
    assertThat(allows(project, Call.set("counters/c", counter), Case.OWNER)).isTrue();
    assertThat(project.allows(Call.get("counters/c"), "u")).isTrue();
  }

  /** Several entries, a fold, and an app. */
  @Test
  void rulesOfSeveralEntries_compileBesideAnAppsFunctions() {
    List<String> all = new ArrayList<>();
    for (String options :
        List.of(
            "likes.of=posts/{post}/likes likes.rules=own likes.into={'count':'likes'}",
            "ratings.of=posts/{post}/ratings ratings.sum=stars"
                + " ratings.rules={'kind':'own','values':[1,5]}"
                + " ratings.into={'count':'ratings','average':'stars_average'}",
            "members.of=groups/{group}/members members.rules=own"
                + " members.into={'count':'members'}")) {
      all.add(Place.with(options).rules());
    }
    all.add(
        Place.with(
                "a-b.of=counters/{counter}/shards a-b.sum=count a-b.rollups=sums"
                    + " a-b.into={'sum':'likes'}")
            .rules());
    all.add(foldsRules(FOLDED, ""));
    String app =
        """
            function signedIn() { return request.auth.uid == 'author'; }
            match /posts/{post} {
              allow create, update: if signedIn() && keepsTotal_likes() && keepsTotal_ratings();
            }
            match /counters/{counter} { allow create: if signedIn() && keepsTotal_a_b(); }
            match /groups/{group} { allow create: if signedIn() && keepsTotal_members(); }
        """;
    String strict = Place.with("counters.rules=strict").rules();
    String merged = all.stream().map(RulesCases::matches).collect(joining());
    RulesProject project = new RulesProject(RulesCases.beside(merged + app, strict));

    assertThat(project.issues()).isEmpty();
    String title = Call.set("posts/p", nested("title", 1));
    assertThat(allows(project, title, "u")).isFalse();
    assertThat(allows(project, title, "author")).isTrue();
    for (String field : List.of("likes", "ratings", "stars_average")) {
      String made = Call.set("posts/" + field, nested(field, 1));
      assertThat(allows(project, made, "author")).as(field).isFalse();
      made = Call.set("posts/" + field, nested(field, 0));
      assertThat(allows(project, made, "author")).as(field).isTrue();
      assertThat(allows(project, changed(field, 1), "author")).as(field).isFalse();
    }
    assertThat(allows(project, Call.set("posts/p/likes/u", ""), "u")).isTrue();
    assertThat(allows(project, Call.set("posts/p/likes/v", ""), "u")).isFalse();
    assertThat(allows(project, Call.set("groups/g/members/u", ""), "u")).isTrue();
    assertThat(allows(project, Call.set("posts/p/ratings/u", nested("stars", 5)), "u")).isTrue();
    assertThat(allows(project, Call.set("posts/p/ratings/u", nested("stars", 6)), "u")).isFalse();
  }

  /** One's own conditions are joined as the printed comment says, in our match or in one's own. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ownRules_takeConditionsOfTheApp(boolean inPlace) {
    String more = " && request.resource.data.keys().hasOnly(['stars', 'text'])";
    String printed =
        Place.with(
                "counters.of=posts/{counter}/reviews counters.sum=stars"
                    + " counters.rules={'kind':'own','values':[1,5]}")
            .rules();
    String match = "    match /posts/{counter_id}/reviews/{uid} {";
    String write = "allow create, update: if mayWrite_counters(uid)";
    assertThat(printed).contains(match).contains(write + ";");
    String rules = printed.replace(write, write + more);
    if (!inPlace) {
      int start = printed.indexOf(match);
      String removed = printed.substring(start, printed.indexOf("    }\n", start) + 6);
      String app =
          "match /posts/{post}/reviews/{user} { allow read: if true; %s%s; }\n"
              .formatted(write.replace("uid", "user"), more);
      rules = RulesCases.beside(app, printed.replace(removed, ""));
    }
    RulesProject project = new RulesProject(rules);
    String review = "posts/p/reviews/u";

    assertThat(project.issues()).isEmpty();
    assertThat(allows(project, Call.set(review, typed("'stars':6")), "u")).isFalse();
    assertThat(allows(project, Call.set(review, typed("'stars':5,'text':'x'")), "u")).isTrue();
    assertThat(allows(project, Call.set(review, typed("'stars':5,'mine':1")), "u")).isFalse();
    assertThat(allows(project, Call.set(review, typed("'stars':1")), "v")).isFalse();
    assertThat(project.allows(Call.get(review), "v")).isEqualTo(!inPlace);
  }

  private static boolean allows(RulesProject project, String write, String uid) {
    return project.allows(commit(write), uid);
  }

  private static Call commit(String write) {
    return Call.commit(List.of(write));
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
  @ParameterizedTest
  @ValueSource(strings = {"", "make"})
  void foldsRules_letAClientCountByOne(String variants) {
    RulesProject project = new RulesProject(foldsRules(FOLDED, variants));

    assertThat(project.wrong(foldsCases(variants))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "make"})
  @Tag("mutants")
  void foldsRules_needEachCondition(String variants) {
    String rules = foldsRules("rooms/{room}/posts/{post}", variants); // with the cases' only
    RulesProject project = new RulesProject(rules);
    List<Case> cases = foldsCases(variants);
    List<String> survivors = new ArrayList<>();
    for (RulesMutants.Mutant mutant : RulesMutants.of(rules)) {
      project.load(mutant.rules());
      if (project.wrong(cases).findFirst().isEmpty()) {
        survivors.add(mutant.line());
      }
    }

    assertThat(survivors).isEmpty();
  }

  /**
   * All that clients try on a shard of a post, below a document that is there unless it is said.
   */
  private static List<Case> foldsCases(String variants) {
    String page = "rooms/r/posts/@C";
    String shard = page + "/_counter_shards_/s";
    String post = Call.set(page, typed("'title':'x'"));
    List<String> given = List.of(post, Call.set(shard, typed("'visits':1")));
    List<Case> cases = new ArrayList<>();
    for (String row : FOLDS.split("\n", -1)) {
      String[] parts = row.split("\\|", -1);
      boolean allowed = parts[0].strip().equals("true");
      String before = parts[2].strip();
      List<String> there =
          before.equals("none") ? List.of(post) : List.of(post, Call.set(shard, typed(before)));
      Call write = commit(Call.set(shard, typed(parts[1].strip())));
      cases.add(new Case(row, allowed, "u", there, write));
      cases.add(new Case(row + ", signed out", false, Case.SIGNED_OUT, there, write));
    }
    cases.add(new Case("getting a shard", true, "u", given, Call.get(shard)));
    cases.add(new Case("getting it, signed out", false, Case.SIGNED_OUT, given, Call.get(shard)));
    cases.add(new Case("deleting it", false, "u", given, commit(Call.delete(shard))));
    Call list = Call.get(page + "/_counter_shards_");
    cases.add(new Case("listing shards", false, "u", given, list));
    cases.add(new Case("all shards", false, "u", given, Call.group("_counter_shards_")));
    Call total = commit(Call.set(page, typed("'visits':1")));
    cases.add(new Case("writing the document", false, "u", given, total));

    // The functions would make the document of such a shard.
    boolean makes = variants.equals("make");
    String left = Call.set(shard, typed("'visits':7"));
    Call first = commit(Call.set(shard, typed("'visits':1")));
    Call more = commit(Call.set(shard, typed("'visits':8")));
    cases.add(new Case("no document", makes, "u", List.of(), first));
    cases.add(new Case("no document, a shard", makes, "u", List.of(left), more));
    List<String> removed = List.of(post, left, Call.delete(page));
    cases.add(new Case("a removed document, its shard", makes, "u", removed, more));
    List<String> folded = List.of(post, Call.delete(page));
    cases.add(new Case("a removed document", makes, "u", folded, first));
    return cases;
  }

  private static String foldsRules(String documents, String variants) {
    return foldsRules(documents, variants, "folds");
  }

  private static String foldsRules(String documents, String variants, String name) {
    String options =
        "NAME=%s FOLD=PT1S FOLD_FIELDS=visits+stats.likes FOLD_DOCUMENTS=%s --variants=%s";
    return Place.with(options.formatted(name, documents.replace(' ', '+'), variants)).printed();
  }

  /** Whoever may write a shard has the functions write the document above it. */
  @Test
  void foldsRules_openOnlyTheDocumentsThatAreFolded() {
    RulesProject project = new RulesProject(foldsRules(FOLDED, ""));

    assertThat(project.issues()).isEmpty();
    assertThat(
            Stream.of(
                    "pages/p",
                    "rooms/r/posts/p",
                    "admins/eve",
                    "rollups/likes",
                    "rollup_runs/fold/live/run-0",
                    "pages/p/_counter_shards_/s",
                    "rooms/r",
                    "rooms/r/posts/p/posts/p",
                    "users/u/pages/p")
                .filter(document -> mayCountIn(document, project)))
        .containsExactly("pages/p", "rooms/r/posts/p");
  }

  /** May a client count in this document, once it is there? */
  private static boolean mayCountIn(String document, RulesProject project) {
    String shard = Call.set(document + "/_counter_shards_/s", typed("'visits':1"));
    boolean before = allows(project, shard, "u");
    allows(project, Call.set(document, typed("'title':'x'")), Case.OWNER);
    return allows(project, shard, "u") && !before;
  }

  /** Each word of the rules, as in the names of a path, and each id that the settings take. */
  @Test
  void foldsVariables_mayHaveAnyName() {
    String documents =
        "in/{in}/shard/{shard}/allow/{request} a/{resource}/b/{database} c/{_}/d/{A1}"
            + " j/{step}/k/{plusOne}/l/{counted}"
            + " e/{x}/f/{y} g/{x}/h/i my-posts/{post}/2026-/1-1 _/{_} 7/home";
    RulesProject project = new RulesProject(foldsRules(documents, "", "id"));

    assertThat(project.issues()).isEmpty();
    assertThat(documents.replaceAll("[{}]", "").split(" ", -1))
        .allMatch(document -> mayCountIn(document, project));
  }

  /** Fields as JSON has them, in the form of Firestore's REST API. */
  private static String typed(String fields) {
    return fields
        .replace('\'', '"')
        .replaceAll(":\\{(.*?)\\}", ":{\"mapValue\":{\"fields\":{$1}}}")
        .replaceAll(":(-?[0-9]+\\.[0-9]+)", ":{\"doubleValue\":$1}")
        .replaceAll(":(-?[0-9]+)(?=[,}]|$)", ":{\"integerValue\":\"$1\"}")
        .replaceAll(":(\"[a-z]\")", ":{\"stringValue\":$1}");
  }

  /** A client reads how many shards there are, whatever total stands beside that. */
  @Test
  void countersThatShowTheirTotals_areOpenAsOthers() {
    RulesProject project =
        new RulesProject(Place.with("counters.into={'sum':'stats.likes'}").rules());
    String counter = nested("num_shards", 1) + "," + nested("stats.likes", 5);

    assertThat(allows(project, Call.set("counters/c", counter), Case.OWNER)).isTrue();
    assertThat(project.allows(Call.get("counters/c"), "u")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"games/g/, 10, 11", "sites/s/, 24, 25"})
  void recipes_listAFewTotalsFromTheFirst(String parent, String most, String tooMany) {
    String recipes = Shell.read(Shell.ROOT.resolve("deploy/clients/recipes.rules"));
    RulesProject project = new RulesProject(RulesCases.beside(recipes, STRICT.rules()));

    assertThat(
            Stream.of(most, most + OFFSET + 0, tooMany, most + OFFSET + 1, "1" + OFFSET + 1_000_000)
                .map(limit -> "\"limit\":" + limit + ",")
                .map(limit -> Call.highest(parent, "rollups", limit))
                .map(call -> project.allows(call, Case.SIGNED_OUT)))
        .containsExactly(true, true, false, false, false);
  }

  /** After a resize, a vote may lie in a shard that the user's slip does not name. */
  @ParameterizedTest
  @CsvSource({
    "true, polls/p/counters/yes/shards/5, polls/p/counters/yes/shards/0",
    "false, polls/p/counters/yes/shards/1, polls/p/counters/yes/shards/0",
    "false, polls/p/counters/yes/shards/5, polls/p/counters/yes/shards/6",
    "false, polls/p/counters/yes/shards/5, polls/p/counters/no/shards/0",
    "false, polls/p/counters/yes/shards/5, polls/q/counters/yes/shards/0",
    "false, polls/p/counters/yes/shards/5, polls/p/notes/yes/shards/0",
    "false, polls/q/counters/yes/shards/5, polls/p/counters/yes/shards/0",
    "false, users/u/notes/yes/notes/5, polls/p/counters/yes/shards/0"
  })
  void slip_isMovedFromAShardThatIsGoneToOneOfItsChoice(boolean allowed, String from, String to) {
    String recipes = Shell.read(Shell.ROOT.resolve("deploy/clients/recipes.rules"));
    RulesProject project = new RulesProject(RulesCases.beside(recipes, STRICT.rules()));
    String slip = "polls/p/slips/u";
    for (String shard :
        List.of(
            "polls/p/counters/yes/shards/0",
            "polls/p/counters/yes/shards/1",
            "polls/p/counters/no/shards/0",
            "polls/q/counters/yes/shards/0",
            "polls/p/notes/yes/shards/0")) {
      assertThat(allows(project, Call.set(shard, typed("'count':1")), Case.OWNER)).isTrue();
    }
    String moved = "\"shard\":" + Call.reference(to);
    String before = Call.set(slip, "\"shard\":" + Call.reference(from));
    assertThat(allows(project, before, Case.OWNER)).isTrue();

    assertThat(project.issues()).isEmpty();
    assertThat(allows(project, Call.set(slip, moved), "v")).isFalse();
    assertThat(allows(project, Call.set(slip, moved + "," + typed("'mine':1")), "u")).isFalse();
    assertThat(allows(project, Call.set(slip, moved), "u")).isEqualTo(allowed);
  }

  /**
   * Names of parts of the path become variables of the rules, whose words they need; those end with
   * _id, as functions do in a deployment of that name.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // Of the rules' language, and of JavaScript.
        "allow break case continue default do duration each else extends false for function goto",
        "hashing if import in is latlng let match math not null package request resource return",
        "rules_version service switch timestamp true var while",
        // Of our own rules.
        "after before counted counter data database get parent pass path rested shard spent uid",
        "room user_id a1"
      })
  void variables_mayHaveAnyName(String words) {
    String rooms = words.replaceAll("(\\w+) ?", "in/{$1}/");
    Place place =
        Place.with(
                "NAME=id counters.rules=strict --variants=once counters.of="
                    + rooms
                    + "counters/{_}/shards")
            .in(rooms.replaceAll("[{}]", ""));
    RulesProject project = new RulesProject(RulesCases.besideAnApp(place.rules()));

    assertThat(project.issues()).isEmpty();
    assertThat(project.wrong(RulesCases.at(place).stream().filter(Case::allowed).toList()))
        .isEmpty();
  }

  /** The settings for which there are rules, each with all variants that they may have. */
  static Stream<String> settings() {
    return Stream.of(
            "counters.rules=plain down,list,more",
            "counters.of=rooms/{room}/tallies/{counter}/shards down,list,more",
            "counters.of={parent=**}/counters/{counter}/shards down,more",
            "counters.rules=strict once,down,list,more",
            "counters.rules=strict counters.of=rooms/{room}/tallies/{counter}/shards once,down,list,more",
            "counters.rules={'kind':'own','values':[1,5]} list",
            "counters.rules=own counters.sum= counters.of=rooms/{room}/tallies/{counter}/shards list")
        .flatMap(
            row -> {
              int last = row.lastIndexOf(' ');
              String rest = row.substring(0, last) + " --variants=";
              return subsets(List.of(row.substring(last + 1).split(",", -1))).map(rest::concat);
            });
  }

  private static Stream<String> subsets(List<String> words) {
    return IntStream.range(0, 1 << words.size())
        .mapToObj(
            set ->
                IntStream.range(0, words.size())
                    .filter(i -> (set & 1 << i) != 0)
                    .mapToObj(words::get)
                    .collect(joining(",")));
  }

  /** Texts, each with whether the rules for this choice of options must contain it. */
  private static Map<String, Boolean> sayings(Place place) {
    boolean strict = place.is("strict");
    boolean own = place.is("own");
    boolean once = place.is("once");
    String counters = place.options().contains("tallies") ? "rooms/{room_id}/tallies" : "counters";
    return Map.ofEntries(
        Map.entry("//   passes/{uid} = {", strict && !once),
        Map.entry("//   /" + counters + "/{counter}/passes/{uid} = {", once),
        Map.entry("// one increment a second for each user.", strict && !once),
        Map.entry("// one increment of a counter for each user, for ever.", once),
        Map.entry("increments once a second", strict && !once),
        Map.entry("made offline", strict && !once),
        Map.entry("rested", strict && !once),
        Map.entry("a second", strict && !once),
        Map.entry("allow create: ", once),
        Map.entry("allow create, update: ", own || (strict && !once)),
        Map.entry("pass", strict),
        Map.entry("\"rules\": \"strict\"", !strict && !own),
        Map.entry("is a whole number from 1 to 5;", place.options().contains("[1,5]")),
        Map.entry("whatever it holds;", place.options().contains(".sum= ")),
        Map.entry("lower", place.is("down")),
        Map.entry("one less", place.is("down")),
        Map.entry("one at a time", !place.is("list")),
        Map.entry("100", place.is("list")),
        Map.entry("offset", place.is("list")),
        Map.entry("whatever other fields", place.is("more")),
        Map.entry("fields that your servers have added", place.is("more")),
        Map.entry("with other fields", !place.is("more") && !own),
        Map.entry("mayCount", place.is("anywhere")));
  }

  /** An operator merges them by hand, so they speak of nothing that is not there. */
  @ParameterizedTest
  @MethodSource("settings")
  void printedRules_sayWhatTheyDo(String settings) {
    Place place = Place.with(settings);
    String rules = place.rules();

    assertThat(rules)
        .doesNotContain("|| false", "\n\n\n")
        .doesNotContainPattern("(?m) $|^ *;$")
        .doesNotContainPattern("function \\w+(?<!_counters)\\(")
        .endsWith("}\n");
    sayings(place)
        .forEach((text, said) -> assertThat(rules.contains(text)).as("'%s'", text).isEqualTo(said));
    assertThat(new RulesProject(rules).issues())
        .isEqualTo(place.is("anywhere") ? List.of("Unused variable: parent.") : List.of());
  }

  /** The command itself, with settings of a file, a file of totals and options. */
  @Test
  void command_printsWhatTheTestsLoad() {
    String strict =
        "NAME=a-b counters.of=posts/{post}/shards counters.rules=strict counters.into={'sum':'likes'}";
    Project project = new Project(strict.split(" ", -1));

    assertThat(project.exits(0, "rules --variants once,list"))
        .isEqualTo(Place.with(strict + " --variants=once,list").printed());
    project.put(
        "two.json",
        Totals.text(
                List.of("likes.of=posts/{post}/likes", "likes.rules=own", "counters.index=false"))
            .orElseThrow());
    assertThat(project.exits(0, "rules --totals two.json --entry=likes"))
        .isEqualTo(Place.with("NAME=a-b likes.of=posts/{post}/likes likes.rules=own").printed());
    String both = project.exits(0, "rules --totals=two.json");
    assertThat(both).contains("function mayWrite_likes(", "function oneMore_counters(");
    assertThat(new RulesProject(both).issues()).isEmpty();
    assertThat(project.exits(2, "rules --totals=none.json"))
        .startsWith("none.json: expected a file of totals; found ");
    assertThat(project.exits(2, "rules --yes"))
        .contains("expected one of --entry ", "found '--yes'");
    assertThat(project.exits(0, "rules --help")).contains("--variants LIST", "--totals FILE");
  }

  @Test
  void rulesThatDoNotCompile_areNotTakenForRulesThatDeny() {
    assertThatThrownBy(() -> new RulesProject("service cloud.firestore {"))
        .isInstanceOf(LocalCloudException.class);
  }
}
