package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.ListenerRegistration;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Times;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Documents that pass from one total to another by an update. A move is seen once both totals show
 * it. Thread-safe.
 */
final class MovedDocuments implements DemoCounter.Source {
  final CountedPost from;
  final CountedPost to;
  private final ConcurrentLinkedQueue<DocumentReference> left;
  private final AtomicLong moved = new AtomicLong();

  /** Moves those of {@code from}, which are to be more than there will be moves. */
  MovedDocuments(CountedPost from, CountedPost to) throws ExecutionException, InterruptedException {
    this.from = from;
    this.to = to;
    left = new ConcurrentLinkedQueue<>(from.filled());
  }

  List<CountedPost> both() {
    return List.of(from, to);
  }

  @Override
  public String name() {
    return "from " + from.name() + " to " + to.name();
  }

  @Override
  public ApiFuture<Instant> increment() {
    moved.incrementAndGet();
    return from.move(left.remove(), to);
  }

  @Override
  public long exact() {
    return moved.get();
  }

  @Override
  public ListenerRegistration listen(Consumer<RolledUpTotal> reader) {
    var seen = new Seen(reader);
    var source =
        from.document()
            .addSnapshotListener(
                (found, failure) -> {
                  if (found != null) {
                    seen.gone(-from.risen(found), Times.instant(found.getReadTime()));
                  }
                });
    var target =
        to.document()
            .addSnapshotListener(
                (found, failure) -> {
                  if (found != null) {
                    seen.come(to.risen(found), Times.instant(found.getReadTime()));
                  }
                });
    return () -> {
      source.remove();
      target.remove();
    };
  }

  /** Tells the reader how many moves both totals show. */
  private static final class Seen {
    private final Consumer<RolledUpTotal> reader;
    private long gone;
    private long come;
    private long last;
    private Instant latest = Instant.EPOCH;

    Seen(Consumer<RolledUpTotal> reader) {
      this.reader = reader;
    }

    synchronized void gone(long number, Instant at) {
      gone = number;
      tell(at);
    }

    synchronized void come(long number, Instant at) {
      come = number;
      tell(at);
    }

    private void tell(Instant at) {
      long both = Math.min(gone, come);
      latest = at.isAfter(latest) ? at : latest;
      if (both != last) {
        last = both;
        reader.accept(RolledUpTotal.of(Total.of(both), latest, /* isLive= */ false));
      }
    }
  }
}
