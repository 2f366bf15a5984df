package dev.tallyroll.simulation;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.RunQueryRequest;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/** The kinds of requests that the stores send to Firestore. */
enum Call {
  /** Reads a roll-up, or shards of one owner. */
  READ,
  SUM,
  /** Reads one document from the collection of a counter's shards. */
  LOOK,
  /** Reads a document of the app. */
  DOCUMENT,
  WRITE,
  LIVE,
  LIVE_SINCE,
  /** Writes an entry of the live list alone. */
  ENTER,
  REMOVE_ENTRY,
  PAGE,
  READ_RUN,
  CLAIM_RUN,
  RELEASE_RUN;

  /** Numbers of calls, by their kinds. */
  static final class Counts {
    private final Map<Call, Integer> counts = new EnumMap<>(Call.class);

    void add(Call kind, int number) {
      counts.merge(kind, number, Integer::sum);
    }

    /** The number of these kinds together. */
    int of(Call... kinds) {
      return Stream.of(kinds).mapToInt(kind -> counts.getOrDefault(kind, 0)).sum();
    }

    @Override
    public String toString() {
      return counts.toString();
    }
  }

  private static final String RUNS = "rollup_runs/";

  static Call of(CommitRequest request) {
    boolean deletes = !request.getWrites(0).getDelete().isEmpty();
    String path = SimulatedServer.path(request.getWrites(0));
    if (isRun(path)) {
      return deletes ? RELEASE_RUN : CLAIM_RUN;
    }
    if (isEntry(path)) {
      return deletes ? REMOVE_ENTRY : ENTER;
    }
    return WRITE;
  }

  static Call of(BatchGetDocumentsRequest request) {
    String path = SimulatedServer.relative(request.getDocuments(0));
    if (isRun(path)) {
      return READ_RUN;
    }
    return isRollup(path) || path.contains("_counter_shards_") ? READ : DOCUMENT;
  }

  static Call of(RunQueryRequest request) {
    var query = request.getStructuredQuery();
    var from = query.getFrom(0);
    if (from.getAllDescendants() || request.getParent().equals(SimulatedServer.ROOT)) {
      return PAGE;
    }
    if (SimulatedServer.relative(request.getParent()).startsWith(RUNS)) {
      return query.hasWhere() ? LIVE_SINCE : LIVE;
    }
    boolean one = query.hasLimit() && query.getLimit().getValue() == 1;
    return one && query.hasSelect() ? LOOK : READ;
  }

  static boolean isRollup(String path) {
    return path.startsWith("rollups");
  }

  static boolean isRun(String path) {
    return path.startsWith(RUNS) && SimulatedServer.id(path).startsWith("run-");
  }

  /** Whether a path is that of an entry of a live list. */
  static boolean isEntry(String path) {
    return path.startsWith(RUNS) && !isRun(path);
  }
}
