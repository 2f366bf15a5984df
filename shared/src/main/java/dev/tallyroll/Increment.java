package dev.tallyroll;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.UpdateBuilder;

/**
 * An increment for a commit of the caller's own: both happen, or neither. {@link Counter#prepare}
 * makes it, for one commit: add it to one batch, or to each attempt of one transaction. Safe for
 * use by many threads.
 *
 * <pre>{@code
 * Increment one = likes.prepare(1).get();
 * WriteBatch batch = firestore.batch();
 * batch.create(like, fields);                // a second like of this user fails the commit
 * one.addTo(batch);
 * batch.commit().get();
 * }</pre>
 *
 * <p>A commit that also creates a document, as this one, counts at most once, however often it is
 * sent: if a reply is lost, the client sends it again and reports ALREADY_EXISTS. A commit that
 * creates no document counts <b>at least once</b>, as {@link Counter#add}.
 *
 * <p>Minor releases add methods: so only fakes for tests should implement it.
 */
public interface Increment {
  /**
   * Adds the write to a {@code WriteBatch} or a {@code Transaction}. It reads nothing, so in a
   * transaction it comes after the reads; it locks nothing before the commit, so increments of
   * others never wait for it.
   *
   * <p>Cost: 1 write, once committed. The commit's time, {@code
   * result.getUpdateTime().toSqlTimestamp().toInstant()}, is what {@link Counter#awaitTotal} takes.
   *
   * <p>The write updates a shard and does not create it, since that would bring a deleted counter
   * back. So if the shard is missing, the whole commit fails with NOT_FOUND: see {@link #again}.
   */
  void addTo(UpdateBuilder<?> writes);

  /**
   * The same increment, for another attempt after a commit that failed with NOT_FOUND. It creates
   * the shard if that is missing and the counter's document is there. Shards are missing if clients
   * create them as they go, by merging {@code set}, or if {@link Counter#compact} deleted some
   * within the last minute.
   *
   * <p>Cost: 1 read, 2 writes.
   *
   * @return fails with {@link CounterException.NotFound} if the counter was deleted, and as {@link
   *     Counter#add} does
   */
  ApiFuture<Increment> again();
}
