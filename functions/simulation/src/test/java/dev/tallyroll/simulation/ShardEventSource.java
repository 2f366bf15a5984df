package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.tallyroll.functions.ShardEvents;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import io.cloudevents.core.builder.CloudEventBuilder;
import java.io.IOException;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;

/** Makes the events of shards as Firestore does, and reads them as the functions do. */
record ShardEventSource(List<Entry> entries) {
  /** Makes the events of one entry. */
  ShardEventSource(Entry entry) {
    this(List.of(entry));
  }

  private static final int VALUE = 1;
  private static final int OLD_VALUE = 2;

  /**
   * The event of a document's change.
   *
   * @return a write for each entry that counts it; empty if the functions drop it
   */
  List<ShardWrite> event(Changed change, Commit commit) {
    try {
      return new ShardEvents(entries, "(default)", (severity, message, fields) -> {}, commit::time)
          .decode(
              CloudEventBuilder.v1()
                  .withId(commit.time() + " " + change.path())
                  .withType("google.cloud.firestore.document.v1.written")
                  .withSource(URI.create("//firestore.googleapis.com/simulated"))
                  .withTime(commit.time().atOffset(ZoneOffset.UTC))
                  .withData(data(change))
                  .build());
    } catch (IOException | UnusableEventException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** The documents of events have the same fields as those of the database. */
  private static byte[] data(Changed change) throws IOException {
    ByteString.Output bytes = ByteString.newOutput();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    write(out, VALUE, change.after());
    write(out, OLD_VALUE, change.before());
    out.flush();
    return bytes.toByteString().toByteArray();
  }

  private static void write(CodedOutputStream out, int field, Optional<Document> document)
      throws IOException {
    if (document.isPresent()) {
      out.writeMessage(field, document.get());
    }
  }
}
