package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.TransactionOptions;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Times;
import dev.tallyroll.settings.FoldSettings;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A document's field, counted by clients of the extension. Thread-safe. */
final class FoldedPage implements DemoCounter.Source {
  static final FieldName VISITS = FieldName.of("visits");

  private final DocumentReference page;
  private final FieldName field;
  private final CollectionReference shards;
  private final List<String> clients;
  private final Random random = new Random(1);

  /**
   * @param clients how many clients there are, each with a shard; 0 for a new one each time
   */
  FoldedPage(DocumentReference page, FieldName field, String shardsCollection, int clients) {
    this.page = page;
    this.field = field;
    this.shards = page.collection(shardsCollection);
    this.clients = Stream.generate(FoldedPage::client).limit(clients).toList();
  }

  /**
   * The fields that clients may count, and the demo the first of them; visits, if all are folded.
   */
  static Stream<FieldName> fields(FoldSettings settings) {
    return settings.fields().isEmpty()
        ? Stream.of(VISITS)
        : settings.fields().stream().sorted(Comparator.comparing(FieldName::toString));
  }

  private static String client() {
    return UUID.randomUUID().toString();
  }

  @Override
  public String name() {
    return page.getPath() + " " + field;
  }

  @Override
  public ApiFuture<Instant> increment() {
    String client = clients.isEmpty() ? client() : clients.get(next());
    return ApiFutures.transform(
        shards.document(client).set(field.alone(FieldValue.increment(1)), SetOptions.merge()),
        written -> Times.instant(written.getUpdateTime()),
        MoreExecutors.directExecutor());
  }

  private synchronized int next() {
    return random.nextInt(clients.size());
  }

  @Override
  public long exact() throws ExecutionException, InterruptedException {
    return page.getFirestore()
        .runTransaction(
            transaction -> {
              long sum = number(transaction.get(page).get());
              for (DocumentSnapshot shard : transaction.get(shards).get()) {
                sum += number(shard);
              }
              return sum;
            },
            TransactionOptions.createReadOnlyOptionsBuilder().build())
        .get();
  }

  private long number(DocumentSnapshot found) {
    return found.get(field.path()) instanceof Number number ? number.longValue() : 0;
  }

  @Override
  public ListenerRegistration listen(Consumer<RolledUpTotal> reader) {
    return page.addSnapshotListener(
        (found, failure) -> {
          if (found != null && found.get(field.path()) instanceof Number number) {
            Instant at = Times.instant(found.getUpdateTime());
            reader.accept(RolledUpTotal.of(Total.of(number), at, /* isLive= */ false));
          }
        });
  }
}
