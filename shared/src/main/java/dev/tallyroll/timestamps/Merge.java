package dev.tallyroll.timestamps;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Merges ordered sources into one order, as lazily as it can be done: it asks for more of a source
 * only when that source has run dry and the next document might come from there. Knows nothing of
 * Firestore. For one thread at a time.
 */
final class Merge<D> {
  private final Function<? super D, ?> identity;
  private final Comparator<Source<D>> byHead;
  private final List<Source<D>> sources;
  private final List<D> merged = new ArrayList<>();
  private final Set<Object> seen = new HashSet<>();

  /**
   * Starts without documents.
   *
   * @param identity what a document is known by: one that moves from source to source between two
   *     fetches is merged once
   */
  Merge(Comparator<? super D> order, Function<? super D, ?> identity, int sources) {
    this.identity = identity;
    this.byHead = Comparator.comparing(source -> source.documents.element(), order);
    this.sources = Stream.generate(Source<D>::new).limit(sources).toList();
  }

  /** Adds the next documents of a source, in order; complete if that is all it has. */
  void add(int source, List<? extends D> documents, boolean complete) {
    sources.get(source).documents.addAll(documents);
    sources.get(source).complete = complete;
  }

  /**
   * Merges until there are as many as wanted, or nothing is left, or a source has run dry.
   *
   * @return the source that has to be added to before this can go on
   */
  OptionalInt advance(int wanted) {
    while (merged.size() < wanted) {
      OptionalInt dry = dry();
      if (dry.isPresent()) {
        return dry;
      }
      Optional<Source<D>> next = next();
      if (next.isEmpty()) {
        return OptionalInt.empty();
      }
      take(next.get().documents.remove());
    }
    return OptionalInt.empty();
  }

  private OptionalInt dry() {
    return IntStream.range(0, sources.size()).filter(i -> sources.get(i).isDry()).findFirst();
  }

  private Optional<Source<D>> next() {
    return sources.stream().filter(source -> !source.documents.isEmpty()).min(byHead);
  }

  private void take(D document) {
    if (seen.add(identity.apply(document))) {
      merged.add(document);
    }
  }

  /** What has been merged so far, in order. */
  List<D> merged() {
    return Collections.unmodifiableList(merged);
  }

  private static final class Source<D> {
    private final Queue<D> documents = new ArrayDeque<>();
    private boolean complete;

    boolean isDry() {
      return documents.isEmpty() && !complete;
    }
  }
}
