package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.sum;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an instance may write, by the document of settings, which a test changes. */
class ConfirmedSettingsTest {
  private final InMemory documents = new InMemory();
  private Instant now = Instant.EPOCH;
  private final InstantSource clock = () -> now;
  private final ConfirmedSettings confirmed =
      new ConfirmedSettings(documents, Layout.DEFAULT, /* showsFields= */ false, clock);

  private final List<String> journal = new ArrayList<>();

  private static Map<String, Object> ours() {
    return new HashMap<>(
        Map.of(
            "counters", "{parent=**}/counters",
            "shards_collection", "shards",
            "rollups_collection", "rollups",
            "count_field", "count"));
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
    documents.first = Found.OTHER;

    assertThat(judged(nothing(1)).isDoubted(Cause.NO_FIELD)).isTrue();
    documents.settings = Optional.empty();
    assertThat(judged(nothing(2)).isDoubted(Cause.NO_FIELD)).isTrue();
  }

  @Test
  void documentAmongTheShardsOfOtherSettings_isADoubtOfThose() {
    documents.first = Found.OTHER;
    Map<String, Object> fields = ours();
    fields.put("count_field", "Cnt");
    documents.settings = Optional.of(fields);

    assertThat(judged(nothing(1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
  }

  @Test
  void shardThatHasComeSinceTheSum_isSummed() {
    documents.first = Found.SHARD;
    documents.sum = sum(2, 2);

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
    documents.settings = Optional.of(fields);

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
    documents.settings = Optional.of(fields);

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
    documents.hasOwn = true;
    assertThat(judgedWithFields(nothing(1))).isEqualTo(nothing(1).over(Remains.OWN_DOCUMENT));

    documents.hasOwn = false;
    assertThat(judgedWithFields(nothing(1)).isOfNothing()).isTrue();

    documents.first = Found.OTHER;
    assertThat(judgedWithFields(nothing(1))).isEqualTo(nothing(1).over(Remains.UNCOUNTED));

    documents.settings = Optional.empty();
    assertThat(judgedWithFields(nothing(1)).isDoubted(Cause.NO_FIELD)).isTrue();
    documents.settings = Optional.of(others());
    assertThat(judgedWithFields(nothing(1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
  }

  /** Only its document is read; the other reads are for a removal. */
  @Test
  void emptiedCounter_staysAsLongAsItsDocument() {
    ConfirmedSettings fields =
        new ConfirmedSettings(documents, Layout.DEFAULT, /* showsFields= */ true, clock);
    documents.hasOwn = true;
    assertThat(fields.judgeEmptied(LIKES, nothing(1)).join())
        .isEqualTo(nothing(1).over(Remains.OWN_DOCUMENT));
    assertThat(documents.calls).containsExactly("own");

    documents.hasOwn = false;
    assertThat(fields.judgeEmptied(LIKES, nothing(1)).join()).isEqualTo(nothing(1));
    assertThat(documents.calls).containsExactlyInAnyOrder("own", "own", "shard", "settings");
    assertThat(fields.judgeEmptied(LIKES, sum(3, 2)).join()).isEqualTo(sum(3, 2));
  }

  @Test
  void document_isReadForEachRemoval() {
    judged(sum(2, 1));
    judged(nothing(2));
    documents.settings = Optional.empty();

    assertThat(judged(nothing(3)).doubt()).contains(new Doubt(Cause.NO_SETTINGS, "no document"));
  }

  @Test
  void readThatFails_isNoAnswer() {
    documents.isUp = false;

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
    documents.settings = Optional.empty();
    assertThat(agree()).isTrue();
    confirmed(nothing(1));
    assertThat(documents.calls).doesNotContain("create");

    documents.creating = new CompletableFuture<>();
    CompletableFuture<Sum> first = confirmed.confirm(sum(2, 1));
    CompletableFuture<Sum> second = confirmed.confirm(sum(3, 2));
    assertThat(first).isNotCompleted();
    documents.creating.complete(null);

    assertThat(first).isCompletedWithValue(sum(2, 1));
    assertThat(second).isCompletedWithValue(sum(3, 2));
    assertThat(confirmed(sum(4, 3))).isEqualTo(sum(4, 3));
    assertThat(documents.calls).containsOnlyOnce("create");
    assertThat(documents.settings).contains(ours());
  }

  /** Another instance has been faster. */
  @Test
  void documentThatIsThereByThen_isCompared() {
    documents.settings = Optional.empty();
    agree();
    documents.settings = Optional.of(others());

    assertThat(confirmed(sum(2, 1)).isDoubted(Cause.OTHER_SETTINGS)).isTrue();
    assertThat(confirmed(sum(3, 2)).isUsable()).isFalse();
  }

  @Test
  void creationThatFails_failsTheSum() {
    documents.settings = Optional.empty();
    documents.isUp = false;
    assertThat(confirmed.confirm(sum(2, 1))).isCompletedExceptionally();
    assertThat(confirmed.confirm(sum(2, 1))).isCompletedExceptionally();

    assertThat(documents.calls).filteredOn("create"::equals).hasSize(2);
  }

  private static Map<String, Object> others() {
    Map<String, Object> fields = ours();
    fields.put("count_field", "Cnt");
    return fields;
  }

  @Test
  void settingsThatAgree_areReadOnceAMinute() {
    assertThat(agree()).isTrue();
    documents.settings = Optional.of(others());
    pass(Duration.ofSeconds(59));
    assertThat(agree()).isTrue();
    assertThat(documents.calls).containsOnlyOnce("settings");

    pass(Duration.ofSeconds(1));
    assertThat(agree()).isFalse();
    assertThat(journal).singleElement().asString().startsWith("totals were made with other");
  }

  /** Once an operator has confirmed these, or put the others back, it goes on within a second. */
  @Test
  void settingsThatDiffer_areReadOnceASecondAndToldOnceAMinute() {
    documents.settings = Optional.of(others());
    for (int tenths = 0; tenths < 600; tenths++) {
      assertThat(agree()).isFalse();
      pass(Duration.ofMillis(100));
    }
    assertThat(documents.calls).filteredOn("settings"::equals).hasSize(60);
    assertThat(journal).hasSize(1);

    documents.settings = Optional.of(ours());
    assertThat(agree()).isTrue();
  }

  /** An instance may live for a single event, which comes within a second of its start. */
  @Test
  void settingsThatDifferAtTheStart_areToldAtOnce() {
    assertThat(confirmed.agree(Optional.of(others()), this::write)).isFalse();
    assertThat(journal).hasSize(1);

    assertThat(agree()).isFalse();
    assertThat(journal).hasSize(1);
    assertThat(documents.calls).doesNotContain("settings");
  }

  @Test
  void documentOfOthers_isAsIfSettingsDiffered() {
    documents.settings = Optional.of(Map.of("essay", "long"));
    assertThat(agree()).isFalse();
    documents.settings = Optional.of(Map.of("counters", "polls", "count_field", "count"));
    pass(Duration.ofSeconds(1));
    assertThat(agree()).isFalse();
  }

  @Test
  void sweep_readsBeforeEachPage() {
    Journal none = (severity, message, fields) -> {};
    assertThat(confirmed.agreeNow(none).join()).isTrue();
    documents.settings = Optional.of(others());
    assertThat(confirmed.agreeNow(none).join()).isFalse();
  }

  @Test
  void readThatFails_failsWhoAsks() {
    documents.isUp = false;
    assertThat(confirmed.agree((severity, message, fields) -> {})).isCompletedExceptionally();
  }

  /** The documents of one counter, and what was asked of them. */
  private static final class InMemory implements ConfirmedSettings.Documents {
    private final List<String> calls = new ArrayList<>();
    private Optional<Map<String, Object>> settings = Optional.of(ours());
    private Found first = Found.NOTHING;
    private boolean hasOwn;
    private Sum sum = nothing(1);
    private boolean isUp = true;

    /** A creation takes effect when this is complete. */
    private CompletableFuture<Void> creating = completedFuture(null);

    private <T> CompletableFuture<T> answer(String call, T answer) {
      calls.add(call);
      return isUp
          ? completedFuture(answer)
          : failedFuture(new IllegalStateException("UNAVAILABLE"));
    }

    @Override
    public CompletableFuture<Sum> sum(Located counter) {
      return answer("sum", sum);
    }

    @Override
    public CompletableFuture<Found> findShard(Located counter) {
      return answer("shard", first);
    }

    @Override
    public CompletableFuture<Boolean> isThere(Located counter) {
      return answer("own", hasOwn);
    }

    @Override
    public CompletableFuture<Optional<Map<String, Object>>> settings(Layout layout) {
      return answer("settings", settings);
    }

    @Override
    public CompletableFuture<Void> createSettings(Layout layout, Map<String, Object> fields) {
      return answer("create", fields)
          .thenCombine(creating, (ours, done) -> settings.orElse(ours))
          .thenAccept(there -> settings = Optional.of(there));
    }
  }
}
