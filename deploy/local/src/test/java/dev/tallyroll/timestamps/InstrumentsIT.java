package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import dev.tallyroll.timestamps.Instruments.PriceUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The worked example gives the answers of an unsharded collection with the same documents. */
@ExtendWith(SharedCloud.class)
final class InstrumentsIT {
  private static final int UPDATES = 60;
  private static final List<String> TYPES = List.of("commodity", "equity", "bond");
  private static final List<String> EXCHANGES = List.of("EXCHG1", "EXCHG2");
  private static final List<String> CURRENCIES = List.of("USD", "EUR", "CHF");

  private static Firestore firestore;
  private static CollectionReference plain;
  private static Instruments instruments;

  @BeforeAll
  static void write(LocalCloud cloud) throws Exception {
    firestore = cloud.openFirestore();
    plain = firestore.collection("plain-" + UUID.randomUUID());
    instruments = new Instruments(firestore.collection("instruments-" + UUID.randomUUID()));
    Random random = new Random(42);
    List<ApiFuture<?>> writes = new ArrayList<>();
    for (int i = 0; i < UPDATES; i++) {
      PriceUpdate update = update(random);
      writes.add(instruments.write("update" + i, update));
      writes.add(plain.document("update" + i).set(update.fields()));
    }
    Await.of(ApiFutures.allAsList(writes));
  }

  @AfterAll
  static void disconnect() throws Exception {
    firestore.close();
  }

  private static PriceUpdate update(Random random) {
    return new PriceUpdate(
        "S" + random.nextInt(10),
        CURRENCIES.get(random.nextInt(CURRENCIES.size())),
        random.nextInt(1_000_000),
        EXCHANGES.get(random.nextInt(EXCHANGES.size())),
        TYPES.get(random.nextInt(TYPES.size())),
        Timestamp.ofTimeSecondsAndNanos(1_700_000_000L + random.nextInt(20), 0));
  }

  @Test
  void newestFiveOfAType_areThoseOfTheUnshardedCollection() throws Exception {
    for (String type : TYPES) {
      assertNewestFive(instruments.ofType(type), plain.whereEqualTo("instrumentType", type));
    }
  }

  @Test
  void newestFiveOnAnExchange_areThoseOfTheUnshardedCollection() throws Exception {
    for (String exchange : EXCHANGES) {
      assertNewestFive(instruments.onExchange(exchange), plain.whereEqualTo("exchange", exchange));
    }
  }

  @Test
  void newestFiveInACurrency_areThoseOfTheUnshardedCollection() throws Exception {
    for (String currency : CURRENCIES) {
      assertNewestFive(
          instruments.inCurrency(currency), plain.whereEqualTo("price.currency", currency));
    }
  }

  private static void assertNewestFive(ShardedQuery sharded, Query unsharded) throws Exception {
    var expected = Await.of(unsharded.orderBy("timestamp", Direction.DESCENDING).limit(5).get());

    Page page = Await.of(sharded.page(5));

    assertThat(page.documents())
        .hasSize(5)
        .extracting(DocumentSnapshot::getId)
        .isEqualTo(expected.getDocuments().stream().map(DocumentSnapshot::getId).toList());
  }

  @Test
  void indexes_areThoseOfThePage() {
    String indexes = new Instruments(firestore.collection("instruments")).indexes();

    assertThat(JsonParser.parseString(indexes))
        .isEqualTo(
            JsonParser.parseString(
                """
                {
                  "indexes": [%s, %s, %s],
                  "fieldOverrides": [
                    {"collectionGroup": "instruments", "fieldPath": "shard", "indexes": []},
                    {"collectionGroup": "instruments", "fieldPath": "timestamp", "indexes": []}
                  ]
                }
                """
                    .formatted(
                        composite("exchange"),
                        composite("instrumentType"),
                        composite("price.currency"))));
  }

  private static JsonElement composite(String field) {
    return JsonParser.parseString(
        """
        {
          "collectionGroup": "instruments",
          "queryScope": "COLLECTION",
          "fields": [
            {"fieldPath": "shard", "order": "ASCENDING"},
            {"fieldPath": "%s", "order": "ASCENDING"},
            {"fieldPath": "timestamp", "order": "DESCENDING"}
          ]
        }
        """
            .formatted(field));
  }
}
