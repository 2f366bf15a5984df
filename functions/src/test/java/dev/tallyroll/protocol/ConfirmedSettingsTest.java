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
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.protocol.ConfirmedSettings.Found;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfirmedSettingsTest {
  private final ConfirmedSettings.Documents documents = mock(ConfirmedSettings.Documents.class);
  private Instant now = Instant.EPOCH;
  private final InstantSource clock = () -> now;
  private final ConfirmedSettings confirmed =
      new ConfirmedSettings(documents, Layout.DEFAULT, /* showsFields= */ false, clock);

  private final List<String> journal = new ArrayList<>();

  @BeforeEach
  void answer() {
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
    found(Optional.empty());
    assertThat(judged(nothing(2)).isDoubted(Cause.NO_FIELD)).isTrue();
  }

  @Test
  void documentAmongTheShardsOfOtherSettings_isADoubtOfThose() {
    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.OTHER));
    Map<String, Object> fields = ours();
    fields.put("count_field", "Cnt");
    found(Optional.of(fields));

    assertThat(judged(nothing(1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
  }

  @Test
  void shardThatHasComeSinceTheSum_isSummed() {
    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.SHARD));
    when(documents.sum(LIKES)).thenReturn(completedFuture(sum(2, 2)));

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

    assertThat(sum.isDoubted(Cause.OTHER_SETTINGS)).isTrue();
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

  private Sum judgedWithFields(Sum sum) {
    return new ConfirmedSettings(documents, Layout.DEFAULT, /* showsFields= */ true, clock)
        .judge(LIKES, sum)
        .join();
  }

  /**
   * Its document, or documents without what is counted, keep it: the total is 0, without a doubt.
   */
  @Test
  void counterOfWhichSomethingIsLeft_isNotGone() {
    when(documents.isThere(LIKES)).thenReturn(completedFuture(true));
    assertThat(judgedWithFields(nothing(1))).isEqualTo(nothing(1).over(Remains.OWN_DOCUMENT));

    when(documents.isThere(LIKES)).thenReturn(completedFuture(false));
    assertThat(judgedWithFields(nothing(1)).isOfNothing()).isTrue();

    when(documents.findShard(LIKES)).thenReturn(completedFuture(Found.OTHER));
    assertThat(judgedWithFields(nothing(1))).isEqualTo(nothing(1).over(Remains.UNCOUNTED));

    found(Optional.empty());
    assertThat(judgedWithFields(nothing(1)).isDoubted(Cause.NO_FIELD)).isTrue();
    found(Optional.of(others()));
    assertThat(judgedWithFields(nothing(1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
  }

  /** Only its document is read; the other reads are for a removal. */
  @Test
  void emptiedCounter_staysAsLongAsItsDocument() {
    ConfirmedSettings fields =
        new ConfirmedSettings(documents, Layout.DEFAULT, /* showsFields= */ true, clock);
    when(documents.isThere(LIKES)).thenReturn(completedFuture(true));
    assertThat(fields.judgeEmptied(LIKES, nothing(1)).join())
        .isEqualTo(nothing(1).over(Remains.OWN_DOCUMENT));
    verify(documents, never()).findShard(any());
    verify(documents, never()).settings(any());

    when(documents.isThere(LIKES)).thenReturn(completedFuture(false));
    assertThat(fields.judgeEmptied(LIKES, nothing(1)).join()).isEqualTo(nothing(1));
    verify(documents).findShard(LIKES);
    verify(documents).settings(Layout.DEFAULT);
    assertThat(fields.judgeEmptied(LIKES, sum(3, 2)).join()).isEqualTo(sum(3, 2));
  }

  @Test
  void document_isReadForEachRemoval() {
    judged(sum(2, 1));
    judged(nothing(2));
    found(Optional.empty());

    assertThat(judged(nothing(3)).doubt()).contains(new Doubt(Cause.NO_SETTINGS, "no document"));
  }

  @Test
  void readThatFails_isNoAnswer() {
    when(documents.settings(Layout.DEFAULT))
        .thenReturn(failedFuture(new IllegalStateException("UNAVAILABLE")));

    assertThat(confirmed.judge(LIKES, nothing(1))).isCompletedExceptionally();
  }

  private Sum confirmed(Sum sum) {
    return confirmed.confirm(sum).join();
  }

  private boolean agree() {
    return confirmed.agree(this::write).join();
  }

  private void write(Severity severity, String message, Map<String, ?> fields) {
    journal.add(message);
  }

  private void pass(Duration time) {
    now = now.plus(time);
  }

  /** Its total waits for that, or an instance with other settings could write one, too. */
  @Test
  void firstSumOverAShard_createsTheDocumentAndWaits() {
    found(Optional.empty());
    assertThat(agree()).isTrue();
    confirmed(nothing(1));
    verify(documents, never()).createSettings(any(), any());

    CompletableFuture<Void> creating = new CompletableFuture<>();
    when(documents.createSettings(any(), any())).thenReturn(creating);
    CompletableFuture<Sum> first = confirmed.confirm(sum(2, 1));
    CompletableFuture<Sum> second = confirmed.confirm(sum(3, 2));
    assertThat(first).isNotCompleted();
    found(Optional.of(ours()));
    creating.complete(null);

    assertThat(first).isCompletedWithValue(sum(2, 1));
    assertThat(second).isCompletedWithValue(sum(3, 2));
    assertThat(confirmed(sum(4, 3))).isEqualTo(sum(4, 3));
    verify(documents, times(1)).createSettings(Layout.DEFAULT, ours());
  }

  /** Another instance has been faster. */
  @Test
  void documentThatIsThereByThen_isCompared() {
    found(Optional.empty());
    agree();
    found(Optional.of(others()));

    assertThat(confirmed(sum(2, 1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
    assertThat(confirmed(sum(3, 2)).isUsable()).isFalse();
  }

  @Test
  void creationThatFails_failsTheSum() {
    found(Optional.empty());
    when(documents.createSettings(any(), any()))
        .thenReturn(failedFuture(new IllegalStateException("UNAVAILABLE")));
    assertThat(confirmed.confirm(sum(2, 1))).isCompletedExceptionally();
    assertThat(confirmed.confirm(sum(2, 1))).isCompletedExceptionally();

    verify(documents, times(2)).createSettings(any(), any());
  }

  private static Map<String, Object> others() {
    Map<String, Object> fields = ours();
    fields.put("count_field", "Cnt");
    return fields;
  }

  @Test
  void settingsThatAgree_areReadOnceAMinute() {
    assertThat(agree()).isTrue();
    found(Optional.of(others()));
    pass(Duration.ofSeconds(59));
    assertThat(agree()).isTrue();
    verify(documents, times(1)).settings(Layout.DEFAULT);

    pass(Duration.ofSeconds(1));
    assertThat(agree()).isFalse();
    assertThat(journal).singleElement().asString().startsWith("totals were made with other");
  }

  /** Once an operator has confirmed these, or put the others back, it goes on within a second. */
  @Test
  void settingsThatDiffer_areReadOnceASecondAndToldOnceAMinute() {
    found(Optional.of(others()));
    for (int tenths = 0; tenths < 600; tenths++) {
      assertThat(agree()).isFalse();
      pass(Duration.ofMillis(100));
    }
    verify(documents, times(60)).settings(Layout.DEFAULT);
    assertThat(journal).hasSize(1);

    found(Optional.of(ours()));
    assertThat(agree()).isTrue();
  }

  /** An instance may live for a single event, which comes within a second of its start. */
  @Test
  void settingsThatDifferAtTheStart_areToldAtOnce() {
    assertThat(confirmed.agree(Optional.of(others()), this::write)).isFalse();
    assertThat(journal).hasSize(1);

    assertThat(agree()).isFalse();
    assertThat(journal).hasSize(1);
    verify(documents, never()).settings(Layout.DEFAULT);
  }

  @Test
  void documentOfOthers_isAsIfSettingsDiffered() {
    found(Optional.of(Map.of("essay", "long")));
    assertThat(agree()).isFalse();
    found(Optional.of(Map.of("counters", "polls", "count_field", "count")));
    pass(Duration.ofSeconds(1));
    assertThat(agree()).isFalse();
  }

  @Test
  void sweep_readsBeforeEachPage() {
    Journal none = (severity, message, fields) -> {};
    assertThat(confirmed.agreeNow(none).join()).isTrue();
    found(Optional.of(others()));
    assertThat(confirmed.agreeNow(none).join()).isFalse();
  }

  @Test
  void readThatFails_failsWhoAsks() {
    when(documents.settings(Layout.DEFAULT))
        .thenReturn(failedFuture(new IllegalStateException("UNAVAILABLE")));
    assertThat(confirmed.agree((severity, message, fields) -> {})).isCompletedExceptionally();
  }
}
