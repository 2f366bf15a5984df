package dev.tallyroll.timestamps;

import static com.google.cloud.firestore.Filter.and;
import static com.google.cloud.firestore.Filter.arrayContains;
import static com.google.cloud.firestore.Filter.equalTo;
import static com.google.cloud.firestore.Filter.inArray;
import static com.google.cloud.firestore.Filter.or;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.common.math.IntMath;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.library.ObservedCalls;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.timestamps.Shards.Fields;
import dev.tallyroll.timestamps.TwinCollections.Steps;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * For random documents, filters, limits, directions and pages, a sharded collection gives the same
 * answers as an unsharded one with the same documents, and a page costs no more than its Javadoc
 * says.
 */
@On(Site.SHARED)
final class EqualAnswersIT {
  private static final int FILTERS = 8;

  private static final int PAGES = 6;

  private final ObservedCalls calls = new ObservedCalls();
  @AutoClose private final Firestore firestore;

  EqualAnswersIT(LocalCloud cloud) {
    firestore = calls.connect(cloud);
  }

  @ParameterizedTest
  @CsvSource({"1,TIMES", "3,TIMES", "65,TIMES", "3,NUMBERS", "65,NUMBERS"})
  void pages_areThoseOfTheUnshardedCollection(int shardValues, Steps steps) throws Exception {
    Random random = new Random(Long.getLong("tallyroll.seed", shardValues));
    ShardedTimestamp timestamp =
        steps.of(ShardedTimestamp.of(IntStream.range(0, shardValues).boxed().toList()));
    TwinCollections twins = new TwinCollections(firestore, steps);
    twins.write(timestamp, random);

    for (int i = 0; i < FILTERS; i++) {
      boolean group = random.nextBoolean();
      Direction direction = random.nextBoolean() ? Direction.ASCENDING : Direction.DESCENDING;
      UnaryOperator<Query> times = times(steps, random);
      Query sharded = fields(times.apply(twins.sharded(group)), i);
      Query plain = fields(times.apply(twins.plain(group)), i);
      int atOnce = BaseQuery.of(sharded, Fields.DEFAULT).valuesPerQuery();

      new Walk(
              timestamp.query(sharded, direction),
              calls,
              IntMath.divide(shardValues, atOnce, RoundingMode.CEILING),
              unsharded(plain, direction),
              1 + random.nextInt(30),
              "query " + i)
          .run(random);
    }
  }

  private static UnaryOperator<Query> times(Steps steps, Random random) {
    int step = random.nextInt(TwinCollections.TIMES);
    Object from = steps.value(step, random);
    Object to = steps.value(step + random.nextInt(TwinCollections.TIMES), random);
    return switch (random.nextInt(4)) {
      case 0 -> query -> query.whereGreaterThan("timestamp", from);
      case 1 ->
          query ->
              query.whereGreaterThanOrEqualTo("timestamp", from).whereLessThan("timestamp", to);
      default -> query -> query;
    };
  }

  private static Query fields(Query query, int filter) {
    return switch (filter) {
      case 0 -> query.whereEqualTo("a", 1);
      case 1 -> query.whereEqualTo("a", 1).whereEqualTo("b.c", 2);
      case 2 -> query.whereIn("a", List.of(1, 2, 20, 21, 22, 23, 24));
      case 3 -> query.whereArrayContains("tags", 1);
      case 4 -> query.whereArrayContainsAny("tags", List.of(1, 3));
      case 5 -> query.where(or(equalTo("a", 1), equalTo("b.c", 2)));
      case 6 ->
          query.where(
              or(and(inArray("a", List.of(0, 1)), arrayContains("tags", 2)), equalTo("b.c", 1)));
      default -> query;
    };
  }

  private static List<String> unsharded(Query query, Direction direction) throws Exception {
    Query ordered =
        query.orderBy("timestamp", direction).orderBy(FieldPath.documentId(), direction);
    return ids(get(ordered.get()).getDocuments());
  }

  private static List<String> ids(List<QueryDocumentSnapshot> documents) {
    return documents.stream().map(DocumentSnapshot::getId).toList();
  }

  /** Turns pages forward and back at random, and knows its place. */
  private record Walk(
      ShardedQuery query,
      ObservedCalls calls,
      int chunks,
      List<String> expected,
      int limit,
      String what) {

    void run(Random random) throws Exception {
      int start = 0;
      int end = Math.min(limit, expected.size());
      Page page = check(read(() -> query.page(limit)), start, end);
      for (int i = 0; i < PAGES; i++) {
        boolean back = random.nextInt(3) == 0;
        Optional<String> token = back ? page.previous() : page.next();
        if (token.isPresent()) {
          int from = start;
          start = back ? Math.max(0, from - limit) : end;
          end = back ? from : Math.min(end + limit, expected.size());
          page = check(read(() -> query.page(limit, token.get())), start, end);
        }
      }
    }

    private Page read(Supplier<ApiFuture<Page>> call) throws Exception {
      int queries = calls.queries();
      int documents = calls.documents();

      Page page = get(call.get());

      int batch = IntMath.divide(limit + 1, chunks, RoundingMode.CEILING) + 3;
      assertThat(calls.queries() - queries).as(what).isBetween(chunks, 2 * chunks);
      assertThat(calls.documents() - documents)
          .as(what)
          .isEqualTo(page.documentsRead())
          .isLessThanOrEqualTo(limit + 1 + (chunks == 1 ? 0 : chunks * batch));
      return page;
    }

    private Page check(Page page, int start, int end) {
      assertThat(ids(page.documents())).as(what).isEqualTo(expected.subList(start, end));
      assertThat(page.next().isPresent()).as(what).isEqualTo(end < expected.size());
      assertThat(page.previous().isPresent()).as(what).isEqualTo(start > 0);
      return page;
    }
  }
}
