package dev.tallyroll.local.up;

import static dev.tallyroll.local.Invocation.check;

import com.google.common.net.HostAndPort;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.local.up.Controls.Rights;
import dev.tallyroll.local.up.Controls.Step;
import dev.tallyroll.settings.EntryRules.RulesKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code deploy/local/up}. Filled in by picocli, then only read. */
final class UpOptions {
  private static final String ID = "[a-z][a-z0-9-]{4,28}[a-z0-9]";
  private static final String DEMO = "demo-tallyroll";

  /** A fixed port, so that the code of a page stays as it is from one start to the next. */
  static final int FIRESTORE_PORT = 8080;

  private static final String PRINTED = "printed";
  private static final Pattern METADATA = Pattern.compile(".*[.]overall_export_metadata");

  /**
   * The security rules of the emulator. They bind clients, and never servers.
   *
   * @param printed whether rules are printed for the settings, the first of all
   * @param kind of those; empty for the kinds of the settings
   * @param files the rules, or files with further matches
   * @param names of the rules; empty if there shall be none
   * @param step what they let a client add to a shard
   */
  record Rules(
      boolean printed, Optional<RulesKind> kind, List<Path> files, String names, Step step) {
    static final Rules NONE = new Rules(false, Optional.empty(), List.of(), "", Step.ANY);

    /**
     * The rights of clients, for the author of a client, by what was tried.
     *
     * @param open a document that anybody may write, though no rule should let them; empty if that
     *     was refused
     */
    Rights rights(String database, Optional<String> open) {
      return new Rights(words(database, open), open.isPresent() ? Step.ANY : step);
    }

    private String words(String database, Optional<String> open) {
      if (equals(NONE)) {
        return "none, so any client may do anything";
      }
      String place =
          database.equals(Emulator.DEFAULT_DATABASE) ? "" : " in the database " + database;
      return open.map(
              document ->
                  "with %s, anybody may write %s%s, signed in or not"
                      .formatted(names, document, place))
          .orElse(
              names
                  + place
                  + "; a client signs in with {mockUserToken: {user_id: 'me'}}, servers need not");
    }
  }

  @Option(
      names = "--project",
      paramLabel = "ID",
      description = "project to play (default " + DEMO + ")")
  private Optional<String> project = Optional.empty();

  @Option(
      names = "--settings",
      paramLabel = "FILE",
      description =
          "settings in the form of deploy/gcloud/settings.env, as deploy takes them; a variable of"
              + " the environment wins. PROJECT and REGION change nothing here")
  Optional<Path> settings = Optional.empty();

  @Option(
      names = "--totals",
      paramLabel = "FILE",
      description =
          "the app's file of totals, such as totals.json (default: the one that TOTALS in the"
              + " settings names; without any, sharded counters in counters)")
  Optional<Path> totals = Optional.empty();

  @Option(
      names = "--firestore-port",
      paramLabel = "PORT",
      description =
          "port for Firestore, or 0 for a free one (default: "
              + FIRESTORE_PORT
              + ", or a free one)")
  private Optional<Integer> firestorePort = Optional.empty();

  @Option(
      names = "--attach",
      paramLabel = "HOST:PORT",
      description =
          "use the Firestore emulator that runs there, such as that of \"firebase emulators:start\""
              + " with this --project; its data and rules stay as they are; the demo then writes"
              + " nothing; functions that share it have a NAME each, in their files for --settings,"
              + " but for --fold, whose NAME is fold")
  private Optional<String> attach = Optional.empty();

  @Option(
      names = "--page-port",
      paramLabel = "PORT",
      description = "port for the page (default: a free one)")
  int pagePort;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description =
          "address that Firestore listens on: 127.0.0.1 (default), or 0.0.0.0 for phones and"
              + " containers, and so for everybody in your network")
  String host = "127.0.0.1";

  @Option(
      names = "--rules",
      paramLabel = "printed|plain|strict|none|FILE[,FILE...]",
      description =
          "security rules for clients: those that deploy/gcloud/rules prints, for each entry the"
              + " ones of its \"rules\" (printed, the default; none at all if no entry has any);"
              + " plain or strict in their place, for entries whose shards clients increment; none"
              + " at all; or your own. For {parent=**}, they are those for counters at the root. The matches"
              + " in further files, or whole ones as deploy/gcloud/rules prints them, are put below"
              + " those of the first")
  private @Nullable String rules;

  @Option(
      names = "--import",
      paramLabel = "DIR",
      description =
          "start with the data of an export, by --export or by the Firebase CLI; the demo then"
              + " writes nothing")
  Optional<Path> importFrom = Optional.empty();

  @Option(
      names = "--export",
      paramLabel = "DIR",
      description =
          "in the end, also at SIGTERM, write all data to this folder, which must not be there yet")
  Optional<Path> exportTo = Optional.empty();

  @Option(
      names = "--traffic",
      paramLabel = "RATE|none",
      description =
          "changes a second, over all totals of the demo (default 20; none with --import or"
              + " --attach)")
  private @Nullable String traffic;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "end after S seconds, as Ctrl-C does: stop the traffic, wait until every total"
              + " equals its shards, print a summary")
  Optional<Integer> seconds = Optional.empty();

  @Option(
      names = "--fold",
      description =
          "count in the place of Firebase's extension firestore-counter, with FOLD=PT1S and"
              + " FOLD_DOCUMENTS=pages/{page} unless the settings have others: the demo has"
              + " documents that fit the first pattern, and clients with a shard each; the rules"
              + " follow from FOLD_DOCUMENTS and FOLD_FIELDS")
  boolean fold;

  @Option(
      names = "--faults",
      description =
          "run two instances of OnShardWritten, and make everything go wrong: events doubled, late,"
              + " out of order and sent again; both functions killed every few seconds; their calls"
              + " of Firestore late, refused, cut off, carried out without an answer. In the end all"
              + " is repaired and swept. The functions' warnings go to"
              + " deploy/local/target/faults.log")
  boolean faults;

  /**
   * Checks the options that picocli does not check. Options with a format of their own are read.
   *
   * @throws TypeConversionException if an option is out of its range, or two options exclude each
   *     other
   */
  void validate() {
    check(
        project().matches(ID),
        "--project",
        "a project id of 6 to 30 lower-case letters, digits and hyphens",
        project());
    firestorePort.ifPresent(given -> check("--firestore-port", given, 0, 65_535));
    check("--page-port", pagePort, 0, 65_535);
    seconds.ifPresent(given -> check("--seconds", given, 1, 86_400));
    double rate = traffic();
    check(!faults || rate > 0, "--faults", "traffic to disturb", "--traffic none");
    check(
        !hasOthersData() || rate == 0,
        "--traffic",
        "none with --import or --attach, whose counters may be those of the demo",
        rate);
    check(
        attached().isEmpty()
            || (firestorePort.isEmpty()
                && host.equals("127.0.0.1")
                && rules == null
                && importFrom.isEmpty()),
        "--attach",
        "no --firestore-port, --host, --rules and --import, which an emulator takes at its start",
        attach.orElse(""));
    check(host.matches("127.0.0.1|0.0.0.0"), "--host", "127.0.0.1 or 0.0.0.0", host);
    exportTo.ifPresent(
        folder -> {
          check(Files.notExists(folder), "--export", "a folder that is not there", folder);
          Path parent = folder.toAbsolutePath().resolve("..").normalize();
          check(Files.isWritable(parent), "--export", "a folder to make it in", parent);
        });
    var unusedRules = rules(/* strict= */ false, /* printable= */ true);
    var unusedMetadata = metadata();
  }

  /**
   * The rules that are asked for.
   *
   * @param strict whether those of the settings want a pass
   * @param printable whether there are any for the settings
   */
  Rules rules(boolean strict, boolean printable) {
    if (attach.isPresent()) {
      String theirs =
          "those of the emulator at %s for the project %s".formatted(attach.get(), project());
      return new Rules(false, Optional.empty(), List.of(), theirs, Step.ANY);
    }
    String rules = Optional.ofNullable(this.rules).orElse("");
    if (rules.equals("none") || (this.rules == null && !printable)) {
      return Rules.NONE;
    }
    List<String> names = new ArrayList<>(List.of(rules.split(",", -1)));
    Optional<RulesKind> kind =
        Stream.of(RulesKind.PLAIN, RulesKind.STRICT)
            .filter(each -> names.get(0).equals(word(each)))
            .findFirst();
    boolean printed = this.rules == null || names.get(0).equals(PRINTED) || kind.isPresent();
    boolean wantPass = kind.map(given -> given == RulesKind.STRICT).orElse(strict);
    Step step = !printed ? Step.ANY : wantPass ? Step.PASS : Step.ONE;
    if (printed) {
      names.set(
          0,
          kind.map(given -> "the " + word(given) + " ones").orElse("those")
              + " that deploy/gcloud/rules prints for these settings");
    }
    List<Path> files = new ArrayList<>();
    for (String name : names.subList(printed ? 1 : 0, names.size())) {
      check(
          Files.isReadable(Path.of(name)),
          "--rules",
          "printed, plain, strict, none, or a file of rules",
          name);
      files.add(Path.of(name));
    }
    return new Rules(printed, kind, files, String.join(" with ", names), step);
  }

  private static String word(RulesKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** The file of the import that the emulator needs; empty without --import. */
  Optional<Path> metadata() {
    return importFrom.map(UpOptions::metadataIn);
  }

  String project() {
    return project.orElse(DEMO);
  }

  /**
   * The advice where no counter is found; empty if the emulator is our own, or if the user has
   * named the project.
   */
  String nothingFound() {
    return attach
        .filter(address -> project.isEmpty())
        .map(
            address ->
                """
                Project %s of the emulator at %s holds no total yet. An emulator cannot list its \
                projects: if your app names another one, start up with --project=ITS-ID."""
                    .formatted(DEMO, address))
        .orElse("");
  }

  /** Whether the database may hold counters of the user's at the start. */
  private boolean hasOthersData() {
    return importFrom.isPresent() || attach.isPresent();
  }

  /** The emulator to use; empty without --attach. */
  Optional<HostAndPort> attached() {
    return attach.map(UpOptions::address);
  }

  private static HostAndPort address(String given) {
    boolean isAddress =
        given.matches("[A-Za-z0-9.-]+:[0-9]{1,5}")
            && Integer.parseInt(given.substring(given.indexOf(':') + 1)) <= 65_535;
    check(isAddress, "--attach", "host and port, such as 127.0.0.1:8080", given);
    return HostAndPort.fromString(given);
  }

  /** The port for Firestore; 0 for a free one. */
  int firestorePort(IntPredicate isFree) {
    return firestorePort.orElse(attach.isEmpty() && !isUsualPortTaken(isFree) ? FIRESTORE_PORT : 0);
  }

  /** Whether Firestore would have the usual port, if that were free. */
  boolean isUsualPortTaken(IntPredicate isFree) {
    return attach.isEmpty() && firestorePort.isEmpty() && !isFree.test(FIRESTORE_PORT);
  }

  /** The metadata file of an export, which the Firebase CLI puts into an inner folder. */
  private static Path metadataIn(Path folder) {
    try (Stream<Path> files =
        Files.find(folder, 2, (file, is) -> METADATA.matcher(file.toString()).matches())) {
      List<Path> found = files.toList();
      check(found.size() == 1, "--import", "the folder of one export of Firestore", folder);
      return found.get(0).toAbsolutePath();
    } catch (IOException unreadable) {
      throw new TypeConversionException(
          "--import: expected a folder that can be read; found " + unreadable);
    }
  }

  /** Increments a second; 0 for none. */
  double traffic() {
    String traffic = Optional.ofNullable(this.traffic).orElse(hasOthersData() ? "none" : "20");
    boolean isNumber = traffic.matches("[0-9]{1,5}(\\.[0-9]{1,3})?");
    double rate = isNumber ? Double.parseDouble(traffic) : 0;
    check(
        traffic.equals("none") || (rate >= 0.01 && rate <= 10_000),
        "--traffic",
        "none, or increments a second from 0.01 to 10000",
        traffic);
    return rate;
  }
}
