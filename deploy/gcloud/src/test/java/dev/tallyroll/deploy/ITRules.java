package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.update;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The security rules on the official emulator: honest calls, attacks, and rules with a hole. One
 * after the other, since the emulator holds one rule set.
 */
@Execution(ExecutionMode.SAME_THREAD)
class ITRules {

  private static RulesEmulator emulator;
  private static int run;

  @TempDir Path stage;

  @BeforeAll
  static void start() {
    emulator = new RulesEmulator();
  }

  @AfterAll
  static void stop() {
    if (emulator != null) {
      emulator.close();
    }
  }

  @Test
  void plainRules_allowTheSamplesAndNothingElse() throws Exception {
    assertHold(staged("--rules"), plain(Place.PLAIN));
  }

  @Test
  void plainRules_needEachCondition() throws Exception {
    assertEachConditionCounts(staged("--rules"), plain(Place.PLAIN), List.of());
  }

  @Test
  void strictRules_holdAgainstScripts() throws Exception {
    assertHold(staged("--rules=strict"), strict(Place.STRICT, true));
  }

  @Test
  void strictRules_needEachCondition() throws Exception {
    assertEachConditionCounts(staged("--rules=strict"), strict(Place.STRICT, true), List.of());
  }

  @Test
  void onceVariant_countsAUserOnce() throws Exception {
    String rules = staged("--rules=strict", "--rules-variants=once");

    assertHold(rules, strict(Place.ONCE, false));
    // A pass is never updated here, so what an update would have to show is superfluous.
    assertEachConditionCounts(
        rules,
        strict(Place.ONCE, false),
        List.of(
            "allow update: if request.auth.uid == uid -> allow update: if true",
            "&& stamped(request.resource.data) -> && true"));
  }

  @Test
  void downVariant_takesOneBack() throws Exception {
    List<RulesCase> cases = new ArrayList<>(plain(Place.PLAIN));
    cases.add(less(Place.PLAIN, true));

    assertHold(staged("--rules", "--rules-variants=down"), cases);
  }

  @Test
  void bothVariants_goTogether() throws Exception {
    List<RulesCase> cases = new ArrayList<>(strict(Place.ONCE, false));
    cases.add(less(Place.ONCE, true));

    assertHold(staged("--rules=strict", "--rules-variants=once,down"), cases);
  }

  @Test
  void nestedCounters_haveTheSameRules() throws Exception {
    Place nested = new Place("rooms/r1/tallies/@C", "parts", "Cnt", "rooms/r1/totals/@C", "");
    String[] names = {
      "--counters=rooms/{room}/tallies",
      "--shards-collection=parts",
      "--rollups-collection=totals",
      "--count-field=Cnt"
    };

    assertHold(staged(names, "--rules"), plain(nested));
    assertHold(staged(names, "--rules=strict"), strict(nested.with("passes/@U"), true));
    String once = "rooms/r1/tallies/@C/passes/@U";
    String variant = "--rules-variants=once";
    assertHold(staged(names, "--rules=strict", variant), strict(nested.with(once), false));
  }

  @Test
  void countersAnywhere_haveTheSameRules() throws Exception {
    String rules = staged("--rules", "--anywhere");
    Place deep = new Place("a/b/c/d/counters/@C", "shards", "count", "a/b/c/d/rollups/@C", "");

    assertHold(rules, plain(deep));
    assertHold(rules, plain(Place.PLAIN));
  }

  private static List<RulesCase> plain(Place place) {
    List<RulesCase> cases = new ArrayList<>(ShardCases.of(place));
    cases.addAll(AccessCases.of(place));
    String second = Call.increment(place.shard("0"), place.field(), integer(1));
    cases.add(
        new RulesCase("an increment again", true, "@U", place.seed(), commit(List.of(second))));
    return cases;
  }

  private static List<RulesCase> strict(Place place, boolean again) {
    List<RulesCase> cases = new ArrayList<>(PassCases.of(place, again));
    cases.addAll(AccessCases.of(place));
    cases.addAll(ShardCases.of(place));
    return cases;
  }

  private static RulesCase less(Place place, boolean allowed) {
    String shard = place.shard("0");
    String write = update(shard, place.field(), integer(4));
    return new RulesCase("one less", allowed, "@U", place.seed(), commit(place.paid(shard, write)));
  }

  private static void assertHold(String rules, List<RulesCase> cases) throws Exception {
    assertThat(emulator.load(rules)).as("issues of the rules").isEmpty();
    assertThat(firstToFail(cases)).as("first case with another answer").isEmpty();
  }

  /** A condition that no case misses is either superfluous or untested. */
  private static void assertEachConditionCounts(
      String rules, List<RulesCase> cases, List<String> superfluous) throws Exception {
    List<String> survivors = new ArrayList<>();
    for (RulesMutants.Mutant mutant : RulesMutants.of(rules)) {
      // What is no longer asked for is unused; anything else would mean that the mutant is not
      // loaded.
      assertThat(emulator.load(mutant.rules())).as(mutant.line()).allMatch(ITRules::isIdle);
      if (firstToFail(cases).isEmpty()) {
        survivors.add(mutant.line());
      }
    }
    assertThat(survivors).containsExactlyElementsOf(superfluous);
  }

  /** The compiler's words about a function or a variable that nothing asks for any more. */
  private static boolean isIdle(String issue) {
    return issue.startsWith("Unused ") || issue.equals("Invalid variable name: request.");
  }

  private static Optional<RulesCase> firstToFail(List<RulesCase> cases) throws Exception {
    int first = run;
    run += cases.size();
    return RulesCase.firstToFail(emulator, cases, first);
  }

  private String staged(String... options) {
    return staged(new String[0], options);
  }

  private String staged(String[] names, String... options) {
    List<String> command = new ArrayList<>(List.of(Home.SCRIPTS.resolve("deploy").toString()));
    command.addAll(List.of("--dry-run", "--project=p", "--region=us-central1", "--stage=" + stage));
    command.add("--artifact=/nowhere");
    command.addAll(List.of(names));
    command.addAll(List.of(options));
    Shell.Result result = Shell.run(Map.of(), command);
    assertThat(result.code()).as(result.text()).isZero();
    return Home.read(stage.resolve("firestore.rules"));
  }
}
