package dev.tallyroll.internal;

import dev.tallyroll.CounterPath;

/**
 * A counter in its layout, which tells where its documents are.
 *
 * @param path of the counter, in terms of the layout
 */
public record Located(Layout layout, CounterPath path) {

  /** Path of the counter's own document: its identity. */
  public String document() {
    return layout.counterDocument(path);
  }

  /** Path of the collection of its shards. */
  public String shards() {
    return layout.shardsCollection(path);
  }

  /** Path of its roll-up document. */
  public String rollup() {
    return layout.rollupDocument(path);
  }

  /** Id of its entry in a live list. */
  public String liveId() {
    return layout.liveId(path);
  }

  @Override
  public String toString() {
    return document();
  }
}
