package dev.tallyroll.timestamps;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Merges ordered sources into one order, lazily: it asks a source for more only when the source has
 * run dry and the next document might come from it. Knows nothing of Firestore. For one thread at a
 * time.
 *
 * <p>Each source is asked for its even share and a few more, then again when it runs dry. At most
 * one batch a source is left over, so no more than {@code wanted + sources * batch} documents are
 * read; and as a batch is used up before the next is asked for, there are at most {@code sources}
 * batches after the first of each.
 */
final class Merge<D> {
  /** Random shards are uneven: a few more at first save a second round for most pages. */
  private static final int SPARE = 3;

  private final Function<? super D, ?> identity;
  private final Comparator<Queue<D>> byHead;
  private final int wanted;
  private final List<Queue<D>> sources = new ArrayList<>();
  private final Set<Integer> complete = new HashSet<>();
  private final Map<Object, D> merged = new LinkedHashMap<>();

  /**
   * Starts without documents.
   *
   * @param identity identifies a document, so that one that moves between sources between two
   *     fetches is merged once
   */
  Merge(Comparator<? super D> order, Function<? super D, ?> identity, int sources, int wanted) {
    this.identity = identity;
    this.byHead = Comparator.comparing(Queue::element, order);
    this.wanted = wanted;
    IntStream.range(0, sources).forEach(source -> this.sources.add(new ArrayDeque<>()));
  }

  /** How many documents to ask a dry source for; never more than are wanted. */
  int batch() {
    int share = (wanted + sources.size() - 1) / sources.size();
    return Math.min(share + SPARE, wanted - merged.size());
  }

  /** Adds the next documents of a source, in order: a batch, or fewer if that is all it has. */
  void add(int source, List<? extends D> documents, int batch) {
    sources.get(source).addAll(documents);
    if (documents.size() < batch) {
      complete.add(source);
    }
  }

  /**
   * Merges until there are as many as wanted, or nothing is left, or sources have run dry.
   *
   * @return the sources that have to be added to before this can go on; at first, all
   */
  List<Integer> advance() {
    while (merged.size() < wanted) {
      List<Integer> dry = IntStream.range(0, sources.size()).filter(this::isDry).boxed().toList();
      var next = sources.stream().filter(source -> !source.isEmpty()).min(byHead);
      if (!dry.isEmpty() || next.isEmpty()) {
        return dry;
      }
      D document = next.get().remove();
      merged.putIfAbsent(identity.apply(document), document);
    }
    return List.of();
  }

  private boolean isDry(int source) {
    return sources.get(source).isEmpty() && !complete.contains(source);
  }

  /** What has been merged so far, in order. */
  List<D> merged() {
    return List.copyOf(merged.values());
  }
}
