package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.LocalCloudException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The security rules on the official emulator: honest calls, attacks, and rules with a hole. */
class RulesIT {

  /** What deploy is asked for, and a place where the rules that it makes have to hold. */
  private record RuleSet(String name, String options, Place place) {

    @Override
    public String toString() {
      return name;
    }
  }

  private static final RuleSet STRICT =
      new RuleSet("strict", "--rules=strict", Place.with("strict"));

  /** Those that have lines of their own. */
  private static final List<RuleSet> MAIN =
      List.of(
          new RuleSet("plain", "--rules", Place.with()),
          new RuleSet("down", "--rules --rules-variants=down", Place.with("down")),
          new RuleSet("list", "--rules --rules-variants=list", Place.with("list")),
          new RuleSet("anywhere", "--rules --anywhere", Place.with("anywhere")),
          STRICT,
          new RuleSet(
              "once", "--rules=strict --rules-variants=once", Place.with("strict", "once")));

  private static final List<RuleSet> FURTHER =
      List.of(
          new RuleSet(
              "all variants",
              "--rules=strict --rules-variants=once,down,list",
              Place.with("strict", "once", "down", "list")),
          new RuleSet("deep", "--rules --anywhere", Place.with("anywhere").in("a/b/c/d/")),
          nested("nested", "--rules"),
          nested("nested, strict", "--rules=strict", "strict"),
          nested("nested, once", "--rules=strict --rules-variants=once", "strict", "once"));

  /** Of the rules' language, of JavaScript, and of our own rules. */
  private static final String WORDS =
      """
      allow break case continue default do duration each else extends false for function goto \
      hashing if import in is latlng let match math not null package request resource return \
      rules_version service switch timestamp true var while \
      after before counter data database get parent pass path rested shard spent uid \
      room user_id a1""";

  private static final long A_SECOND = 1_000_000_000;
  private static final int MOST_TRIES = 20;

  @AutoClose private static final RulesEmulator EMULATOR = new RulesEmulator();

  /** Under other names, too. */
  private static RuleSet nested(String name, String rules, String... terms) {
    return new RuleSet(
        name,
        rules
            + " --counters=rooms/{room}/tallies --shards-collection=parts"
            + " --rollups-collection=totals --count-field=Cnt",
        new Place("rooms/r1/", "tallies", "parts", "totals", "Cnt", Set.of(terms)));
  }

  static Stream<RuleSet> ruleSets() {
    return Stream.concat(MAIN.stream(), FURTHER.stream());
  }

  @ParameterizedTest
  @MethodSource("ruleSets")
  void rules_allowWhatTheyShouldAndNothingElse(RuleSet set) throws Exception {
    RulesEmulator.Loaded loaded = EMULATOR.load(staged(set));
    List<RulesCase> wrong = new ArrayList<>();
    List<RulesCase> cases = RulesCases.at(set.place);
    for (int i = 0; i < cases.size(); i++) {
      if (!cases.get(i).holds(EMULATOR, loaded.project(), i)) {
        wrong.add(cases.get(i));
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(loaded.issues()).isEmpty();
  }

  /** A condition that no case misses is either superfluous or untested. */
  @Test
  void rules_needEachCondition() throws Exception {
    Map<String, Set<String>> telling = new HashMap<>();
    List<String> survivors = new ArrayList<>();
    for (RuleSet set : MAIN) {
      for (RulesMutants.Mutant mutant : RulesMutants.of(staged(set))) {
        Set<String> first = telling.computeIfAbsent(mutant.line(), line -> new HashSet<>());
        Optional<RulesCase> noticing = noticing(mutant, RulesCases.at(set.place), first);
        noticing.ifPresentOrElse(
            found -> first.add(found.name()), () -> survivors.add(set + ": " + mutant.line()));
      }
    }

    // With a list of integers for the steps, no double is a step.
    assertThat(survivors)
        .containsExactly(
            "down: && before.count is int -> && true", "down: && after.count is int -> && true");
  }

  /**
   * The first case that another answer meets.
   *
   * @param first names of cases that are the likeliest, as they noticed the same elsewhere
   */
  private static Optional<RulesCase> noticing(
      RulesMutants.Mutant mutant, List<RulesCase> cases, Set<String> first) throws Exception {
    String project = EMULATOR.load(mutant.rules()).project();
    cases.sort(Comparator.comparing(tried -> !first.contains(tried.name())));
    for (int i = 0; i < cases.size(); i++) {
      if (!cases.get(i).holds(EMULATOR, project, i)) {
        return Optional.of(cases.get(i));
      }
    }
    return Optional.empty();
  }

  /** A pass that is a moment old. It says nothing when the machine made the moment a second. */
  @Test
  void strictRules_makeAClientRestForASecond() throws Exception {
    Place place = Place.with("strict");
    String shard = place.shard("0");
    List<String> given = new ArrayList<>(place.seed());
    given.add(Call.stamp(place.pass(), place.payment(shard)));
    String more = Call.increment(shard, place.field(), Call.integer(1));
    Call again = Call.commit(place.paid(shard, more));
    RulesCase atOnce = new RulesCase("a second time, at once", false, "@U", given, again);
    String project = EMULATOR.load(staged(STRICT)).project();

    int tries = 0;
    boolean denied;
    long start;
    do {
      start = System.nanoTime();
      denied = atOnce.holds(EMULATOR, project, tries++);
    } while (!denied && System.nanoTime() - start >= A_SECOND && tries < MOST_TRIES);

    assertThat(denied).isTrue();
  }

  /** A name of a part of the path becomes a variable of the rules, whose words they need. */
  @Test
  void variables_countOrAreRefused() throws Exception {
    List<RulesCase> honest =
        RulesCases.at(Place.with("strict", "once").in("rooms/r1/")).stream()
            .filter(RulesCase::allowed)
            .toList();
    List<String> broken = new ArrayList<>();
    for (String word : WORDS.split("\\s+", -1)) {
      String options = "--counters=rooms/{" + word + "}/counters";
      Plan plan = Plan.of("deploy --rules=strict --rules-variants=once " + options);
      if (plan.code() == 0 && !isHonestyAllowed(plan.staged("firestore.rules"), honest)) {
        broken.add(word);
      } else if (plan.code() != 0) {
        assertThat(plan.text()).contains("COUNTERS: expected ").contains("{" + word + "}");
      }
    }

    assertThat(broken).isEmpty();
  }

  private static boolean isHonestyAllowed(String rules, List<RulesCase> honest) throws Exception {
    RulesEmulator.Loaded loaded;
    try {
      loaded = EMULATOR.load(rules);
    } catch (LocalCloudException e) {
      return false;
    }
    for (int i = 0; i < honest.size(); i++) {
      if (!honest.get(i).holds(EMULATOR, loaded.project(), i)) {
        return false;
      }
    }
    return loaded.issues().isEmpty();
  }

  @Test
  void listOfTotalsAnywhere_isRefused() {
    assertThat(Plan.of("deploy --rules --rules-variants=down,list --anywhere").ended(2))
        .contains("RULES_VARIANTS: expected no list ");
  }

  @Test
  void rulesThatDoNotCompile_areNotTakenForRulesThatDeny() {
    assertThatThrownBy(() -> EMULATOR.load("service cloud.firestore {"))
        .isInstanceOf(LocalCloudException.class);
  }

  private static String staged(RuleSet set) {
    Plan plan = Plan.of("deploy " + set.options);
    plan.ended(0);
    return plan.staged("firestore.rules");
  }
}
