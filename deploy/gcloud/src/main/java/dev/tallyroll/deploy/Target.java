package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ROLLER;
import static dev.tallyroll.deploy.Deployment.TRIGGERED;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The deployment that a command line means. A setting that it does not name is as deployed.
 *
 * @param deployed the settings of the deployed functions, or else of the deployment's document
 */
record Target(Deployment deployment, State state, Map<Setting, String> deployed) {

  /**
   * Reads the deployed settings, and adds those of the command line.
   *
   * @throws Refusal if a value is malformed, or the functions that are there contradict each other
   */
  static Target find(Arguments arguments, Console console, Path home) throws IOException {
    Deployment named = named(arguments);
    State state = new State(console, named);
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    given.putAll(arguments.given());
    arguments.reset().forEach(setting -> given.putIfAbsent(setting, setting.standard));
    Map<Setting, String> deployed = deployed(named, state, given.keySet());
    String there = Json.text(ours(named, state, TRIGGERED), "eventTrigger.triggerRegion");
    String place =
        arguments.value("--trigger-location").orElse(there.isEmpty() ? named.region() : there);
    Set<String> rulesWords = RulesText.words(home.resolve("deploy/firestore"));
    Deployment wanted = named.with(place, settings(given, deployed));
    Checks.of(wanted, rulesWords);
    if (deployed.isEmpty()) {
      // Where no function is left, the document holds the settings of the totals.
      DeploymentDocument document = state.of(wanted).document();
      deployed.putAll(document.marked() ? document.settings() : Map.of());
      wanted = named.with(place, settings(given, deployed));
      Checks.of(wanted, rulesWords);
    }
    return new Target(wanted, state.of(wanted), deployed);
  }

  private static Map<Setting, String> settings(
      Map<Setting, String> given, Map<Setting, String> deployed) {
    Map<Setting, String> all = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      String otherwise = deployed.getOrDefault(setting, setting.standard);
      all.put(setting, given.getOrDefault(setting, otherwise));
    }
    if (Setting.IDLE_EXIT.standard.equals(all.get(Setting.IDLE_EXIT))) {
      all.put(Setting.IDLE_EXIT, all.getOrDefault(Setting.TICK, ""));
    }
    return all;
  }

  /** A deployment by its name alone. */
  static Deployment named(Arguments arguments) {
    String project = arguments.needed("--project", "a project's id");
    String region = arguments.needed("--region", "a region such as us-central1");
    String name = arguments.value("--name").orElse("tallyroll");
    String place = arguments.value("--trigger-location").orElse(region);
    Checks.names(project, region, name, place);
    return new Deployment(project, region, name, place, Map.of());
  }

  private static @Nullable JsonObject ours(Deployment named, State state, String who) {
    JsonObject function = state.function(who);
    return State.labelOf(function).equals(named.name()) ? function : null;
  }

  private static Map<Setting, String> deployed(Deployment named, State state, Set<Setting> given) {
    Map<Setting, String> deployed = new EnumMap<>(Setting.class);
    List<String> contradictions = new ArrayList<>();
    for (String who : Deployment.FUNCTIONS) {
      JsonObject function = ours(named, state, who);
      for (Setting setting : Setting.values()) {
        String value = function == null ? "" : valueIn(function, who, setting);
        String other = value.isEmpty() ? null : deployed.put(setting, value);
        if (other != null && !other.equals(value) && !given.contains(setting)) {
          contradictions.add(
              "%s: expected one value in both functions, found '%s' and '%s'; say which: %s VALUE"
                  .formatted(setting, other, value, setting.flag()));
        }
      }
    }
    if (!contradictions.isEmpty()) {
      throw new Refusal(String.join("\n", contradictions), /* isOfState= */ true);
    }
    return deployed;
  }

  private static String valueIn(JsonObject function, String who, Setting setting) {
    Map<String, String> flags = FunctionSpec.of(function).flags();
    boolean roller = who.equals(ROLLER);
    return switch (setting) {
      case RUNTIME -> flags.getOrDefault("runtime", "");
      case MAX_INSTANCES -> roller ? "" : flags.getOrDefault("max-instances", "");
      case ROLLER_CPU -> roller ? flags.getOrDefault("cpu", "") : "";
      case ROLLER_MEMORY -> roller ? flags.getOrDefault("memory", "") : "";
      default -> {
        String value = Json.text(function, State.VARIABLES + setting);
        // An idle exit that was a TICK stays one.
        boolean isTick = value.equals(Json.text(function, State.VARIABLES + Setting.TICK));
        yield setting == Setting.IDLE_EXIT && isTick ? "" : value;
      }
    };
  }

  /** Names the settings that differ from their defaults, since nobody may remember them. */
  void sayWhatIsUnusual(Console console) {
    for (Setting setting : Setting.values()) {
      String value = deployed.getOrDefault(setting, setting.standard);
      if (!value.equals(setting.standard) && deployment.get(setting).equals(value)) {
        console.say("as deployed: " + setting + "=" + value);
      }
    }
  }

  /** Refuses options that contradict the deployed settings, for commands that deploy nothing. */
  void requireAsDeployed(Arguments arguments) {
    for (Map.Entry<Setting, String> one : arguments.given().entrySet()) {
      String value = one.getValue();
      String found = deployed.getOrDefault(one.getKey(), value);
      if (!found.equals(value) && one.getKey() != Setting.IDLE_EXIT) {
        String words = ": expected '%s', as deployed, found '%s'".formatted(found, value);
        throw new Refusal(one.getKey() + words);
      }
    }
  }
}
