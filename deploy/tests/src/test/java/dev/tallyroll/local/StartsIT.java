package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.common.net.HostAndPort;
import dev.tallyroll.Home;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Starts on machines that lack a program or a file, or where something else is wrong. */
final class StartsIT {
  @TempDir private Path folder;

  /** Runs a line of bash, with its exit status as the last line of the answer. */
  private String bash(String line) {
    return Home.run(
        folder,
        Map.of("HOME_OF_TALLYROLL", Home.ROOT.toString()),
        "bash",
        "-c",
        "(" + line + ") 2>&1; echo status $?");
  }

  @ParameterizedTest
  @ValueSource(strings = {"up", "bench", "bill"})
  void help_needsNoBuild(String command) throws Exception {
    var copy = Files.createDirectories(folder.resolve("deploy/local"));
    Files.createSymbolicLink(copy.resolve("lib"), Home.ROOT.resolve("deploy/local/lib"));
    Files.copy(Home.ROOT.resolve("deploy/local/" + command), copy.resolve(command));

    assertThat(bash("PATH=/usr/bin:/bin bash deploy/local/" + command + " --help"))
        .startsWith("Usage: deploy/local/" + command)
        .endsWith("status 0\n");
  }

  @Test
  void pathWithAnAccent_isFound() throws Exception {
    Files.createSymbolicLink(folder.resolve("clé"), Home.ROOT);

    assertThat(
            bash(
                """
                unset LANG LC_ALL && export LC_CTYPE=C home=$PWD/clé
                . "$home/deploy/local/lib/command"
                build() { :; }
                java_command
                "${java[@]}" dev.tallyroll.local.bill.Bill --version
                """))
        .startsWith("tallyroll ")
        .endsWith("status 0\n");
  }

  @Test
  void noJava_isTold() {
    assertThat(build("other", "unset JAVA_HOME"))
        .isEqualTo("expected Java 17 or later on the PATH, found none\nstatus 3\n");
  }

  @Test
  void oldJava_isTold() {
    assertThat(build("java", "unset JAVA_HOME"))
        .isEqualTo("expected Java 17 or later on the PATH, found 11\nstatus 3\n");
    assertThat(
            build("java", "mkdir -p old/bin && cp bin/java old/bin && export JAVA_HOME=$PWD/old"))
        .matches("expected Java 17 or later in JAVA_HOME, \\S+/old, found 11\nstatus 3\n");
  }

  /** Begins a build on a machine that has few programs, and perhaps an old Java. */
  private String build(String old, String line) {
    return bash(
        """
        mkdir -p bin && for one in bash cat chmod cp dirname find head ls mkdir sed; do ln -sf "$(command -v $one)" bin; done
        cat >bin/%1$s <<'EOF'
        #!/bin/sh
        echo 'openjdk version "11.0.2"' >&2
        EOF
        chmod +x bin/%1$s
        export PATH=$PWD/bin home=$PWD command=deploy/local/up
        %2$s
        . "$HOME_OF_TALLYROLL/deploy/local/lib/command"
        java_command
        """
            .formatted(old, line));
  }

  @Test
  void noMaven_isTold() {
    assertThat(
            bash(
                """
                mkdir bin && for one in bash dirname find head ls sed java; do ln -s "$(command -v $one)" bin; done
                export PATH=$PWD/bin home=$PWD command=deploy/local/up
                . "$HOME_OF_TALLYROLL/deploy/local/lib/command"
                java_command
                """))
        .isEqualTo(
            "expected Maven 3.8 or later on the PATH, found no mvn; see"
                + " maven.apache.org/install.html\nstatus 3\n");
  }

  /** A Maven that begins a module, and takes its time. */
  @ParameterizedTest
  @CsvSource({"kill -INT -- -$!, 130", "kill $!, 143"})
  void signalDuringTheBuild_endsItAndMaven(String kill, int status) throws Exception {
    assertThat(Files.readString(Home.ROOT.resolve("README.md"))).contains("Maven downloads 240 MB");
    assertThat(
            bash(
                """
                mkdir -p bin deploy/local
                cat >bin/mvn <<'EOF'
                #!/bin/sh
                echo $$ >pid
                echo '[INFO] Building Tallyroll: shared 1.0.0-rc.1              [2/5]'
                exec sleep 100
                EOF
                chmod +x bin/mvn
                export PATH=$PWD/bin:$PATH home=$PWD
                set -m # as a terminal does, a process group for it
                # A build in the background would ignore SIGINT, and bash cannot undo that.
                perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' bash -euo pipefail -c \
                  '. "$HOME_OF_TALLYROLL/deploy/local/lib/command"; java_command' >out 2>&1 &
                set +m
                until [ -e out ] && grep -q shared out; do sleep 0.1; done
                %s
                ended=0; wait $! || ended=$?
                cat out
                for _ in $(seq 50); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.1; done
                ! kill -0 "$(cat pid)" 2>/dev/null || echo 'Maven goes on'
                exit $ended
                """
                    .formatted(kill)))
        .isEqualTo(
            "building; the first time, Maven downloads 240 MB, which takes some minutes\n"
                + "  2 of 5, Tallyroll: shared\nstatus "
                + status
                + "\n");
  }

  @Test
  void buildThatFails_isToldByItsErrors() {
    assertThat(
            bash(
                """
                mkdir -p bin deploy/local/target && touch deploy/local/target/built
                printf '#!/bin/sh\\necho "[ERROR] no space"\\nexit 1\\n' >bin/mvn && chmod +x bin/mvn
                export PATH=$PWD/bin:$PATH home=$PWD
                . "$HOME_OF_TALLYROLL/deploy/local/lib/command"
                stale() { :; }
                java_command
                """))
        .isEqualTo("building what has changed\nthe build failed:\n[ERROR] no space\nstatus 3\n");
  }

  @Test
  void folderThatCannotBeMade_isTold() {
    assertThat(
            bash(
                """
                mkdir -p deploy/local && touch deploy/local/target
                export home=$PWD command=deploy/local/up
                . "$HOME_OF_TALLYROLL/deploy/local/lib/command"
                java_command
                """))
        .matches("expected a folder that can be written to, found \\S+/target\nstatus 3\n");
  }

  @Test
  void noHome_isNoMatter() {
    int java = Runtime.version().feature();
    assertThat(
            bash(
                "env -u HOME \"$HOME_OF_TALLYROLL/deploy/local/lib/emulators\" "
                    + java
                    + " firestore"))
        .startsWith("firestore\t")
        .endsWith("status 0\n");
  }

  @Test
  void functionThatCannotStart_isQuotedAndNothingIsLeft() {
    int port = Loopback.freePorts(1).get(0);
    var options =
        new LocalCloudOptions()
            .firestorePort(port)
            .settings(Map.of("JAVA_TOOL_OPTIONS", "-XX:NoSuchOption"))
            .log(line -> {});

    assertThatThrownBy(() -> LocalCloud.start(options))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("the function on-shard-written ended with exit code")
        .hasMessageContaining("NoSuchOption");

    assertThat(Loopback.isFree(port)).isTrue();
  }

  /** The compiler's word on the joined text, with the file that the user knows. */
  @Test
  void mistakeInAFileOfRules_isToldWithItsFileAndLine(@On(Site.SHARED) LocalCloud cloud)
      throws Exception {
    var plain = Home.ROOT.resolve("deploy/firestore/firestore.rules");
    var mistaken = folder.resolve("mistaken.rules");
    Files.writeString(mistaken, "match /a/{id} {\n  allow get;\n}\nmtach /b/{id} {}\n");
    var rules = SecurityRules.of(List.of(plain, mistaken));

    assertThatThrownBy(() -> cloud.loadRules(rules))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining(
            "expected security rules that compile, found\n" + mistaken + ":4: Unexpected")
        .hasMessageNotContaining("http:");
  }

  /** The compiler only warns; each write that comes there would be refused. */
  @Test
  void functionThatNoFileOfRulesHas_isToldWithItsFileAndLine(@On(Site.SHARED) LocalCloud cloud)
      throws Exception {
    var plain = Home.ROOT.resolve("deploy/firestore/firestore.rules");
    var lacking = folder.resolve("lacking.rules");
    Files.writeString(
        lacking, "match /a/{id} {\n  allow read;\n  allow update: if keepsTotal_members();\n}\n");
    var rules = SecurityRules.of(List.of(plain, lacking));

    assertThatThrownBy(() -> cloud.loadRules(rules))
        .isInstanceOf(LocalCloudException.class)
        .hasMessage(
            "expected security rules that have all their functions, found\n"
                + lacking
                + ":3: Invalid function name: keepsTotal_members.");
  }

  @Test
  void nothingToAttachTo_isNamed() {
    var nowhere = HostAndPort.fromParts(Loopback.HOST, Loopback.freePorts(1).get(0));
    var options = new LocalCloudOptions().settings(Map.of()).attached(Optional.of(nowhere));

    assertThatThrownBy(() -> LocalCloud.start(options))
        .hasMessageContaining("expected a Firestore emulator at " + nowhere + ", found");
  }

  /** Two would share a live list. */
  @Test
  void nameOfFunctionsThatAreAtWork_isRefused(@On(Site.SHARED) LocalCloud cloud) throws Exception {
    String project = "demo-" + UUID.randomUUID().toString().substring(0, 8);
    var address = Optional.of(HostAndPort.fromString(cloud.firestoreHost()));
    var options = new LocalCloudOptions().project(project).settings(Map.of()).attached(address);
    var until = Timestamp.ofTimeSecondsAndNanos(Timestamp.now().getSeconds() + 60, 0);
    Firestore firestore =
        FirestoreOptions.newBuilder()
            .setProjectId(project)
            .setEmulatorHost(cloud.firestoreHost())
            .build()
            .getService();
    firestore.document("rollup_runs/tallyroll/live/run-0").set(Map.of("until", until)).get();
    firestore.shutdown();

    assertThatThrownBy(() -> LocalCloud.start(options))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("no functions with the name tallyroll at work there")
        .hasMessageContaining(until.toString());
  }
}
