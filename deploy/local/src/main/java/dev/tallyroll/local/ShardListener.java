package dev.tallyroll.local;

import com.google.cloud.firestore.DocumentChange;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.events.cloud.firestore.v1.ArrayValue;
import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.events.cloud.firestore.v1.MapValue;
import com.google.events.cloud.firestore.v1.Value;
import com.google.protobuf.NullValue;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the events of a database's shards by listening to them, for an emulator that runs already:
 * it sends events only to the address that it was given at its start. Several writes of one shard
 * within a moment may make one event, because a listener sees the last of them. Stateless.
 */
final class ShardListener {
  private static final int ANSWER_WITHIN_SECONDS = 120;

  private ShardListener() {}

  /**
   * Listens; returns when it does. Shards that are there already make events, too, as no trigger
   * may have seen their writes.
   *
   * @param collection the shards' collection
   * @param isShard whether a path in it is a shard's
   * @param events one thread at a time calls it, in the order of the writes
   * @return ends the listening, before the client is shut down
   * @throws LocalCloudException if the emulator does not answer
   */
  static ListenerRegistration listen(
      Firestore firestore,
      String collection,
      Predicate<String> isShard,
      Consumer<Event> events,
      Consumer<String> log) {
    var listening = new CountDownLatch(1);
    Map<String, Document> known = new HashMap<>();
    var listener =
        firestore
            .collectionGroup(collection)
            .addSnapshotListener(
                // The client's own thread keeps the order of the changes.
                MoreExecutors.directExecutor(),
                (shards, failure) -> {
                  if (shards == null) {
                    log.accept("the attached emulator gives no more events: " + failure);
                  } else {
                    listening.countDown();
                    shards.getDocumentChanges().stream()
                        .filter(change -> isShard.test(pathOf(change)))
                        .forEach(change -> events.accept(event(firestore, change, known)));
                  }
                });
    try {
      if (!listening.await(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS)) {
        throw new LocalCloudException(
            "expected the attached emulator to answer a listener within %d s, found no answer"
                .formatted(ANSWER_WITHIN_SECONDS));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalCloudException("interrupted while listening to the attached emulator", e);
    }
    return listener;
  }

  private static String pathOf(DocumentChange change) {
    return change.getDocument().getReference().getPath();
  }

  /**
   * The event of a change: the shard before and after it, with what functions may read of it.
   *
   * @param known the shards as they were seen last, by their paths
   */
  private static Event event(
      Firestore firestore, DocumentChange change, Map<String, Document> known) {
    var path = pathOf(change);
    var options = firestore.getOptions();
    var database =
        "projects/%s/databases/%s".formatted(options.getProjectId(), options.getDatabaseId());
    var shard =
        Document.newBuilder()
            .setName(database + "/documents/" + path)
            .setUpdateTime(change.getDocument().getUpdateTime().toProto())
            .putAllFields(values(change.getDocument().getData()))
            .build();
    var data = DocumentEventData.newBuilder();
    if (change.getType() == DocumentChange.Type.REMOVED) {
      data.setOldValue(shard);
      known.remove(path);
    } else {
      Document before = known.put(path, shard);
      data.setValue(shard);
      if (before != null) {
        data.setOldValue(before);
      }
    }
    return Event.of(
            Emulator.WRITTEN,
            "//firestore.googleapis.com/" + database,
            Event.PROTOBUF,
            data.build().toByteString())
        .with("ce-subject", "documents/" + path); // for the functions' log
  }

  private static Map<String, Value> values(Map<?, ?> fields) {
    Map<String, Value> values = new HashMap<>();
    fields.forEach((name, value) -> values.put((String) name, value(value)));
    return values;
  }

  /** A value that can count, or say whether a document does. Any other is a list here. */
  private static Value value(@Nullable Object object) {
    var value = Value.newBuilder();
    if (object == null) {
      value.setNullValue(NullValue.NULL_VALUE);
    } else if (object instanceof Boolean truth) {
      value.setBooleanValue(truth);
    } else if (object instanceof Long whole) {
      value.setIntegerValue(whole);
    } else if (object instanceof Double fraction) {
      value.setDoubleValue(fraction);
    } else if (object instanceof String text) {
      value.setStringValue(text);
    } else if (object instanceof Map<?, ?> map) {
      value.setMapValue(MapValue.newBuilder().putAllFields(values(map)));
    } else {
      value.setArrayValue(ArrayValue.getDefaultInstance());
    }
    return value.build();
  }
}
