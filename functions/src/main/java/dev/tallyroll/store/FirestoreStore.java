package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterStore;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.TotalFields;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.StructuredLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the functions keep in Cloud Firestore.
 *
 * @param runs the run documents beside the live list
 */
public record FirestoreStore(CounterStore counters, RunStore runs) {
  /** Run documents and the live list do not wait for the calls of counters. */
  private static final int MOST_RUN_CALLS = 8;

  /** The mark of run documents: these functions keep totals. */
  private static final String MARK = "totals";

  /** Says in the live list whose an entry is, for people. */
  private static final String ENTRY = "entry";

  /**
   * Puts the stores of one deployment together.
   *
   * @param entries what is counted
   * @param deployment the name that the live list and the run documents have
   * @param log gets an error for each field of an app's document that cannot be written
   */
  public static FirestoreStore of(
      Firestore firestore, List<Entry> entries, String deployment, Calls calls, StructuredLog log) {
    Calls runCalls = calls.separate(MOST_RUN_CALLS);
    LiveEntries<CounterId> liveList =
        new LiveEntries<>(
            firestore,
            Layout.liveList(deployment),
            runCalls,
            calls,
            FirestoreStore::about,
            listed -> marked(entries, listed),
            CounterId::liveId);
    FirestoreRollups rollups = new FirestoreRollups(firestore, calls, liveList);
    OwnDocuments documents = new OwnDocuments(rollups, firestore, calls);
    CounterStore counters =
        new CounterStore(
            entries,
            liveList,
            new TotalFields(rollups, documents, calls.loop(), log),
            new FirestoreSums(firestore, calls),
            new FirestorePages(firestore, calls));
    return new FirestoreStore(counters, new FirestoreRuns(firestore, deployment, MARK, runCalls));
  }

  private static Map<String, Object> about(CounterId counter) {
    Map<String, Object> fields = new HashMap<>(RollupFields.encode(counter.mark()));
    fields.put(ENTRY, counter.entry().name());
    return fields;
  }

  /**
   * The counter whose mark a document of the live list carries, and whose place it is in; empty if
   * it is of no entry that has events. The name of the entry does not matter: it may have another
   * by now.
   */
  private static Optional<CounterId> marked(List<Entry> entries, DocumentSnapshot listed) {
    return listed.get(RollupFields.COUNTER) instanceof String document
        ? entries.stream()
            .filter(Entry::hasEvents)
            .filter(entry -> entry.totalOf().equals(listed.get(RollupFields.TOTAL_OF)))
            .flatMap(entry -> entry.counterOfDocument(document).stream())
            .filter(counter -> counter.liveId().equals(listed.getId()))
            .findFirst()
        : Optional.empty();
  }
}
