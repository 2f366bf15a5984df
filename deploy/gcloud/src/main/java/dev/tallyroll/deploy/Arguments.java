package dev.tallyroll.deploy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * A command line. It names a deployment, and some of its settings. Immutable.
 *
 * @param given the settings; an option wins over --env-file
 */
record Arguments(ParseResult parsed, Map<Setting, String> given) {
  private static final String EXCLUDE = "--exclude-request-logs";
  private static final String MONITORING = "--monitoring";

  /** The options of each command, without the settings. An option with "=" takes a value. */
  private static final Map<String, String> OPTIONS =
      Map.of(
          "canary",
          "--artifact= --build-service-account=",
          "deploy",
          """
          --yes --replace-rules --exclude-request-logs --monitoring= --rules= --rules-variants= --max-instances= --runtime= --reset= \
          --roller-cpu= --roller-memory= --build-service-account= --artifact= --stage=""",
          "destroy",
          "--yes --indexes",
          "status",
          "--watch --json --rules= --rules-variants= --bill --free --prices=",
          "smoke",
          "",
          "replay",
          "");

  private static final String OPTIONS_OF_ALL =
      " --project= --region= --name= --trigger-location= --env-file= --anywhere --dry-run";

  /**
   * Reads a command line.
   *
   * @throws Refusal if it cannot be read
   */
  static Arguments of(String command, List<String> words) {
    try {
      CommandLine line = new CommandLine(spec(command)).setOverwrittenOptionsAllowed(true);
      ParseResult parsed = line.parseArgs(words.toArray(String[]::new));
      return new Arguments(parsed, given(parsed));
    } catch (ParameterException e) {
      throw new Refusal(e.getMessage() + " (see --help)");
    }
  }

  /** The names of all options that a command takes. */
  static Set<String> options(String command) {
    return spec(command).optionsMap().keySet();
  }

  private static CommandSpec spec(String command) {
    CommandSpec spec = CommandSpec.create().name(command);
    Setting.variables().forEach(setting -> spec.addOption(option(setting.flag() + "=")));
    String all = (OPTIONS.getOrDefault(command, "") + OPTIONS_OF_ALL).strip();
    List.of(all.split(" ", -1)).forEach(name -> spec.addOption(option(name)));
    return spec;
  }

  private static OptionSpec option(String name) {
    OptionSpec.Builder option = OptionSpec.builder(name.replace("=", "")).paramLabel("VALUE");
    return switch (name) {
      case "--rules=" -> option.arity("0..1").fallbackValue("plain").type(String.class).build();
      case "--reset=", "--env-file=" ->
          option.arity("1").type(List.class).auxiliaryTypes(String.class).build();
      default ->
          name.endsWith("=")
              ? option.arity("1").type(String.class).build()
              : option.arity("0").type(boolean.class).build();
    };
  }

  private static Map<Setting, String> given(ParseResult parsed) {
    Map<Setting, String> given = new EnumMap<>(Setting.class);
    List<String> files = parsed.matchedOptionValue("--env-file", List.of());
    files.forEach(file -> readFile(Path.of(file), given));
    for (Setting setting : Setting.values()) {
      if (parsed.hasMatchedOption(setting.flag())) {
        given.put(setting, parsed.matchedOptionValue(setting.flag(), ""));
      }
    }
    String counters = given.getOrDefault(Setting.COUNTERS, Setting.COUNTERS.standard);
    if (parsed.hasMatchedOption("--anywhere") && !counters.startsWith(Paths.ANYWHERE)) {
      if (counters.contains("/")) {
        throw new Refusal(
            "COUNTERS: expected one collection's name with --anywhere, found '" + counters + "'");
      }
      given.put(Setting.COUNTERS, Paths.ANYWHERE + counters);
    }
    return given;
  }

  /** Lines of KEY=VALUE with the settings' own names; never run as a script. */
  private static void readFile(Path file, Map<Setting, String> given) {
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new Refusal("--env-file: expected a readable file, found '" + file + "'");
    }
    for (String line : lines) {
      String[] pair = line.split("=", 2);
      if (!line.isEmpty() && !line.startsWith("#")) {
        String refusal = file + ": expected SETTING=VALUE, found '" + line + "'";
        String key = pair.length == 2 ? pair[0] : "";
        given.put(setting(one -> one.isVariable() && one.name().equals(key), refusal), pair[1]);
      }
    }
  }

  private static Setting setting(Predicate<Setting> isIt, String refusal) {
    return Arrays.stream(Setting.values())
        .filter(isIt)
        .findFirst()
        .orElseThrow(() -> new Refusal(refusal));
  }

  boolean has(String option) {
    return parsed.hasMatchedOption(option);
  }

  Optional<String> value(String option) {
    return has(option) ? Optional.of(parsed.matchedOptionValue(option, "")) : Optional.empty();
  }

  String needed(String option, String words) {
    String value = value(option).orElse("");
    if (value.isEmpty()) {
      throw new Refusal(option + ": expected " + words + ", found nothing (see --help)");
    }
    return value;
  }

  private List<String> resetFlags() {
    List<String> names =
        has("--reset") ? parsed.matchedOptionValue("--reset", List.of()) : List.of();
    return names.stream().map(name -> "--" + name.replaceFirst("^--", "")).toList();
  }

  /** The settings that get their defaults back. */
  List<Setting> reset() {
    return resetFlags().stream()
        .filter(name -> !name.equals(EXCLUDE) && !name.equals(MONITORING))
        .map(Arguments::ofFlag)
        .toList();
  }

  private static Setting ofFlag(String name) {
    String refusal = "--reset: expected the name of a setting's flag, found '" + name + "'";
    return setting(one -> one.flag().equals(name), refusal);
  }

  /** Whether request logs are excluded; empty if the deployed state stays. */
  Optional<Boolean> excludeRequestLogs() {
    boolean asked = has(EXCLUDE);
    return asked || resetFlags().contains(EXCLUDE) ? Optional.of(asked) : Optional.empty();
  }

  /** The address for alerts: an empty text for nobody; empty if the deployed state stays. */
  Optional<String> alertsTo() {
    Optional<String> none = resetFlags().contains(MONITORING) ? Optional.of("") : Optional.empty();
    return value(MONITORING).or(() -> none);
  }
}
