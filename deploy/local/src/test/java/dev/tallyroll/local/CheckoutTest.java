package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CheckoutTest {
  @TempDir private Path root;

  @Test
  void functionJar_isTheOnlyOne() throws Exception {
    var jar = Archives.write(root.resolve("functions/target/function/x-9.jar"), Archives.jar());

    assertThat(new Checkout(root).functionJar()).isEqualTo(jar);
  }

  @Test
  void severalFunctionJars_areRefused() throws Exception {
    Archives.write(root.resolve("functions/target/function/x-8.jar"), Archives.jar());
    Archives.write(root.resolve("functions/target/function/x-9.jar"), Archives.jar());

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
}
