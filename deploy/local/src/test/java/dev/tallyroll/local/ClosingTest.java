package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClosingTest {
  private final List<String> done = new ArrayList<>();
  private final Closing closing = new Closing(done::add);

  @Test
  void parts_areClosedOnceInReverseOrder() {
    closing.add(() -> done.add("first"));
    closing.add(() -> done.add("second"));

    closing.close();
    closing.close();

    assertThat(done).containsExactly("second", "first");
  }

  @Test
  void partThatFails_isLoggedAndTheOthersAreClosed() {
    closing.add(() -> done.add("first"));
    closing.add(
        () -> {
          throw new IllegalStateException("stuck");
        });

    closing.close();

    assertThat(done).hasSize(2).first().asString().contains("stuck");
    assertThat(done).last().isEqualTo("first");
  }

  @Test
  void partThatComesTooLate_isClosedAtOnce() {
    closing.close();

    assertThatThrownBy(() -> closing.add(() -> done.add("late")))
        .isInstanceOf(LocalCloudException.class);

    assertThat(done).containsExactly("late");
  }
}
