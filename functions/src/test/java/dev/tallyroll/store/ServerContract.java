package dev.tallyroll.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import com.google.firestore.v1.ArrayValue;
import com.google.firestore.v1.Value;
import com.google.protobuf.NullValue;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.FieldName;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what the functions and the library expect of Firestore, through the official client. The
 * simulated server and the official emulator both pass these tests, so that a simulation is not
 * easier than Firestore.
 *
 * <p>Where the emulator is known to differ, the simulated server follows Firestore's documentation:
 * the emulator's commits become visible later than their own time stamps say, which worlds play,
 * too.
 */
public abstract class ServerContract {
  /** A code as the client's failures show it. */
  private static final String REFUSED = "FAILED_PRECONDITION";

  private static final String LAST_ID = Character.toString(Character.MAX_CODE_POINT);

  protected abstract Firestore firestore();

  /** Waits for the outcome of a call. */
  protected abstract <T> T answer(ApiFuture<T> call) throws Exception;

  /** A name that no other test uses. */
  protected abstract String name();

  private <T> T get(ApiFuture<T> call) {
    try {
      return answer(call);
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }

  /** The code with which a call fails. */
  private String code(ApiFuture<?> call) {
    try {
      throw new AssertionError("expected a failure; found " + answer(call));
    } catch (ExecutionException failure) {
      return Failures.code(failure.getCause()).name();
    } catch (Exception other) {
      throw new AssertionError(other);
    }
  }

  private CollectionReference collection() {
    return firestore().collection(name());
  }

  private DocumentReference document() {
    return collection().document("one");
  }

  private DocumentSnapshot put(DocumentReference document, Map<String, ?> fields) {
    get(document.set(new HashMap<>(fields)));
    return get(document.get());
  }

  private void put(CollectionReference in, String... ids) {
    for (String id : ids) {
      put(in.document(id), Map.of("id", id));
    }
  }

  private Map<String, Object> fields(DocumentReference document) {
    return get(document.get()).getData();
  }

  @Test
  void documentThatIsMissing_hasAReadTime() {
    DocumentSnapshot found = get(document().get());

    assertThat(found.exists()).isFalse();
    assertThat(found.getReadTime()).isNotNull();
    assertThat(found.getUpdateTime()).isNull();
  }

  @Test
  void document_isReadAsWritten_atItsCommitsTime() {
    DocumentReference document = document();
    Map<String, Object> fields = new HashMap<>();
    fields.put("whole", 5L);
    fields.put("fraction", 0.5);
    fields.put("nan", Double.NaN);
    fields.put("text", "x");
    fields.put("flag", true);
    fields.put("none", null);
    fields.put("time", Timestamp.ofTimeSecondsAndNanos(7, 123_456_000));
    fields.put("list", Arrays.asList(1L, "a", null));
    fields.put("map", Map.of("inner", Map.of("x", 1L)));
    WriteResult written = get(document.set(fields));

    DocumentSnapshot found = get(document.get());

    assertThat(found.getData()).isEqualTo(fields);
    assertThat(found.getUpdateTime()).isEqualTo(written.getUpdateTime());
    assertThat(found.getCreateTime()).isEqualTo(written.getUpdateTime());
    assertThat(found.getReadTime()).isGreaterThanOrEqualTo(found.getUpdateTime());
  }

  @Test
  void create_isRefusedIfTheDocumentIsThere() {
    DocumentReference document = document();
    get(document.create(Map.of("a", 1L)));

    assertThat(code(document.create(Map.of("a", 2L)))).isEqualTo("ALREADY_EXISTS");

    assertThat(fields(document)).isEqualTo(Map.of("a", 1L));
  }

  @Test
  void update_isRefusedIfTheDocumentIsMissing() {
    DocumentReference document = document();

    assertThat(code(document.update("a", 1L))).isEqualTo("NOT_FOUND");
    assertThat(code(document.update(Map.of("a", 1L), Precondition.updatedAt(Timestamp.now()))))
        .isIn(REFUSED, "NOT_FOUND");

    assertThat(get(document.get()).exists()).isFalse();
  }

  @Test
  void version_isThatOfTheLastChange() {
    DocumentReference document = document();
    Precondition first = Precondition.updatedAt(put(document, Map.of("a", 1L)).getUpdateTime());
    DocumentSnapshot second = put(document, Map.of("a", 2L));

    assertThat(code(document.update(Map.of("a", 3L), first))).isEqualTo(REFUSED);
    assertThat(code(document.delete(first))).isEqualTo(REFUSED);
    assertThat(fields(document)).isEqualTo(Map.of("a", 2L));

    Precondition version = Precondition.updatedAt(second.getUpdateTime());
    WriteResult third = get(document.update(Map.of("a", 3L), version));
    assertThat(third.getUpdateTime()).isGreaterThan(second.getUpdateTime());
    get(document.delete(Precondition.updatedAt(third.getUpdateTime())));
    assertThat(get(document.get()).exists()).isFalse();
    assertThat(code(document.delete(version))).isIn(REFUSED, "NOT_FOUND");
    get(document.delete());
  }

  @Test
  void writeWithoutAChange_keepsTheVersion() {
    DocumentReference document = document();
    DocumentSnapshot before = put(document, Map.of("a", 1L));

    WriteResult again = get(document.update("a", 1L));

    assertThat(again.getUpdateTime()).isEqualTo(before.getUpdateTime());
    assertThat(get(document.get()).getUpdateTime()).isEqualTo(before.getUpdateTime());
  }

  @Test
  void batch_isCarriedOutAsAWholeOrNotAtAll() {
    CollectionReference in = collection();
    put(in, "a");
    WriteBatch refused = firestore().batch();
    refused.set(in.document("b"), Map.of("x", 1L));
    refused.create(in.document("a"), Map.of("x", 1L));
    refused.delete(in.document("a"));
    assertThat(code(refused.commit())).isEqualTo("ALREADY_EXISTS");
    assertThat(ids(in)).containsExactly("a");

    WriteBatch done = firestore().batch();
    done.set(in.document("b"), Map.of("x", 1L));
    done.update(in.document("b"), "x", FieldValue.increment(1L));
    done.delete(in.document("a"));
    List<WriteResult> results = get(done.commit());

    assertThat(results).hasSize(3);
    assertThat(fields(in.document("b"))).isEqualTo(Map.of("x", 2L));
    assertThat(get(in.document("b").get()).getUpdateTime())
        .isEqualTo(results.get(1).getUpdateTime());
    assertThat(ids(in)).containsExactly("b");
  }

  @Test
  void update_changesOnlyTheFieldsThatItNames() {
    DocumentReference document = document();
    put(document, Map.of("a", 1L, "map", Map.of("x", 1L, "y", 2L, "z", 3L)));

    get(
        document.update(
            FieldPath.of("map", "x"),
            5L,
            FieldPath.of("map", "y"),
            FieldValue.delete(),
            FieldPath.of("new", "b c", "d"),
            7L));

    assertThat(fields(document))
        .isEqualTo(
            Map.of(
                "a", 1L,
                "map", Map.of("x", 5L, "z", 3L),
                "new", Map.of("b c", Map.of("d", 7L))));
  }

  @Test
  void merge_keepsTheRest() {
    DocumentReference document = document();
    get(document.set(Map.of("map", Map.of("x", 1L)), SetOptions.merge()));
    get(document.set(Map.of("map", Map.of("y", 2L)), SetOptions.merge()));
    assertThat(fields(document)).isEqualTo(Map.of("map", Map.of("x", 1L, "y", 2L)));

    get(document.set(Map.of("z", 3L)));
    assertThat(fields(document)).isEqualTo(Map.of("z", 3L));
  }

  @Test
  void increment_addsToNumbersAndReplacesTheRest() {
    DocumentReference document = document();
    Map<String, Object> fields = new HashMap<>();
    fields.put("whole", 5L);
    fields.put("fraction", 0.5);
    fields.put("most", Long.MAX_VALUE);
    fields.put("least", Long.MIN_VALUE);
    fields.put("text", "x");
    put(document, fields);

    Map<String, Object> deltas = new HashMap<>();
    deltas.put("whole", FieldValue.increment(-7L));
    deltas.put("fraction", FieldValue.increment(1L));
    deltas.put("most", FieldValue.increment(1L));
    deltas.put("least", FieldValue.increment(-1L));
    deltas.put("text", FieldValue.increment(2L));
    deltas.put("new", FieldValue.increment(0.25));
    deltas.put("map", Map.of("inner", FieldValue.increment(3L)));
    get(document.set(deltas, SetOptions.merge()));

    Map<String, Object> after = new HashMap<>();
    after.put("whole", -2L);
    after.put("fraction", 1.5);
    after.put("most", Long.MAX_VALUE);
    after.put("least", Long.MIN_VALUE);
    after.put("text", 2L);
    after.put("new", 0.25);
    after.put("map", Map.of("inner", 3L));
    assertThat(fields(document)).isEqualTo(after);
  }

  @Test
  void serverTimestamp_isInMilliseconds_andNotLaterThanTheCommit() {
    DocumentReference document = document();
    get(document.set(Map.of("a", 1L, "since", FieldValue.serverTimestamp())));

    DocumentSnapshot found = get(document.get());

    Timestamp since = found.getTimestamp("since");
    assertThat(since.getNanos() % 1_000_000).isZero();
    assertThat(since).isLessThanOrEqualTo(found.getUpdateTime());
    assertThat(found.getUpdateTime().getSeconds() - since.getSeconds()).isLessThan(9);
  }

  @Test
  void document_hasAMegabyteAtMost() {
    DocumentReference document = document();
    put(document, Map.of("text", "x".repeat(1_000_000)));

    assertThat(code(document.update("more", "x".repeat(60_000)))).isEqualTo("INVALID_ARGUMENT");

    assertThat(fields(document)).containsOnlyKeys("text");
  }

  @Test
  void mask_leavesOutAllOtherFields() {
    DocumentReference[] documents = {document()};
    put(documents[0], Map.of("a", 1L, "map", Map.of("x", 1L, "y", 2L), "text", "z"));
    FieldMask mask =
        FieldMask.of(FieldPath.of("map", "x"), FieldPath.of("text", "inner"), FieldPath.of("b"));

    DocumentSnapshot found = get(firestore().getAll(documents, mask)).get(0);

    assertThat(found.getData()).isEqualTo(Map.of("map", Map.of("x", 1L)));
    assertThat(found.getUpdateTime()).isNotNull();
  }

  @Test
  void documents_areReadTogether_andMissingOnesSaySo() {
    CollectionReference in = collection();
    put(in, "a", "b");

    List<DocumentSnapshot> found =
        get(firestore().getAll(in.document("b"), in.document("none"), in.document("a")));

    assertThat(found).extracting(DocumentSnapshot::getId).containsExactly("b", "none", "a");
    assertThat(found).extracting(DocumentSnapshot::exists).containsExactly(true, false, true);
  }

  private List<String> ids(Query query) {
    return get(query.get()).getDocuments().stream().map(DocumentSnapshot::getId).toList();
  }

  @Test
  void query_isInTheOrderOfIds_numericOnesFirst() {
    CollectionReference in = collection();
    put(
        in,
        "b",
        "10",
        "a",
        "\t1",
        "2",
        "__id7__",
        "a__id7__",
        "a-b",
        "B",
        "ab",
        "run-0",
        "\uFFFD",
        "\uD83D\uDE00");
    put(in.document("a").collection("inner"), "c");
    Query all = in.orderBy(FieldPath.documentId());

    List<String> order =
        List.of(
            "__id7__",
            "\t1",
            "10",
            "2",
            "B",
            "a",
            "a-b",
            "a__id7__",
            "ab",
            "b",
            "run-0",
            "\uFFFD",
            "\uD83D\uDE00");
    assertThat(ids(in)).isEqualTo(order);
    assertThat(ids(all)).isEqualTo(order);
    assertThat(ids(all.limit(3))).isEqualTo(order.subList(0, 3));
    assertThat(ids(all.startAfter("10").limit(2))).containsExactly("2", "B");
    assertThat(ids(all.startAfter("11").limit(2))).containsExactly("2", "B");
    assertThat(ids(all.startAt("a").endBefore("b"))).containsExactly("a", "a-b", "a__id7__", "ab");
    assertThat(ids(all.startAt("b").endBefore("a"))).isEmpty();
    assertThat(ids(all.startAfter("\uD83D\uDE00"))).isEmpty();
  }

  @Test
  void query_withoutResults_hasAReadTime() {
    QuerySnapshot found = get(collection().limit(5).get());

    assertThat(found.isEmpty()).isTrue();
    assertThat(found.getReadTime()).isNotNull();
  }

  @Test
  void query_returnsOnlyTheFieldsThatItSelects() {
    CollectionReference in = collection();
    put(in.document("a"), Map.of("x", 1L, "y", 2L, "map", Map.of("z", 3L, "t", 4L)));

    DocumentSnapshot ids = get(in.select(FieldPath.documentId()).get()).getDocuments().get(0);
    DocumentSnapshot some =
        get(in.select(FieldPath.of("x"), FieldPath.of("map", "z")).get()).getDocuments().get(0);

    assertThat(ids.getData()).isEmpty();
    assertThat(ids.getUpdateTime()).isEqualTo(get(in.document("a").get()).getUpdateTime());
    assertThat(some.getData()).isEqualTo(Map.of("x", 1L, "map", Map.of("z", 3L)));
  }

  @Test
  void query_findsWhatIsLaterThanATime() {
    CollectionReference in = collection();
    put(in.document("c"), Map.of("since", Timestamp.ofTimeSecondsAndNanos(5, 1_000)));
    put(in.document("b"), Map.of("since", Timestamp.ofTimeSecondsAndNanos(6, 0)));
    put(in.document("a"), Map.of("since", Timestamp.ofTimeSecondsAndNanos(5, 0)));
    put(in.document("d"), Map.of("since", "later"));
    put(in.document("e"), Map.of("other", 1L));
    Query later = in.whereGreaterThan("since", Timestamp.ofTimeSecondsAndNanos(5, 0)).limit(10);

    assertThat(ids(later)).containsExactly("c", "b");
    assertThat(ids(later.limit(1))).containsExactly("c");
  }

  /** A page of a collection group, as the sweep reads it. */
  @Test
  void groups_areInTheOrderOfPaths_betweenTwoPlaces() {
    String name = name();
    String group = "group-" + name;
    for (String path : List.of("/r1/", "/r2/", "/r2/inner/x/", "-x/r1/", "0/a/")) {
      put(firestore().document(name + path + group + "/d"), Map.of("a", 1L));
    }
    put(firestore().document(group + "/d"), Map.of("a", 1L));
    put(firestore().document(name + "/r1/other/d"), Map.of("a", 1L));
    Query inside = PathRange.of(firestore(), group, name);

    assertThat(paths(inside))
        .containsExactly(
            name + "/r1/" + group + "/d",
            name + "/r2/" + group + "/d",
            name + "/r2/inner/x/" + group + "/d");
    DocumentReference first = firestore().document(name + "/r1/" + group + "/d");
    assertThat(paths(inside.startAfter(first).limit(1)))
        .containsExactly(name + "/r2/" + group + "/d");
    DocumentReference behind = firestore().document(name + "/r2/" + LAST_ID + "/" + LAST_ID);
    assertThat(paths(inside.startAfter(behind))).isEmpty();
    assertThat(paths(PathRange.of(firestore(), group, ""))).hasSize(6);
  }

  private List<String> paths(Query query) {
    return get(query.get()).getDocuments().stream()
        .map(each -> each.getReference().getPath())
        .toList();
  }

  @Test
  void sum_addsNumbers_andCountsWhateverIsInTheField() {
    CollectionReference in = collection();
    assertThat(summed(in)).isEqualTo("0 of 0");
    put(in.document("0"), Map.of("count", 5L));
    put(in.document("1"), Map.of("count", -2L));
    assertThat(summed(in)).isEqualTo("3 of 2");
    put(in.document("2"), Map.of("count", "text"));
    put(in.document("3"), Map.of("other", 1L));
    put(in.document("4"), Collections.singletonMap("count", null));
    put(in.document("0").collection("inner").document("x"), Map.of("count", 100L));
    assertThat(summed(in)).isEqualTo("3 of 4");
    put(in.document("1"), Map.of("count", 0.5));
    assertThat(summed(in)).isEqualTo("5.5 of 4");
    put(in.document("2"), Map.of("count", Double.NaN));
    assertThat(summed(in)).isEqualTo("NaN of 4");
    put(in.document("0"), Map.of("count", Long.MAX_VALUE));
    put(in.document("1"), Map.of("count", Long.MAX_VALUE));
    put(in.document("2"), Map.of("count", 1L));
    assertThat(summed(in)).isEqualTo(2 * 0x1p63 + " of 4");
  }

  private String summed(CollectionReference in) {
    AggregateField sum = AggregateField.sum("count");
    var found = get(in.aggregate(sum, AggregateField.count()).get());
    assertThat(found.getReadTime()).isNotNull();
    return found.get(sum) + " of " + found.getCount();
  }

  @Test
  void times_ofCommitsAndReadsRise() {
    CollectionReference in = collection();
    Timestamp last = Timestamp.MIN_VALUE;
    for (int i = 0; i < 10; i++) {
      Timestamp written = get(in.document("d" + i % 2).set(Map.of("i", i))).getUpdateTime();
      Timestamp read = get(in.limit(1).get()).getReadTime();
      assertThat(written).isGreaterThan(last);
      assertThat(read).isGreaterThanOrEqualTo(written);
      last = read;
    }
  }

  /** What a condition may ask for, and other values that a field may hold. */
  private static final List<Object> ASKED =
      Arrays.asList(
          null,
          true,
          false,
          0L,
          -0.0,
          1L,
          1.0,
          1.5,
          9_007_199_254_740_992L,
          9_007_199_254_740_993L,
          9_007_199_254_740_992.0,
          -1L,
          "",
          "1",
          "true",
          "\u00e9",
          "e\u0301",
          "\ud83d\ude00",
          "a\0b");

  private static final List<Object> OTHERS =
      List.of(
          Double.NaN,
          Double.POSITIVE_INFINITY,
          List.of(1L),
          Map.of("v", 1L),
          Timestamp.ofTimeSecondsAndNanos(1, 0));

  /**
   * Which documents a condition chooses: the server's query, and what events are judged by, agree
   * on each pair of values.
   */
  @Test
  void conditions_areEqualitiesForQueriesAndEventsAlike() {
    CollectionReference in = collection();
    List<Object> held = new ArrayList<>(ASKED);
    held.addAll(OTHERS);
    Map<String, Object> values = new TreeMap<>();
    WriteBatch batch = firestore().batch();
    batch.set(in.document("absent"), Map.of("other", 1L));
    for (Object value : held) {
      String id = "%02d".formatted(values.size());
      values.put(id, Optional.ofNullable(value));
      batch.set(in.document(id), Collections.singletonMap("v", value));
    }
    get(batch.commit());

    for (Object asked : ASKED) {
      Conditions conditions = new Conditions(Map.of(FieldName.of("v"), Optional.ofNullable(asked)));
      List<String> chosen =
          get(conditions.of(in).get()).getDocuments().stream()
              .map(DocumentSnapshot::getId)
              .sorted()
              .toList();
      List<String> expected =
          values.entrySet().stream()
              .filter(
                  each ->
                      Conditions.holds(
                          Optional.ofNullable(asked),
                          proto(((Optional<?>) each.getValue()).orElse(null))))
              .map(Map.Entry::getKey)
              .toList();
      assertThat(chosen).as("%s", asked).isNotEmpty().isEqualTo(expected);
      assertThat(get(conditions.of(in).count().get()).getCount()).isEqualTo(expected.size());
    }
  }

  private static Value proto(@Nullable Object value) {
    Value.Builder proto = Value.newBuilder();
    if (value == null) {
      return proto.setNullValue(NullValue.NULL_VALUE).build();
    } else if (value instanceof Boolean truth) {
      return proto.setBooleanValue(truth).build();
    } else if (value instanceof Long whole) {
      return proto.setIntegerValue(whole).build();
    } else if (value instanceof Double fraction) {
      return proto.setDoubleValue(fraction).build();
    } else if (value instanceof String text) {
      return proto.setStringValue(text).build();
    }
    return proto.setArrayValue(ArrayValue.getDefaultInstance()).build();
  }

  /** Batches in any order, with right and wrong versions, have the results of a short model. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void anyBatches_endAsTheModelSays(long seed) {
    Random random = new Random(seed);
    CollectionReference in = collection();
    Map<String, Long> model = new HashMap<>();
    Map<String, Timestamp> versions = new HashMap<>();
    for (int i = 0; i < 60; i++) {
      WriteBatch batch = firestore().batch();
      Map<String, Long> after = new HashMap<>(model);
      boolean passes = true;
      List<String> ids =
          new ArrayList<>(IntStream.range(0, 4).mapToObj(number -> "d" + number).toList());
      Collections.shuffle(ids, random);
      for (String id : ids.subList(0, 1 + random.nextInt(3))) {
        DocumentReference document = in.document(id);
        Timestamp right = versions.getOrDefault(id, Timestamp.ofTimeSecondsAndNanos(1, 0));
        boolean wrong = random.nextInt(6) == 0;
        Precondition version =
            Precondition.updatedAt(wrong ? Timestamp.ofTimeSecondsAndNanos(1, 0) : right);
        switch (random.nextInt(4)) {
          case 0 -> {
            batch.create(document, Map.of("n", (long) i));
            passes &= !after.containsKey(id);
            after.put(id, (long) i);
          }
          case 1 -> {
            batch.update(document, Map.of("n", (long) i), version);
            passes &= after.containsKey(id) && !wrong;
            after.put(id, (long) i);
          }
          case 2 -> {
            batch.delete(document, version);
            passes &= after.containsKey(id) && !wrong;
            after.remove(id);
          }
          default -> {
            batch.set(document, Map.of("n", FieldValue.increment(1L)), SetOptions.merge());
            after.merge(id, 1L, Long::sum);
          }
        }
      }
      ApiFuture<List<WriteResult>> commit = batch.commit();
      if (passes) {
        get(commit);
        model = after;
      } else {
        assertThat(code(commit)).isIn("ALREADY_EXISTS", "NOT_FOUND", REFUSED);
      }
      Map<String, Long> found = new HashMap<>();
      versions.clear();
      for (DocumentSnapshot each : get(in.get()).getDocuments()) {
        found.put(each.getId(), each.getLong("n"));
        versions.put(each.getId(), each.getUpdateTime());
      }
      assertThat(found).isEqualTo(model);
    }
  }
}
