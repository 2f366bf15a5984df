package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Arguments;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all counters of one client share. Safe for use by many threads.
 *
 * @param clock tells when names expire, and when a number of shards is forgotten
 */
record Client(
    Firestore firestore,
    CounterOptions options,
    InstantSource clock,
    Draws draws,
    KnownShards known) {
  /**
   * The random choices.
   *
   * @param below gives a number below another, to choose shards by
   * @param name gives a name that nothing else has
   */
  record Draws(IntUnaryOperator below, Supplier<String> name) {}

  static Client of(Firestore firestore, CounterOptions options, InstantSource clock, Draws draws) {
    return new Client(
        Arguments.present("firestore", firestore),
        Arguments.present("options", options),
        clock,
        draws,
        new KnownShards(clock));
  }

  /** Makes a call. If it throws, as a closed client does, the future fails. */
  <T> ApiFuture<T> call(String name, Supplier<ApiFuture<T>> work) {
    long start = System.nanoTime();
    ApiFuture<T> call = Steps.start(work);
    observe(name, start, call);
    return call;
  }

  /** Tells the observer of the call's end. */
  <T> void observe(String name, long start, ApiFuture<T> call) {
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(T answer) {
            end(null);
          }

          @Override
          public void onFailure(Throwable failure) {
            end(failure);
          }

          private void end(@Nullable Throwable failure) {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            options.observer().ended(name, took, failure);
          }
        },
        Runnable::run);
  }
}
