package dev.tallyroll.platform;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.WorkerRange;
import io.cloudevents.CloudEvent;
import io.cloudevents.CloudEventData;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A message on the roll-up topic; its attributes say everything.
 *
 * @param task what to do
 * @param worker the worker here that it is for; empty for all workers
 * @param sweepIsDue whether the run also asks for a sweep: the schedule's messages name a minute of
 *     the hour, in which this one was published
 * @param pass of a sweep
 */
record Message(Task task, OptionalInt worker, boolean sweepIsDue, PassKind pass) {
  private static final String KIND = "kind";
  private static final String WORKER = "worker";
  private static final String LIVE_ID = "entry";
  private static final String MINUTE_OF_SWEEP = "sweep";
  private static final String PASS = "pass";
  private static final Gson GSON = new Gson();

  /** The task that a message asks for. */
  enum Task {
    /** A run, from the schedule once a minute. */
    RUN,
    /** A wake-up, from a handler that made a counter live. */
    WAKE,
    /** A sweep, from RollUp itself once an hour, from deploy and from people. */
    SWEEP;

    public String attribute() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The part of Pub/Sub's MessagePublishedData that is read here. */
  private record Body(@Nullable Content message) {}

  private record Content(@Nullable Map<String, String> attributes, @Nullable String publishTime) {}

  /** The attributes of a message that asks for a worker's run. */
  static Map<String, String> toRun(int worker) {
    return Map.of(KIND, Task.RUN.attribute(), WORKER, Integer.toString(worker));
  }

  /** The attributes of a message that wakes the worker whose part of the live list holds an id. */
  static Map<String, String> toWake(String liveId) {
    return Map.of(KIND, Task.WAKE.attribute(), LIVE_ID, liveId);
  }

  /** The attributes of a message that asks for a sweep. */
  static Map<String, String> toSweep(PassKind pass) {
    return pass == PassKind.PART
        ? Map.of(KIND, Task.SWEEP.attribute())
        : Map.of(KIND, Task.SWEEP.attribute(), PASS, attribute(pass));
  }

  private static String attribute(PassKind pass) {
    return pass.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads what a message asks for.
   *
   * @param workers how many workers there are
   * @throws UnusableEventException if the message asks for nothing known
   */
  static Message decode(CloudEvent event, int workers) throws UnusableEventException {
    Content content = content(event.getData());
    Map<String, String> attributes =
        Objects.requireNonNullElse(content.attributes, Map.<String, String>of());
    return new Message(
        task(attributes.get(KIND)),
        worker(attributes, workers),
        isMinute(attributes.get(MINUTE_OF_SWEEP), content.publishTime),
        pass(attributes.get(PASS)));
  }

  private static PassKind pass(@Nullable String found) throws UnusableEventException {
    for (PassKind pass : PassKind.values()) {
      if (found == null || attribute(pass).equals(found)) {
        return pass;
      }
    }
    throw new UnusableEventException("attribute pass part, all or rest, or none", found);
  }

  private static Content content(@Nullable CloudEventData data) throws UnusableEventException {
    String text = data == null ? "" : new String(data.toBytes(), StandardCharsets.UTF_8);
    try {
      Body body = GSON.fromJson(text, Body.class);
      if (body != null && body.message() != null) {
        return body.message();
      }
    } catch (JsonParseException malformed) {
      // It is no message, as any other body that has none.
    }
    throw new UnusableEventException("a MessagePublishedData in JSON", text);
  }

  private static Task task(@Nullable String found) throws UnusableEventException {
    for (Task task : Task.values()) {
      if (task.attribute().equals(found)) {
        return task;
      }
    }
    throw new UnusableEventException("attribute kind run, wake or sweep", found);
  }

  /**
   * The sender may have been deployed with another number of workers. So a wake-up names the id of
   * an entry, and a larger number of a worker stands for one of those here: at worst a run finds
   * nothing live in its part.
   */
  private static OptionalInt worker(Map<String, String> attributes, int workers)
      throws UnusableEventException {
    String entry = attributes.get(LIVE_ID);
    String worker = attributes.get(WORKER);
    if (entry != null && !entry.matches("[0-9a-f]{4,32}")) {
      throw new UnusableEventException("attribute entry of 4 to 32 hexadecimal digits", entry);
    }
    if (worker != null && !worker.matches("[0-9]{1,9}")) {
      throw new UnusableEventException("attribute worker, a whole number", worker);
    }
    if (entry != null) {
      return OptionalInt.of(WorkerRange.workerOf(entry, workers));
    }
    return worker == null
        ? OptionalInt.empty()
        : OptionalInt.of(Integer.parseInt(worker) % workers);
  }

  /**
   * A missing or malformed minute or time never matches, so the run works without its sweep: an
   * alert says after two hours that sweeps are missing.
   */
  private static boolean isMinute(@Nullable String minute, @Nullable String time) {
    try {
      return minute != null
          && minute.matches("[0-9]|[1-5][0-9]")
          && time != null
          && OffsetDateTime.parse(time).withOffsetSameInstant(ZoneOffset.UTC).getMinute()
              == Integer.parseInt(minute);
    } catch (DateTimeParseException malformed) {
      return false;
    }
  }
}
