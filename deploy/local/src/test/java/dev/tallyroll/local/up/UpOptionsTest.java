package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.HostAndPort;
import dev.tallyroll.local.Invocation;
import dev.tallyroll.local.up.Controls.Step;
import dev.tallyroll.local.up.UpOptions.Rules;
import dev.tallyroll.settings.EntryRules.RulesKind;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The whole program refuses bad options, and starts nothing. */
final class UpOptionsTest {
  private static final String PLAIN =
      "the plain ones that deploy/gcloud/rules prints for these settings";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void withoutOptions_runsTheDemo() {
    var options = parse();

    options.validate();
    assertThat(options.traffic()).isEqualTo(20);
    assertThat(options.rules(false, true).printed()).isTrue();
    assertThat(options.rules(false, true).kind()).isEmpty();
    assertThat(options.metadata()).isEmpty();
    assertThat(options.seconds).isEmpty();
    assertThat(options.faults).isFalse();
  }

  @Test
  void kindOfRules_isThatOfTheSettingsUnlessGiven() {
    assertThat(parse("").rules(true, true).kind()).isEmpty();
    assertThat(parse("").rules(true, true).step()).isEqualTo(Step.PASS);
    assertThat(parse("--rules printed").rules(true, true).kind()).isEmpty();
    assertThat(parse("--rules plain").rules(true, true).step()).isEqualTo(Step.ONE);
  }

  @Test
  void rules_areNoneIfNoEntryHasSome() {
    assertThat(parse("").rules(false, false)).isEqualTo(Rules.NONE);
    assertThat(parse("--rules printed").rules(false, false).printed()).isTrue();
  }

  /** A page's code stays as it is. A port that is asked for is taken. */
  @Test
  void firestorePort_isTheUsualOneIfThatIsFree() {
    assertThat(parse("").firestorePort(port -> port == 8080)).isEqualTo(8080);
    assertThat(parse("").firestorePort(port -> false)).isZero();
    assertThat(parse("--firestore-port 0").firestorePort(port -> true)).isZero();
    assertThat(parse("--attach firestore:8080").firestorePort(port -> true)).isZero();
    assertThat(parse("").isUsualPortTaken(port -> false)).isTrue();
    assertThat(parse("--firestore-port 1").isUsualPortTaken(port -> false)).isFalse();
    assertThat(parse("--attach firestore:8080").isUsualPortTaken(port -> false)).isFalse();
  }

  @Test
  void allOptions_areTaken() {
    var options =
        parse(
            "--project=demo-x1 --firestore-port 1 --page-port=3 --rules strict --traffic 0.5"
                + " --seconds 6 --faults --host 0.0.0.0 --export new");

    options.validate();
    assertThat(options.project()).isEqualTo("demo-x1");
    assertThat(options.firestorePort(port -> false)).isEqualTo(1);
    assertThat(options.pagePort).isEqualTo(3);
    assertThat(options.rules(false, true).kind()).contains(RulesKind.STRICT);
    assertThat(options.host).isEqualTo("0.0.0.0");
    assertThat(options.exportTo).contains(Path.of("new"));
    assertThat(options.traffic()).isEqualTo(0.5);
    assertThat(options.seconds).contains(6);
    assertThat(options.faults).isTrue();
  }

  @Test
  void import_isWithoutTrafficAndFindsItsFile(@TempDir Path folder) throws Exception {
    Path own = Files.createDirectories(folder.resolve("firestore_export"));
    Path metadata = Files.createFile(own.resolve("firestore_export.overall_export_metadata"));

    var options = parse("--import " + folder);

    options.validate();
    assertThat(options.traffic()).isZero();
    assertThat(options.metadata()).contains(metadata);
    assertThatThrownBy(parse("--traffic 5 --import " + folder)::validate)
        .hasMessageStartingWith("--traffic: expected none with --import");
  }

  @Test
  void attached_isWithoutTrafficAndKeepsItsRules() {
    var options = parse("--attach firestore:8080");

    options.validate();
    assertThat(options.attached()).contains(HostAndPort.fromParts("firestore", 8080));
    assertThat(options.traffic()).isZero();
    assertThat(options.rules(false, true).files()).isEmpty();
    assertThat(options.rules(false, true).names())
        .startsWith("those of the emulator at firestore:");
  }

  /** Whoever has named the project needs no hint that there are others. */
  @Test
  void project_isAskedForUnlessItIsNamed() {
    assertThat(parse("--attach firestore:8080").nothingFound())
        .startsWith("Project demo-tallyroll of the emulator at firestore:8080 holds no total");
    assertThat(parse("--attach firestore:8080 --project demo-tallyroll").nothingFound()).isEmpty();
    assertThat(parse("").nothingFound()).isEmpty();
  }

  /** Rules hold once one write was refused. */
  @Test
  void rules_areSaidAsTheyWereFound() {
    var plain = parse("--rules plain").rules(false, true);
    var rollup = Optional.of("rollups/r");

    assertThat(plain.rights("(default)", Optional.empty()).words())
        .startsWith(PLAIN + "; a client signs in with ");
    assertThat(plain.rights("stats", Optional.empty()).words())
        .startsWith(PLAIN + " in the database stats; a client");
    assertThat(plain.rights("stats", rollup).words())
        .isEqualTo(
            "with "
                + PLAIN
                + ", anybody may write rollups/r in the database stats, signed in or not");
    assertThat(parse("--rules none").rules(false, true).rights("(default)", rollup).words())
        .isEqualTo("none, so any client may do anything");
  }

  /** The page offers what they let a client add. Where they do not hold, that is anything. */
  @ParameterizedTest
  @CsvSource({
    "'', ONE",
    "--rules printed, ONE",
    "'--rules plain,deploy/clients/recipes.rules', ONE",
    "--rules strict, PASS",
    "--rules none, ANY",
    "--attach firestore:8080, ANY"
  })
  void rules_letAClientAddThis(String option, Step step) {
    Rules rules = parse(option.replace("deploy", "../../deploy")).rules(false, true);

    assertThat(rules.rights("(default)", Optional.empty()).step()).isEqualTo(step);
    assertThat(rules.rights("(default)", Optional.of("rollups/r")).step()).isEqualTo(Step.ANY);
  }

  @Test
  void ownRules_areAFile(@TempDir Path folder) throws Exception {
    Path own = Files.writeString(folder.resolve("own.rules"), "rules_version = '2';");

    assertThat(parse("--rules " + own).rules(false, true).files()).containsExactly(own);
    assertThat(parse("--rules " + own).rules(false, true).kind()).isEmpty();
    assertThat(parse("--rules plain," + own).rules(false, true).files()).containsExactly(own);
    assertThat(parse("--rules plain," + own).rules(false, true).kind()).contains(RulesKind.PLAIN);
    assertThat(parse("--rules none").rules(false, true).files()).isEmpty();
    assertThat(parse("--rules " + own).rules(false, true).step()).isEqualTo(Step.ANY);
  }

  @Test
  void none_isNoTraffic() {
    assertThat(parse("--traffic none").traffic()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --tick              | Unknown option: '--tick'
          likes               | Unmatched argument at index 0: 'likes'
          --settings not/there | --settings: expected a file that can be read; found
          --totals up         | up: expected JSON
          --totals not/there  | not/there: expected a file of totals; found
          --settings up   | up: expected KEY=VALUE with a key of deploy/gcloud/settings.env; found 'set -euo pipefail'
          --seconds           | Missing required parameter for option '--seconds' (S)
          --seconds 0         | --seconds: expected a whole number from 1 to 86400; found '0'
          --seconds=ten       | Invalid value for option '--seconds': 'ten' is not an int
          --seconds --faults  | Expected parameter for option '--seconds' but found '--faults'
          --project X         | --project: expected a project id of 6 to 30 lower-case letters
          --traffic 0         | --traffic: expected none, or increments
          --page-port 65536   | --page-port: expected a whole number from 0 to 65535; found '65536'
          --rules lax         | --rules: expected printed, plain, strict, none, or a file of rules; found 'lax'
          --rules plain,lax   | --rules: expected printed, plain, strict, none, or a file of rules; found 'lax'
          --host example.org  | --host: expected 127.0.0.1 or 0.0.0.0; found 'example.org'
          --attach 8080       | --attach: expected host and port, such as 127.0.0.1:8080; found '8080'
          --attach a:8 --rules none | --attach: expected no --firestore-port, --host, --rules and --import
          --attach a:8 --traffic 5 | --traffic: expected none with --import or --attach
          --import not/there  | --import: expected a folder that can be read; found
          --import src/main   | --import: expected the folder of one export of Firestore; found 'src/main'
          --export src/main   | --export: expected a folder that is not there; found 'src/main'
          --export not/there  | --export: expected a folder to make it in; found '/
          --traffic none --faults | --faults: expected traffic to disturb; found '--traffic none'
          """)
  void malformedOption_isRefusedByName(String arguments, String message) {
    assertThat(run(arguments.split(" "))).isEqualTo(Invocation.BAD_OPTIONS);
    assertThat(err.toString())
        .startsWith(message)
        .endsWith("Try deploy/local/up --help" + System.lineSeparator());
    assertThat(out.toString()).isEmpty();
  }

  private int run(String... arguments) {
    return Invocation.run(
        new Up(), List.of(arguments), new PrintWriter(out, true), new PrintWriter(err, true));
  }

  private static UpOptions parse(String... arguments) {
    var options = new UpOptions();
    String line = String.join(" ", arguments);
    new CommandLine(options)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(line.isEmpty() ? new String[0] : line.split(" "));
    return options;
  }
}
