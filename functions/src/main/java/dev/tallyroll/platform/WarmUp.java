package dev.tallyroll.platform;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The first calls of a function, before it listens. Stateless. */
public final class WarmUp {
  /**
   * A first call takes about a second; without Firestore, a function waits this long at its start.
   */
  private static final Duration LIMIT = Duration.ofSeconds(5);

  /** The id of a run document that does not exist, for the first read. */
  public static final String NONE = "none";

  private WarmUp() {}

  /**
   * Opens the channel, and loads what the first event would load: nobody waits, since the function
   * does not listen yet, and the platform gives an instance more CPU while it starts. If this
   * fails, the events try again.
   *
   * <p>Cost: a read, and what the query costs.
   *
   * <p>A failure is logged.
   *
   * @param document a document of ours, which need not exist
   * @param query another call, such as events make
   */
  public static void by(
      DocumentReference document, Supplier<? extends ApiFuture<?>> query, StructuredLog log) {
    String cause;
    try {
      ApiFuture<DocumentSnapshot> read = document.get();
      query.get().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      read.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      return;
    } catch (ExecutionException failure) {
      cause = String.valueOf(failure.getCause());
    } catch (TimeoutException failure) {
      cause = "no answer within " + LIMIT;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return;
    }
    log.write(Severity.WARNING, "Firestore could not be read at the start", Map.of("cause", cause));
  }
}
