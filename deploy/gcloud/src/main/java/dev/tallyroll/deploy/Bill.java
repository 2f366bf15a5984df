package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ROLLER;
import static dev.tallyroll.deploy.Deployment.TRIGGERED;

import com.google.gson.JsonObject;
import dev.tallyroll.deploy.Prices.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Computes the cost of 30 days at the pace of the last day: the deployment's own metrics, times
 * prices.
 *
 * @param to the end of the day
 * @param assumed facts that no metric shows
 */
record Bill(Deployment ours, Instant to, List<Line> lines, List<String> assumed) {
  private static final int DAYS = 30;

  /** The size of an event, and of a log entry, in bytes. */
  private static final int EVENT = 1200;

  private static final int ENTRY = 1000;

  private static final int JOBS = 1;
  private static final String NO_VALUE = "no value";

  /**
   * An item of the bill, and how much of it was used.
   *
   * @param quantity of 30 days; empty where the metric has no value
   */
  private record Use(String what, Kind kind, OptionalDouble quantity, String remark) {}

  /** One line of the bill for 30 days. */
  record Line(String what, Kind kind, double quantity, double dollars, String remark) {}

  /**
   * Asks for the metrics of the last day.
   *
   * @param free whether the free amounts of a project are subtracted
   * @throws Undetermined if no metric of the functions has a value
   */
  static Bill of(Target target, Prices prices, boolean free) {
    Deployment ours = target.deployment();
    State state = target.state();
    Instant to = state.document().readTime().truncatedTo(ChronoUnit.SECONDS);
    Instant from = to.minus(Duration.ofDays(1));
    Metrics metrics = new Metrics(url -> state.askHttp(url, ""), ours.project(), from, to);
    List<Use> events = functionUses(metrics, ours, TRIGGERED, "OnShardWritten");
    List<Use> runs = functionUses(metrics, ours, ROLLER, "RollUp");
    if (Stream.of(events, runs).flatMap(List::stream).allMatch(one -> one.quantity.isEmpty())) {
      throw new Undetermined(
          "expected metrics of the last day, found none: %s of %s and %s"
              .formatted(
                  String.join(", ", Metrics.REQUESTS, Metrics.VCPU_SECONDS, Metrics.GIB_SECONDS),
                  ours.named(TRIGGERED),
                  ours.named(ROLLER)));
    }
    boolean excluded = excludesRequestLogs(ours, state);
    OptionalDouble requests = sum(events.get(0).quantity, runs.get(0).quantity);
    List<Use> uses = new ArrayList<>(documentUses(metrics, ours));
    uses.addAll(events);
    uses.addAll(runs);
    uses.add(delivery(metrics, state));
    OptionalDouble logs = excluded ? OptionalDouble.of(0) : times(requests, ENTRY);
    String remark = excluded ? "excluded, but for errors" : "";
    uses.add(new Use("request logs, bytes", Kind.LOG_BYTE, logs, remark));
    uses.add(new Use("Cloud Scheduler jobs", Kind.SCHEDULER_JOB, OptionalDouble.of(JOBS), ""));
    return new Bill(ours, to, lines(uses, prices, free), assumed(prices, free));
  }

  private static List<Use> documentUses(Metrics metrics, Deployment ours) {
    String filter = Metrics.of("database_id", ours.database());
    String remark = "of all clients of this database";
    return Stream.of(Kind.READ, Kind.WRITE, Kind.DELETE)
        .map(
            kind ->
                new Use(
                    "document " + kind + "s",
                    kind,
                    asked(metrics, Metrics.OPERATIONS.formatted(kind), filter),
                    remark))
        .toList();
  }

  private static List<Use> functionUses(
      Metrics metrics, Deployment ours, String who, String title) {
    String filter = Metrics.of("service_name", ours.named(who));
    OptionalDouble requests = asked(metrics, Metrics.REQUESTS, filter);
    OptionalDouble processors = asked(metrics, Metrics.VCPU_SECONDS, filter);
    OptionalDouble memory = asked(metrics, Metrics.GIB_SECONDS, filter);
    return List.of(
        new Use(title + ", requests", Kind.REQUEST, requests, ""),
        new Use(title + ", vCPU-seconds", Kind.VCPU_SECOND, processors, ""),
        new Use(title + ", GiB-seconds", Kind.GIB_SECOND, memory, ""));
  }

  /** The amount in 30 days like this one. */
  private static OptionalDouble asked(Metrics metrics, String type, String filter) {
    return times(metrics.known(type, filter), DAYS);
  }

  /** Pub/Sub bills a message twice: when it comes in, and when it goes out. */
  private static Use delivery(Metrics metrics, State state) {
    OptionalDouble pushes = OptionalDouble.empty();
    String remark = "Pub/Sub";
    for (String who : Deployment.FUNCTIONS) {
      String filter = Metrics.of("subscription_id", Json.id(state.subscription(who)));
      OptionalDouble some = asked(metrics, Metrics.PUSHES, filter);
      remark += some.isPresent() ? "" : "; " + NO_VALUE + " of " + who;
      pushes = sum(pushes, some);
    }
    OptionalDouble bytes = OptionalDouble.of(pushes.orElse(0) * 2 * EVENT);
    return new Use("event delivery, bytes", Kind.PUBSUB_BYTE, bytes, remark);
  }

  private static boolean excludesRequestLogs(Deployment ours, State state) {
    JsonObject there = state.exclusions().get(ours.exclusion());
    return ours.isMarked(Json.text(there, "description"), "");
  }

  /** The sum; empty if neither is known. */
  private static OptionalDouble sum(OptionalDouble a, OptionalDouble b) {
    return a.isEmpty() ? b : OptionalDouble.of(a.getAsDouble() + b.orElse(0));
  }

  private static OptionalDouble times(OptionalDouble a, int factor) {
    return a.isEmpty() ? a : OptionalDouble.of(a.getAsDouble() * factor);
  }

  /** Lines of one kind share its free amount, in their order. */
  private static List<Line> lines(List<Use> uses, Prices prices, boolean free) {
    Map<Kind, Double> left = new EnumMap<>(Kind.class);
    List<Line> lines = new ArrayList<>();
    for (Use use : uses) {
      double quantity = use.quantity.orElse(0);
      double spare = free ? left.getOrDefault(use.kind, prices.free(use.kind)) : 0;
      left.put(use.kind, Math.max(0, spare - quantity));
      double dollars = prices.dollars(use.kind, Math.max(0, quantity - spare));
      String known = use.quantity.isPresent() ? "" : NO_VALUE;
      String remark = use.remark + (use.remark.isEmpty() || known.isEmpty() ? "" : "; ") + known;
      lines.add(new Line(use.what, use.kind, quantity, dollars, remark));
    }
    return lines;
  }

  private static List<String> assumed(Prices prices, boolean free) {
    return List.of(
        "prices: " + prices.about(),
        text("an event has %,d bytes, paid for in and out (at least 1,000 are billed)", EVENT),
        text(
            "a request has a log entry of %,d bytes; the functions' own lines are left out", ENTRY),
        free
            ? "what is free for a project is taken away, as if nothing else there used it"
            : "nothing is free (--free takes away what is)");
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  private double dollars() {
    return lines.stream().mapToDouble(Line::dollars).sum();
  }

  /** Prints the bill on one screen. */
  void show(Console console) {
    console.title(
        "%s in project %s, %s: what %d days cost at the pace of the day before %s"
            .formatted(ours.name(), ours.project(), ours.region(), DAYS, to));
    for (Line line : lines) {
      String quantity = text("%,.0f", line.quantity);
      console.say(row(line.what, quantity, line.dollars, line.remark));
    }
    console.say(row("total", "", dollars(), ""));
    assumed.forEach(words -> console.say("Assumed: " + words + "."));
    console.say("deploy/local/bill prints what to expect for given rates: compare the two.");
  }

  private static String row(String what, String quantity, double dollars, String remark) {
    String amount = text("$%,.2f", dollars);
    return text("%-28s %18s %12s  %s", what, quantity, amount, remark).stripTrailing();
  }

  /** Prints the bill as JSON. */
  JsonObject json() {
    JsonObject all =
        Json.of("project", ours.project(), "region", ours.region(), "name", ours.name());
    all.addProperty("time", to.toString());
    all.addProperty("ok", true);
    all.addProperty("days", DAYS);
    all.add("lines", Json.array(lines.stream().map(Bill::json).toList()));
    all.addProperty("dollars", dollars());
    all.add("assumed", Json.array(assumed));
    return all;
  }

  private static JsonObject json(Line line) {
    JsonObject one = Json.of("what", line.what, "price", line.kind, "remark", line.remark);
    one.addProperty("quantity", line.quantity);
    one.addProperty("dollars", line.dollars);
    return one;
  }
}
