package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.sum;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Cause;
import dev.tallyroll.internal.Sum.Doubt;
import dev.tallyroll.protocol.ConfirmedSettings.Found;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfirmedSettingsTest {
  private final ConfirmedSettings.Documents documents = mock(ConfirmedSettings.Documents.class);
  private final InstantSource clock = mock(InstantSource.class);
  private final ConfirmedSettings confirmed =
      new ConfirmedSettings(documents, Layout.DEFAULT, clock);

  @BeforeEach
  void answer() {
    when(clock.instant()).thenReturn(Instant.EPOCH);
    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.NOTHING));
    found(Optional.of(ours()));
    when(documents.createSettings(any(), any())).thenReturn(completedFuture(null));
  }

  private static Map<String, Object> ours() {
    return new HashMap<>(
        Map.of(
            "counters", "{parent=**}/counters",
            "shards_collection", "shards",
            "rollups_collection", "rollups",
            "count_field", "count"));
  }

  private void found(Optional<Map<String, Object>> fields) {
    when(documents.settings(Layout.DEFAULT)).thenReturn(completedFuture(fields));
  }

  private Sum judged(Sum sum) {
    return confirmed.judge(LIKES, sum).join();
  }

  @Test
  void equalSettingsAndNoDocument_leaveNoDoubt() {
    assertThat(judged(nothing(1))).isEqualTo(nothing(1));
  }

  @Test
  void documentAmongTheShards_isADoubt() {
    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.OTHER));

    assertThat(judged(nothing(1)).isDoubted(Cause.NO_FIELD)).isTrue();
    verify(documents, never()).settings(Layout.DEFAULT);
  }

  @Test
  void shardThatHasComeSinceTheSum_isSummed() {
    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.SHARD));
    when(documents.quickSum(LIKES)).thenReturn(completedFuture(sum(2, 2)));

    assertThat(judged(nothing(1))).isEqualTo(sum(2, 2));
  }

  @ParameterizedTest
  @CsvSource({
    "counters, polls",
    "shards_collection, parts",
    "rollups_collection, totals",
    "count_field, Cnt",
    "counters,",
    "shards_collection,",
    "rollups_collection,",
    "count_field,",
  })
  void anotherSettingOrAMissingOne_isADoubt(String field, String other) {
    Map<String, Object> fields = ours();
    fields.compute(field, (name, own) -> other);
    found(Optional.of(fields));

    Sum sum = judged(nothing(1));

    assertThat(sum.isDoubted(Cause.SETTINGS)).isTrue();
    assertThat(sum.isUsable()).isFalse();
    assertThat(sum.doubt().map(Doubt::found).orElseThrow())
        .doesNotContain(field + "=" + ours().get(field));
  }

  @Test
  void fieldsOfOthersBesideOurs_areNotNamed() {
    Map<String, Object> fields = ours();
    fields.put("count_field", 7L);
    fields.put("essay", "long");
    found(Optional.of(fields));

    assertThat(judged(nothing(1)).doubt().map(Doubt::found).orElseThrow())
        .contains("count_field=no text")
        .doesNotContain("long");
  }

  @Test
  void document_isReadForEachRemoval() {
    judged(sum(2, 1));
    judged(nothing(2));
    found(Optional.empty());

    assertThat(judged(nothing(3)).doubt()).contains(new Doubt(Cause.SETTINGS, "no document"));
  }

  @Test
  void readThatFails_isNoAnswer() {
    when(documents.settings(Layout.DEFAULT))
        .thenReturn(failedFuture(new IllegalStateException("UNAVAILABLE")));

    assertThat(confirmed.judge(LIKES, nothing(1))).isCompletedExceptionally();
  }

  @Test
  void firstSumOverAShard_createsTheDocument() {
    judged(nothing(1));
    confirmed.seen(nothing(1));
    found(Optional.empty());
    judged(nothing(1));
    verify(documents, never()).createSettings(any(), any());

    confirmed.seen(sum(2, 1));
    judged(sum(3, 2));

    verify(documents, times(1)).createSettings(Layout.DEFAULT, ours());
  }

  @Test
  void documentThatHasGone_isCreatedAgain() {
    confirmed.seen(sum(2, 1));
    found(Optional.empty());
    judged(nothing(2));
    confirmed.seen(sum(2, 3));
    confirmed.allowSweeps((severity, message, fields) -> {}).join();
    confirmed.seen(sum(2, 4));

    verify(documents, times(3)).createSettings(any(), any());
  }

  @Test
  void documentThatWasSeen_isNotCreated() {
    assertThat(confirmed.allowSweeps((severity, message, fields) -> {}).join()).isTrue();
    confirmed.seen(sum(2, 1));

    verify(documents, never()).createSettings(any(), any());
  }

  @Test
  void creationThatFails_isTriedAgainAfterAMinuteAndDelaysNoSum() {
    when(documents.createSettings(any(), any()))
        .thenReturn(failedFuture(new IllegalStateException("UNAVAILABLE")));
    assertThat(judged(sum(2, 1))).isEqualTo(sum(2, 1));
    confirmed.seen(sum(2, 2));
    verify(documents, times(1)).createSettings(any(), any());

    when(clock.instant()).thenReturn(Instant.EPOCH.plusSeconds(60));
    confirmed.seen(sum(2, 3));

    verify(documents, times(2)).createSettings(any(), any());
  }
}
