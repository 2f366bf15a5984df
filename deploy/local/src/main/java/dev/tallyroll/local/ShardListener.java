package dev.tallyroll.local;

import com.google.cloud.firestore.DocumentChange;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Makes the events of a database's shards by listening to them, for an emulator that runs already:
 * it sends events only to the address that it was given at its start. Several writes of one shard
 * within a moment may make one event, because a listener sees the last of them. Stateless.
 */
final class ShardListener {
  private static final int ANSWER_WITHIN_SECONDS = 30;

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
                        .forEach(change -> events.accept(event(firestore, change)));
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
   * The event holds the shard's name and time, which the functions read, and none of its fields.
   */
  private static Event event(Firestore firestore, DocumentChange change) {
    var path = pathOf(change);
    var options = firestore.getOptions();
    var database =
        "projects/%s/databases/%s".formatted(options.getProjectId(), options.getDatabaseId());
    var shard =
        Document.newBuilder()
            .setName(database + "/documents/" + path)
            .setUpdateTime(change.getDocument().getUpdateTime().toProto());
    var data = DocumentEventData.newBuilder();
    boolean isDeleted = change.getType() == DocumentChange.Type.REMOVED;
    var written = isDeleted ? data.setOldValue(shard) : data.setValue(shard);
    return Event.of(
            Emulator.WRITTEN,
            "//firestore.googleapis.com/" + database,
            Event.PROTOBUF,
            written.build().toByteString())
        .with("ce-subject", "documents/" + path); // for the functions' log
  }
}
