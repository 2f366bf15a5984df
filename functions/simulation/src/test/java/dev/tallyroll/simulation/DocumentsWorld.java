package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Posts, which people like and rate, and the deployments that count these documents in one thread:
 * likes by their number, ratings by their number, sum and average. Posts come and go; the app
 * writes over the fields, and locks them. All choices are drawn from one seed.
 */
final class DocumentsWorld implements Seeds.Play {
  /** Each like counts one. */
  static final Layout LIKES = new Layout("posts", "likes", "rollups", "tallyroll", "");

  static final Layout RATINGS =
      new Layout("posts", "ratings", "rollups_of_ratings", "tally-ratings", "review.stars");

  /** A document that was meant for another deployment: it counts ratings, and not their stars. */
  private static final Layout MISTAKEN =
      new Layout("posts", "ratings", "rollups_of_ratings", "tally-ratings", "");

  private static final Map<Layout, Map<Figure, FieldName>> FIELDS =
      Map.of(
          LIKES,
          Map.of(Figure.TOTAL, FieldName.of("likes")),
          RATINGS,
          Map.of(
              Figure.TOTAL, FieldName.of("stats", "stars"),
              Figure.NUMBER, FieldName.of("ratings"),
              Figure.AVERAGE, FieldName.of("stats", "average")));

  static final List<CounterPath> POSTS =
      List.of(CounterPath.of("p0"), CounterPath.of("p1"), CounterPath.of("p2"));

  private static final int WORKERS = 2;
  private static final int USERS = 5;
  private static final int FEW_WRITES = 8;
  private static final int MANY_WRITES = 60;
  private static final Duration FAULTY = Duration.ofSeconds(60);
  private static final Duration LOCK = Duration.ofSeconds(9);
  private static final Duration UNTIL_QUIET = Duration.ofHours(26);

  /** The time for a scheduled run, three leases of a counter whose fields are locked, and calls. */
  private static final Duration UNTIL_SETTLED = Duration.ofMinutes(3);

  /** Fields of an app's, each beside a place where a figure can be written, or in it. */
  private static final List<Map<String, Object>> APPS =
      List.of(
          Map.of("title", "x"),
          Map.of("title", "x", "likes", 0L, "ratings", 0L),
          Map.of("likes", 1_234L, "stats", Map.of("stars", 7L, "views", 9L)),
          Map.of("likes", List.of("alice", "bob")),
          Map.of("stats", "a text", "ratings", Map.of("alice", 5L)),
          Map.of("stats", Map.of("average", "a text")));

  private final Faults faults;
  private final Random random;
  private final World world;
  private final PostsJudge judge;
  private final List<Deployment> deployments = new ArrayList<>();
  private final boolean losing;

  /** How often likes are summed; empty if they make events. */
  private final Optional<Duration> poll;

  /** Whether an instance with other settings is there, too. */
  private final boolean isMistaken;

  private int working;

  /** The functions that count one collection of documents. */
  private record Deployment(Layout layout, Rollers rollers, Deliveries<ShardWrite> deliveries) {}

  DocumentsWorld(long seed) {
    faults = new Faults(seed, Faults.Level.of(seed));
    random = faults.random;
    Duration tick = Duration.ofMillis(500L << random.nextInt(3));
    Duration lease = tick.multipliedBy(3 + random.nextInt(4));
    boolean holds = random.nextInt(6) == 0;
    boolean polled = random.nextInt(4) == 0;
    Timing timing =
        new Timing(
            tick,
            lease,
            Duration.ofSeconds(random.nextInt(2)),
            2 + random.nextInt(9),
            holds ? tick.multipliedBy(6) : Duration.ZERO,
            /* precision= */ 0.3);
    poll = Optional.of(Features.poll(tick, random)).filter(every -> polled);
    world = new World(faults, World.settings(timing, WORKERS), this::clockError);
    world.server.readsAtOldTimes = random.nextBoolean();
    world.totals.checks = false;
    world.totals.onRollup((counter, rollup) -> {});
    world.fields = layout -> FIELDS.getOrDefault(layout, FIELDS.get(RATINGS));
    if (poll.isPresent()) {
      world.withoutEvents.add(LIKES);
    }
    losing = random.nextInt(5) == 0;
    judge = new PostsJudge(world, FIELDS);
    deployments.add(deploy(LIKES));
    if (random.nextInt(3) > 0) {
      deployments.add(deploy(RATINGS));
    }
    isMistaken = deployments.size() > 1 && random.nextInt(5) == 0;
    world.server.observe(this::committed);
  }

  private Duration clockError() {
    long most = random.nextInt(10) == 0 ? 86_400_000 : 500;
    return Duration.ofMillis((long) ((random.nextDouble() - 0.5) * 2 * most));
  }

  private Deployment deploy(Layout layout) {
    Rollers rollers = new Rollers(world, layout);
    if (isPolled(layout)) {
      rollers.poll(poll);
    }
    rollers.everyMinute();
    Deliveries<ShardWrite> deliveries =
        new Deliveries<>(
            world, instance -> world.handler(instance, layout, rollers)::written, losing);
    return new Deployment(layout, rollers, deliveries);
  }

  private boolean isPolled(Layout layout) {
    return world.withoutEvents.contains(layout);
  }

  private void committed(Commit commit) {
    judge.committed(commit);
    for (Deployment each : deployments) {
      if (!isPolled(each.layout())) {
        commit.changes().stream()
            .filter(change -> each.layout().counterOfShard(change.path()).isPresent())
            .map(change -> event(each.layout(), change, commit))
            .flatMap(Optional::stream)
            .forEach(each.deliveries()::publish);
      }
    }
  }

  /** The event of a change, which is dropped only if it changes nothing that is counted. */
  private static Optional<ShardWrite> event(Layout layout, Changed change, Commit commit) {
    Optional<ShardWrite> event = new ShardEventSource(layout).event(change, commit);
    boolean isUpdate = change.before().isPresent() && change.after().isPresent();
    boolean isSame =
        isUpdate
            && counted(layout, change.before().get()).equals(counted(layout, change.after().get()));
    if (event.isPresent() == isSame) {
      throw new AssertionError("an edit, and no other change, is dropped: " + change);
    }
    return event;
  }

  private static Optional<Value> counted(Layout layout, Document document) {
    return layout
        .counted()
        .flatMap(field -> Optional.ofNullable(Protos.get(document.getFieldsMap(), field.names())));
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return "faults: %s, %s, %s, lost events: %s, polls: %s, an instance with other settings: %s"
        .formatted(faults.level, world.timing, deployed(), losing, poll, isMistaken);
  }

  /** Plays the world, then ends the faults and waits until no work is left. */
  @Override
  public void play() {
    for (CounterPath path : POSTS) {
      String post = "posts/" + path.id();
      if (random.nextInt(4) > 0) {
        world.put(post, APPS.get(random.nextInt(APPS.size())));
      }
      work(post, 1 + random.nextInt(random.nextBoolean() ? FEW_WRITES : MANY_WRITES));
      changePost(post);
    }
    mistakeSettings();
    world.time.pass(FAULTY);
    boolean faultless = faults.counts.isEmpty();
    faults.switchOff();
    world.time.run(UNTIL_QUIET, () -> working == 0 && !hasPending());
    if (isMistaken) {
      removeMistakenTotals();
    }
    world.time.run(UNTIL_SETTLED, this::isQuiet);
    if (!isQuiet()) {
      throw new AssertionError("not quiet after " + UNTIL_SETTLED);
    }
    if (poll.isPresent()) {
      world.time.pass(Duration.ofSeconds(130)); // two scheduled runs
      world.time.run(UNTIL_SETTLED, this::isQuiet);
    }
    boolean needsSweep =
        losing
            || isMistaken
            || (faults.counts.containsKey(Faults.Kind.LOST_MESSAGE) && poll.isPresent());
    if (!needsSweep) {
      judge.checkTotals(
          deployed(),
          /* isFound= */ true,
          /* isSwept= */ false,
          layout -> isPolled(layout) && !faultless);
    }
    if (faultless && !needsSweep) {
      judge.checkKeptFields(deployed(), this::isPolled);
    }
    world.time.pass(Timing.LONGEST_CALL); // a write that was given up may still take effect
    deployments.forEach(each -> world.sweep(each.layout()));
    world.time.run(UNTIL_SETTLED, this::isQuiet);
    deployments.forEach(each -> world.sweep(each.layout())); // what was live, or was created
    judge.checkAll(deployed(), !needsSweep);
  }

  private List<Layout> deployed() {
    return deployments.stream().map(Deployment::layout).toList();
  }

  private boolean hasPending() {
    return deployments.stream().anyMatch(each -> each.deliveries().pending() > 0);
  }

  private boolean isQuiet() {
    return world.underWay == 0
        && deployments.stream()
            .map(Deployment::layout)
            .noneMatch(
                layout ->
                    world.server.list(layout.liveList()).stream()
                        .anyMatch(ServerTotals.isEntry(layout)));
  }

  /** People write so many times below a post. */
  private void work(String post, int writes) {
    working++;
    goOn(post, writes);
  }

  private void goOn(String post, int writes) {
    if (writes == 0) {
      working--;
      return;
    }
    Duration pause = random.nextInt(4) == 0 ? Duration.ofSeconds(4) : Duration.ofMillis(300);
    world.time.after(
        faults.upTo(pause),
        () -> {
          write(post);
          goOn(post, writes - 1);
        });
  }

  private void write(String post) {
    String user = "u" + random.nextInt(USERS);
    String like = post + "/likes/" + user;
    String rating = post + "/ratings/" + user;
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3, 4 -> world.put(like, Map.of("at", world.time.now()));
      case 5, 6, 7 -> world.delete(like);
      case 8 -> deleteAll(post + "/likes");
      case 9 -> deleteAll(post + "/ratings");
      case 10 -> world.delete(rating);
      case 11 -> edit(rating);
      case 12 -> rate(rating, random.nextBoolean() ? "five" : 2.5);
      case 13 -> world.put(rating, Map.of("text", "no stars"));
      default -> rate(rating, (long) random.nextInt(6));
    }
  }

  private void rate(String rating, Object stars) {
    world.put(rating, Map.of("review", Map.of("stars", stars, "by", "me"), "text", "good"));
  }

  /** Changes what does not count. */
  private void edit(String rating) {
    world
        .server
        .document(rating)
        .ifPresent(
            there -> {
              Map<String, Object> fields = Protos.objects(there.getFieldsMap());
              String text = "better " + random.nextInt();
              fields.put("text", text);
              if (fields.get("review") instanceof Map<?, ?> review) {
                Map<Object, Object> edited = new HashMap<>(review);
                edited.put("by", text);
                fields.put("review", edited);
              }
              world.put(rating, fields);
            });
  }

  private void deleteAll(String collection) {
    Write[] deletes =
        world.server.list(collection).stream()
            .map(each -> Writes.delete(SimulatedServer.path(each)))
            .toArray(Write[]::new);
    if (deletes.length > 0) {
      world.commit(deletes);
    }
  }

  /** The app writes the post, makes it, deletes it, or locks it for a while. */
  private void changePost(String post) {
    for (int i = random.nextInt(4); i > 0; i--) {
      int what = random.nextInt(6);
      Map<String, Object> fields = APPS.get(random.nextInt(APPS.size()));
      world.time.after(
          Duration.ofMillis(random.nextLong(FAULTY.minus(LOCK).toMillis())),
          () -> {
            switch (what) {
              case 0 -> {
                judge.disturbed(post);
                world.delete(post);
              }
              case 1 -> {
                judge.disturbed(post);
                world.put(post, fields);
              }
              case 2, 3 -> world.addField(post);
              default -> world.appDocuments.hold(post, LOCK);
            }
          });
    }
  }

  /** An instance with other settings gets events and sweeps. */
  private void mistakeSettings() {
    if (isMistaken) {
      World.Instance instance = world.instance();
      ShardWrites writes = world.handler(instance, MISTAKEN, deployments.get(1).rollers());
      for (int i = 0; i < 20; i++) {
        Located post = new Located(MISTAKEN, POSTS.get(i % POSTS.size()));
        ShardWrite deleted = new ShardWrite(post, "u0", Optional.empty(), Optional.empty());
        world.time.after(
            faults.upTo(FAULTY),
            () ->
                instance.execute(
                    () -> {
                      var unused = writes.written(deleted).exceptionally(failure -> null);
                    }));
      }
      world.time.after(faults.upTo(FAULTY), () -> swallow(world.beginSweep(MISTAKEN)));
    }
  }

  /** That instance is gone, and an operator removes what it has made. */
  private void removeMistakenTotals() {
    world.time.run(UNTIL_SETTLED, () -> world.underWay == 0);
    for (CounterPath post : POSTS) {
      String rollup = MISTAKEN.rollupDocument(post);
      if (world.server.document(rollup).stream()
          .anyMatch(there -> ServerTotals.isMarked(there, MISTAKEN, post))) {
        world.delete(rollup);
      }
    }
  }

  private static void swallow(Object unused) {}
}
