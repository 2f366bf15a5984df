package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutTest {
  @TempDir private Path root;

  @Test
  void functionJar_isTheOnlyOne() throws Exception {
    var jar = given("functions/target/function/x-9.jar");
    given("functions/target/function/libs/gson.jar");

    assertThat(new Checkout(root).functionJar()).isEqualTo(jar);
  }

  @Test
  void severalFunctionJars_areRefused() throws Exception {
    given("functions/target/function/x-8.jar");
    given("functions/target/function/x-9.jar");

    assertThatThrownBy(() -> new Checkout(root).functionJar())
        .hasMessageContaining("expected one function jar")
        .hasMessageContaining("x-8.jar")
        .hasMessageContaining("x-9.jar");
  }

  @Test
  void whatIsNotBuilt_isNamed() {
    assertThatThrownBy(() -> new Checkout(root).functionJar()).hasMessageContaining("mvn package");
    assertThatThrownBy(() -> new Checkout(root).invokerJar("1.4.1"))
        .hasMessageContaining("java-function-invoker-1.4.1.jar");
  }

  @Test
  void jvmOptions_areTheDeployedOnesInAContainerOfItsSize() throws Exception {
    Files.writeString(given("deploy/gcloud/jvm-options"), "-XX:+UseSerialGC\n");

    assertThat(new Checkout(root).functionJvmOptions())
        .isEqualTo("-XX:+UseSerialGC -XX:MaxRAM=512m");
  }

  private Path given(String file) throws IOException {
    var path = root.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.createFile(path);
  }
}
