package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.ListenerRegistration;
import dev.tallyroll.it.TestCounter.Shown;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Listens to a roll-up until it is stopped, and keeps the versions that it gets. Thread-safe. */
final class Reader implements AutoCloseable {
  private final List<Shown> seen = new CopyOnWriteArrayList<>();
  private final ListenerRegistration listening;

  Reader(TestCounter counter) {
    listening =
        counter
            .rollup()
            .addSnapshotListener(
                Runnable::run, // the client's own threads may swap the order of answers
                (rollup, failure) -> {
                  if (rollup != null) {
                    Shown.of(rollup).ifPresent(seen::add);
                  }
                });
  }

  /** The versions seen so far, in their order. */
  List<Shown> seen() {
    return List.copyOf(seen);
  }

  /** Stops; fails if a total or its time went back. For counters that only go up. */
  List<Shown> stopNeverGoneBack() {
    close();
    assertThat(seen).isNotEmpty().isSortedAccordingTo(Comparator.comparing(Shown::asOf));
    assertThat(seen).isSortedAccordingTo(Comparator.comparing(shown -> shown.count().longValue()));
    return seen();
  }

  @Override
  public void close() {
    listening.remove();
  }
}
