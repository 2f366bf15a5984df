package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.FunctionServer.Function;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutTest {
  @TempDir private Path root;

  @Test
  void function_isTheDeployedOneInAContainerOfItsSize() throws Exception {
    var jar = given("functions/target/function/tallyroll.jar");
    var invoker = given("deploy/local/target/invokers/java-function-invoker-1.4.1.jar");
    Files.writeString(given("deploy/gcloud/jvm-options"), "-XX:+UseSerialGC\n");

    assertThat(new Checkout(root).function("f", "a.F", "1.4.1"))
        .isEqualTo(
            new Function("f", invoker, jar.toString(), "a.F", "-XX:+UseSerialGC -XX:MaxRAM=512m"));
  }

  @Test
  void whatIsNotBuilt_isNamed() {
    assertThatThrownBy(() -> new Checkout(root).function("f", "a.F", "1.4.1"))
        .hasMessageContaining("java-function-invoker-1.4.1.jar")
        .hasMessageContaining("mvn package");
  }

  @Test
  void jarThatFolds_isAnother() throws IOException {
    given("deploy/local/target/invokers/java-function-invoker-1.4.1.jar");
    assertThatThrownBy(() -> new Checkout(root).function("f", "dev.tallyroll.fold.Fold", "1.4.1"))
        .hasMessageContaining("/tallyroll-fold.jar");
    assertThatThrownBy(
            () -> new Checkout(root).function("f", "dev.tallyroll.functions.RollUp", "1.4.1"))
        .hasMessageContaining("/tallyroll.jar");
  }

  private Path given(String file) throws IOException {
    var path = root.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.createFile(path);
  }
}
