package dev.tallyroll.snippets;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.HostAndPort;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.SecurityRules;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The client of an Android app: Android's Firestore SDK on the JVM, signed in, under the rules. It
 * counts with a network, without one, and with one again.
 */
@Tag("long") // It downloads 31 MB.
final class AndroidIT {
  @Test
  void phone_countsAlsoWhatItWasToldOffline() throws Exception {
    var folder = Workspace.ofAndroid();
    var options = new LocalCloudOptions().settings(Map.of());
    try (var cloud = LocalCloud.start(options)) {
      var firestore = cloud.openFirestore();
      cloud.loadRules(
          SecurityRules.of(List.of(Home.ROOT.resolve("deploy/firestore/firestore.rules"))));
      get(FirestoreCounters.of(firestore).counter("phone").create(10));
      var host = HostAndPort.fromString(cloud.firestoreHost());

      var said =
          Home.run(
              folder,
              Map.of(),
              Home.jdk("java"),
              "-Djava.awt.headless=true",
              "-cp",
              "classes:lib/*",
              "Drive",
              host.getHost(),
              "" + host.getPort(),
              cloud.project(),
              "phone",
              "10");

      assertThat(said)
          .contains(
              "before the first answer: []", "online: 20", "ended offline: 0", "back: 25, 25");
    }
  }
}
