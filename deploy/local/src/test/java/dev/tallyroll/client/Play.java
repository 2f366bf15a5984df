package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterExistsException;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.Total;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;

/**
 * Random calls of one counter, through two handles that remember their numbers of shards apart,
 * beside a plain long that says what must come of them. Used by one thread.
 */
final class Play {
  private static final int MOST_SHARDS = 8;
  private static final int NAMES = 30;

  private final Random random;
  private final List<Counter> handles;
  private final Set<String> names = new HashSet<>();
  private final List<String> done = new ArrayList<>();
  private boolean exists;
  private long expected;

  Play(long seed, Counter one, Counter other) {
    random = new Random(seed);
    handles = List.of(one, other);
  }

  /** What was done, to be read after a failure. */
  List<String> done() {
    return done;
  }

  void step() throws Exception {
    Counter counter = handles.get(random.nextInt(handles.size()));
    switch (random.nextInt(20)) {
      case 0 -> delete(counter);
      case 1, 2, 3 -> create(counter);
      case 4, 5 -> resize(counter);
      case 6, 7 -> compact(counter);
      case 8 -> reset(counter);
      case 9, 10, 11, 12, 13 -> addOnce(counter);
      default -> add(counter);
    }
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(expected));
  }

  private void create(Counter counter) throws Exception {
    int shards = 1 + random.nextInt(MOST_SHARDS);
    done.add("create " + shards);
    if (exists) {
      assertThat(failure(() -> get(counter.create(shards))))
          .isInstanceOf(CounterExistsException.class);
    } else {
      get(counter.create(shards));
      exists = true;
    }
  }

  private void add(Counter counter) throws Exception {
    long delta = random.nextInt(201) - 100L;
    done.add("add " + delta);
    if (found(() -> get(counter.add(delta)))) {
      expected += delta;
    }
  }

  private void addOnce(Counter counter) throws Exception {
    String name = "name-" + random.nextInt(NAMES);
    long delta = random.nextInt(201) - 100L;
    done.add("addOnce " + name + " " + delta);
    boolean isNew = exists && names.add(name);
    boolean found = found(() -> assertThat(get(counter.addOnce(name, delta))).isEqualTo(isNew));
    expected += found && isNew ? delta : 0;
  }

  private void resize(Counter counter) throws Exception {
    int shards = 1 + random.nextInt(MOST_SHARDS);
    done.add("resize " + shards);
    found(() -> get(counter.resize(shards)));
  }

  private void compact(Counter counter) throws Exception {
    done.add("compact");
    found(() -> assertThat(get(counter.compact(Duration.ZERO))).isZero());
  }

  private void reset(Counter counter) throws Exception {
    done.add("reset");
    found(() -> assertThat(get(counter.reset())).isEqualTo(new Total.Whole(expected)));
    expected = 0;
  }

  private void delete(Counter counter) throws Exception {
    done.add("delete");
    get(counter.delete());
    exists = false;
    expected = 0;
    names.clear();
  }

  /** Makes a call that must succeed if the counter exists, and must not find it otherwise. */
  private boolean found(Call call) throws Exception {
    if (exists) {
      call.run();
      return true;
    }
    assertThat(
            failure(
                () -> {
                  call.run();
                  return 0;
                }))
        .isInstanceOf(CounterNotFoundException.class);
    return false;
  }

  private static Throwable failure(Callable<?> call) throws Exception {
    try {
      call.call();
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof CounterException expected) {
        return expected;
      }
      throw failure;
    }
    throw new AssertionError("expected the call to fail");
  }

  private interface Call {
    void run() throws Exception;
  }
}
