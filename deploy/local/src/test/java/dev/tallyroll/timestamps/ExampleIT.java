package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The example of the package's Javadoc, word for word. */
@On(Site.LIBRARY)
final class ExampleIT {

  @Test
  void example_writesAndReads(LocalCloud cloud) throws Exception {
    Firestore firestore = cloud.openFirestore();
    try {
      // Begin
      ShardedTimestamp time =
          ShardedTimestamp.forRate(1_500); // writes a second: three shard values
      CollectionReference prices = firestore.collection("prices");
      Object shard = time.randomShard();
      prices.add(Map.of("type", "bond", "timestamp", Timestamp.now(), "shard", shard)).get();

      Query bonds = prices.whereEqualTo("type", "bond");
      ShardedQuery newest = time.query(bonds, Query.Direction.DESCENDING);
      Page page = newest.page(5).get(); // one query, at most six reads
      if (page.next().isPresent()) {
        page = newest.page(5, page.next().get()).get();
      }

      // What to deploy as firestore.indexes.json; the filters' values do not matter.
      String indexes = TimestampIndexes.of(time).with(bonds, Query.Direction.DESCENDING).toJson();
      // End
      assertThat(page.documents())
          .singleElement()
          .matches(found -> shard.equals(found.get("shard")));
      assertThat(indexes).contains("\"type\"");
    } finally {
      firestore.close();
    }
  }

  @Test
  void example_isThatOfTheJavadoc() throws Exception {
    String own = source("deploy/local/src/test/java/dev/tallyroll/timestamps/ExampleIT.java");
    String javadoc =
        source("shared/src/main/java/dev/tallyroll/timestamps/package-info.java").replace("*", "");

    assertThat(javadoc).contains(own.substring(own.indexOf("//Begin") + 7, own.indexOf("//End")));
  }

  private static String source(String path) throws Exception {
    Path home = Path.of(System.getProperty("tallyroll.home"));
    return Files.readString(home.resolve(path)).replaceAll("\\s", "");
  }
}
