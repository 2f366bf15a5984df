package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConditionsTest {
  /** A field of the same map, which an app sums, stays beside them. */
  @Test
  void fieldsOfOneMap_areAllPut() {
    Conditions shown =
        new Conditions(
            Map.of(
                FieldName.of("review", "state"), Optional.of("shown"),
                FieldName.of("review", "of"), Optional.of("p1"),
                FieldName.of("deleted"), Optional.empty()));
    Map<String, Object> data = new HashMap<>();

    shown.putInto(data);
    FieldName.of("review", "stars").put(data, 5L);

    assertThat(data.get("review")).isEqualTo(Map.of("state", "shown", "of", "p1", "stars", 5L));
    assertThat(data).containsEntry("deleted", null).hasSize(2);
  }
}
