package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Counters;
import dev.tallyroll.Increment;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Increments in an app's own commits: a like and its document, all or nothing. */
@On(Site.SHARED)
@Tag("core")
final class OwnCommitsIT {
  private static final Map<String, Object> FIELDS = Map.of("by", "u");

  private final TestClient client;
  private Counter likes;
  private DocumentReference like;

  OwnCommitsIT(LocalCloud cloud) {
    client = new TestClient(cloud);
    likes = client.fresh();
    like = client.document(likes);
  }

  @BeforeEach
  void create() throws Exception {
    likes = client.created(3);
    like = client.document(likes).collection("likes").document("u");
  }

  @AfterEach
  void close() {
    client.close();
  }

  private ApiFuture<List<WriteResult>> commit(Increment one) {
    WriteBatch batch = client.firestore().batch().create(like, FIELDS);
    one.addTo(batch);
    return batch.commit();
  }

  private void assertTotal(long expected) throws Exception {
    assertThat(get(likes.exactTotal())).isEqualTo(new Total.Whole(expected));
  }

  @Test
  void like_countsOnceWithItsDocument() throws Exception {
    get(commit(get(likes.prepare(1))));
    assertTotal(1);

    assertThatThrownBy(() -> get(commit(get(likes.prepare(1)))))
        .hasMessageContaining("ALREADY_EXISTS");
    assertTotal(1);

    WriteBatch back = client.firestore().batch().delete(like);
    get(likes.prepare(-1)).addTo(back);
    get(back.commit());
    assertTotal(0);
    get(commit(get(likes.prepareFraction(0.5))));
    assertThat(get(likes.exactTotal())).isEqualTo(new Total.Fraction(0.5));
  }

  @Test
  void transactionThatIsTriedAgain_countsOnceAndLocksNoShard() throws Exception {
    likes = client.created(1);
    Increment one = get(likes.prepare(1));
    AtomicInteger attempts = new AtomicInteger();

    get(
        client
            .firestore()
            .runTransaction(
                transaction -> {
                  get(transaction.get(like));
                  transaction.create(like, FIELDS);
                  one.addTo(transaction);
                  get(likes.add(10));
                  if (attempts.incrementAndGet() == 1) {
                    throw contention();
                  }
                  return "done";
                }));

    assertThat(attempts).hasValue(2);
    assertTotal(21);
  }

  /** What the client throws when a document that was read has changed. */
  private static ApiException contention() {
    return ApiExceptionFactory.createException(
        new IOException("contention"), GrpcStatusCode.of(Status.Code.ABORTED), true);
  }

  /** The reply of its first commit is lost, so the second attempt finds the like. */
  @Test
  void transactionWhoseReplyIsLost_countsOnce() throws Exception {
    Increment one = get(likes.prepare(1));
    AtomicInteger attempts = new AtomicInteger();
    client.calls().loseNext(1, Status.Code.ABORTED);

    get(
        client
            .firestore()
            .runTransaction(
                transaction -> {
                  attempts.incrementAndGet();
                  if (!get(transaction.get(like)).exists()) {
                    transaction.create(like, FIELDS);
                    one.addTo(transaction);
                  }
                  return "done";
                }));

    assertThat(attempts).hasValue(2);
    assertTotal(1);
  }

  @Test
  void missingShard_failsTheCommitUntilItIsPreparedAgain() throws Exception {
    likes = client.created(1);
    Increment one = get(likes.prepare(1));
    get(client.shard(likes, 0).delete());
    assertThatThrownBy(() -> get(commit(one))).hasMessageContaining("NOT_FOUND");
    assertThat(get(like.get()).exists()).isFalse();
    client.forget();

    Increment again = get(one.again());

    var cost = client.bill();
    assertThat(List.of(cost.reads(), cost.writes())).containsExactly(1L, 2L);
    get(commit(again));
    assertTotal(1);
  }

  @Test
  void shardThatIsThere_keepsItsCountWhenPreparedAgain() throws Exception {
    likes = client.created(1);
    get(client.shard(likes, 0).update("count", FieldValue.increment(7)));

    get(commit(get(get(likes.prepare(1)).again())));

    assertTotal(8);
  }

  @Test
  void deletedCounter_isNotBroughtBack() throws Exception {
    Increment one = get(likes.prepare(1));
    Counters others = FirestoreCounters.of(client.firestore(), TestClient.UNWATCHED);
    get(others.counter(likes.path()).delete());

    assertThatThrownBy(() -> get(commit(one))).hasMessageContaining("NOT_FOUND");
    assertThatThrownBy(() -> get(one.again())).hasCauseInstanceOf(CounterException.NotFound.class);
    assertThatThrownBy(() -> get(likes.prepare(1)))
        .hasCauseInstanceOf(CounterException.NotFound.class);

    assertThat(client.document(likes).listCollections()).isEmpty();
  }
}
