package dev.tallyroll.local;

import java.util.Map;
import java.util.Optional;

/**
 * The running parts of a {@link LocalCloud}, wired together. Thread-safe, as each part is.
 *
 * @param calls the functions' wire to Firestore, if it is one that can be disturbed
 * @param topic that the schedule and the functions publish to
 * @param closing closes the parts in the reverse order of their start
 */
record Stack(
    FirestoreEmulator firestore,
    Optional<FaultyFirestore> calls,
    PubSubEmulator pubSub,
    FunctionServer onShardWritten,
    FunctionServer rollUp,
    Deliveries deliveries,
    PushConverter converter,
    Topic topic,
    Closing closing) {

  /** Publishes a message of that kind; returns its id. */
  String publish(String kind) {
    return pubSub.publish(topic, Map.of("kind", kind));
  }
}
