package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.net.HostAndPort;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** No process of a local cloud stays after any kind of end. {@code UpIT} terminates one. */
final class LocalCloudLifecycleIT {
  private static final int EXIT_WITHIN_SECONDS = 20;

  private final Recorder recorder = new Recorder();

  @AfterEach
  void stopRecording() {
    recorder.close();
  }

  @Test
  void close_whileFunctionWorks_leavesNoProcess() throws Exception {
    recorder.holdAnswers();
    var cloud = LocalCloud.start(Stubs.options(recorder));
    cloud.tick();
    recorder.await(1, event -> true);
    var pids = cloud.pids();

    cloud.close();
    cloud.close();

    assertThat(pids).hasSize(4).noneMatch(LocalCloudLifecycleIT::isAlive);
  }

  @Test
  void killedLauncher_takesItsChildrenAlong() throws Exception {
    var launcher = launch();
    var pids = pidsOf(launcher);

    launcher.destroyForcibly().waitFor(EXIT_WITHIN_SECONDS, TimeUnit.SECONDS);

    await("all children ended")
        .until(() -> pids.stream().noneMatch(LocalCloudLifecycleIT::isAlive));
  }

  @Test
  void functionThatCannotStart_isQuotedAndNothingIsLeft() {
    int port = Loopback.freePorts(1).get(0);
    var classes = Stubs.CLASSES.resolve("../test-classes"); // no other test names them so
    var options =
        Stubs.options(recorder)
            .firestorePort(port)
            .functions(classes, StubFunction.class.getName(), "no.such.Function");

    assertThatThrownBy(() -> LocalCloud.start(options))
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining("the function roll-up ended with exit code")
        .hasMessageContaining("no.such.Function");

    assertThat(Loopback.isFree(port)).isTrue();
    assertThat(ProcessHandle.current().descendants())
        .noneMatch(child -> child.info().commandLine().orElse("").contains(classes.toString()));
  }

  @Test
  void takenPort_isNamed() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      var options = Stubs.options(recorder).firestorePort(taken.getLocalPort());

      assertThatThrownBy(() -> LocalCloud.start(options))
          .hasMessageContaining(
              "expected port %d of 127.0.0.1 to be free".formatted(taken.getLocalPort()));
    }
  }

  @Test
  void nothingToAttachTo_isNamed() {
    var nowhere = HostAndPort.fromParts(Loopback.HOST, Loopback.freePorts(1).get(0));
    var options = Stubs.options(recorder).attached(Optional.of(nowhere));

    assertThatThrownBy(() -> LocalCloud.start(options))
        .hasMessageContaining("expected a Firestore emulator at " + nowhere + ", found");
  }

  private Process launch() throws Exception {
    var java = ProcessHandle.current().info().command().orElseThrow();
    return new ProcessBuilder(
            java,
            "-D" + Checkout.HOME_PROPERTY + "=" + System.getProperty(Checkout.HOME_PROPERTY),
            "-cp",
            System.getProperty("java.class.path"),
            Stubs.class.getName(),
            recorder.address())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static List<Long> pidsOf(Process launcher) throws Exception {
    BufferedReader output = launcher.inputReader(StandardCharsets.UTF_8);
    var line = output.readLine();
    assertThat(line).as("what the launcher printed").isNotNull();
    return Arrays.stream(line.split(" ")).map(Long::valueOf).toList();
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
