package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Merges the latest snapshots of all chunks into views. For one thread at a time. */
final class LatestViews {
  private final Direction direction;
  private final String timestampField;
  private final int limit;
  private final List<@Nullable QuerySnapshot> latest = new ArrayList<>();
  private @Nullable List<QueryDocumentSnapshot> shown;

  LatestViews(Direction direction, String timestampField, int chunks, int limit) {
    this.direction = direction;
    this.timestampField = timestampField;
    this.limit = limit;
    for (int i = 0; i < chunks; i++) {
      latest.add(null);
    }
  }

  /** Takes a chunk's snapshot; a view if all chunks have answered and it shows something new. */
  Optional<View> take(int chunk, QuerySnapshot snapshot) {
    latest.set(chunk, snapshot);
    if (latest.stream().anyMatch(Objects::isNull)) {
      return Optional.empty();
    }
    View view = view();
    if (view.documents().equals(shown)) {
      return Optional.empty();
    }
    shown = view.documents();
    return Optional.of(view);
  }

  private View view() {
    var merge = Documents.merge(direction, timestampField, latest.size());
    Timestamp readTime = Timestamp.MAX_VALUE;
    for (int chunk = 0; chunk < latest.size(); chunk++) {
      QuerySnapshot snapshot = latest.get(chunk);
      if (snapshot != null) {
        merge.add(chunk, snapshot.getDocuments(), true);
        readTime = Documents.earlier(readTime, snapshot.getReadTime());
      }
    }
    var unused = merge.advance(limit);
    return new View(merge.merged(), readTime);
  }
}
