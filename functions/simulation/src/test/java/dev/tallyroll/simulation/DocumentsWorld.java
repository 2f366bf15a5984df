package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Posts, which people like, rate, share and comment on, and the functions that count these
 * documents in one thread: likes by their number, ratings by their number, sum and average, and so
 * on. All are entries of one deployment, whose file is replaced by another, or likes and ratings
 * have a deployment each. Posts come and go; the app writes over the fields, and locks them. All
 * choices are drawn from one seed.
 */
final class DocumentsWorld implements Seeds.Play {
  /** Each like counts one. */
  static final Layout LIKES = new Layout("posts/{post}/likes", "rollups", "");

  static final Layout RATINGS =
      new Layout("posts/{post}/ratings", "rollups_of_ratings", "review.stars");

  /** The number of ratings: another entry over the same documents. */
  private static final Layout RATERS = new Layout("posts/{post}/ratings", "rollups_of_raters", "");

  /** These are shown in their roll-ups only. */
  private static final Layout COMMENTS =
      new Layout("posts/{post}/comments", "rollups_of_comments", "");

  /** These are not below the posts. */
  private static final Layout SHARES =
      new Layout("shared/{post}/shares", "posts/{post}", "rollups_of_shares", "times");

  /** Some of the comments: another entry over the same documents. */
  private static final Layout PUBLISHED =
      new Layout(
          "posts/{post}/comments",
          "posts/{post}",
          "rollups_of_published",
          "",
          new Conditions(Map.of(FieldName.of("state"), Optional.of("published"))));

  /** Votes lie at the root, and say which post they are about: they move from one to another. */
  private static final Layout VOTES =
      new Layout(
          "votes",
          "posts/{postId}",
          "rollups_of_votes",
          "weight",
          new Conditions(Map.of(FieldName.of("kind", "value"), Optional.of(1L))));

  /** All votes about a post, shown in roll-ups only. */
  private static final Layout VOTERS =
      new Layout(
          "votes",
          "posts/{postId}",
          "rollups_of_voters",
          "",
          new Conditions(Map.of(FieldName.of("at"), Optional.empty())));

  /** A document that was meant for another deployment: it counts ratings, and not their stars. */
  private static final Layout MISTAKEN =
      new Layout("posts/{post}/ratings", "rollups_of_ratings", "");

  private static final Map<Layout, Map<Figure, FieldName>> FIELDS =
      Map.of(
          LIKES,
          Map.of(Figure.SUM, FieldName.of("likes")),
          RATINGS,
          Map.of(
              Figure.SUM, FieldName.of("stats", "stars"),
              Figure.COUNT, FieldName.of("ratings"),
              Figure.AVERAGE, FieldName.of("stats", "average")),
          RATERS,
          Map.of(Figure.COUNT, FieldName.of("raters")),
          COMMENTS,
          Map.of(),
          PUBLISHED,
          Map.of(Figure.COUNT, FieldName.of("published")),
          VOTES,
          Map.of(Figure.SUM, FieldName.of("stats", "votes")),
          VOTERS,
          Map.of(),
          SHARES,
          Map.of(Figure.SUM, FieldName.of("stats", "shares")));

  static final List<CounterPath> POSTS =
      List.of(CounterPath.of("p0"), CounterPath.of("p1"), CounterPath.of("p2"));

  private static final int WORKERS = 2;
  private static final int USERS = 5;

  /** A sweep of an entry ends after this many documents, so that the next one goes on. */
  private static final int FEW_LOOKS = 10;

  private static final int MANY_LOOKS = 200;
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

  private static final List<Object> STATES = List.of("published", "published", "hidden", 1L);

  /** The first three are equal. */
  private static final List<Object> KINDS = List.of(1L, 1.0, 1L, 2L, "1", true);

  /** No post of ours has such an id. */
  private static final List<Object> STRAYS = List.of("", "..", "a/b/c", 7L, "nobody");

  private final Faults faults;
  private final Random random;
  private final World world;
  private final PostsJudge judge;
  private final List<Deployment> deployments = new ArrayList<>();
  private final boolean losing;

  /** Whether all are entries of one deployment. */
  private final boolean isTogether;

  /** Whether some entries are summed once a minute, beside others. */
  private final boolean isSlow;

  /** Whether totals are only right after a pass over everything, since the file was changed. */
  private boolean needsPass;

  private String change = "none";

  /** Whether an instance with other settings is there, too. */
  private final boolean isMistaken;

  /** Whether the sweep of that instance has ended. */
  private boolean[] mistakenSweep = {true};

  private int working;

  /** How the file of a deployment is changed, while everything is at work. */
  private enum Change {
    NONE,
    COMES,
    GOES,
    RENAMED,
    OTHER_TIMING,
    TURNED
  }

  /** The functions of one file. */
  private final class Deployment {
    private final String name;
    private final Rollers rollers;
    private final Deliveries<Happened> deliveries;

    /** The deployment's file, as new instances have it. */
    private List<Entry> file;

    /** The same, of handlers, which are deployed after RollUp. */
    private List<Entry> handled;

    Deployment(String name, List<Entry> entries) {
      this.name = name;
      this.file = entries;
      this.handled = entries;
      this.rollers = new Rollers(world, name, () -> file);
      rollers.everyMinute();
      this.deliveries = new Deliveries<>(world, this::handler, losing);
    }

    private Function<Happened, CompletableFuture<Void>> handler(World.Instance instance) {
      List<Entry> own = handled;
      ShardWrites writes = world.handler(instance, name, own, rollers);
      return event ->
          CompletableFuture.allOf(
              events(own, event).stream()
                  .map(writes::written)
                  .toArray(CompletableFuture<?>[]::new));
    }

    List<Layout> layouts() {
      return file.stream().map(Entry::layout).toList();
    }

    /** RollUp is deployed first; old instances of both go on beside the new ones. */
    void replace(List<Entry> other) {
      file = other;
      world.time.after(
          faults.upTo(Duration.ofSeconds(10)),
          () -> {
            handled = other;
            deliveries.redeploy();
          });
    }
  }

  /** A change of a document, whose event is on its way. */
  private record Happened(Changed change, Commit commit) {}

  DocumentsWorld(long seed) {
    faults = new Faults(seed, Faults.Level.of(seed));
    random = faults.random;
    isSlow = random.nextInt(12) == 0;
    int looks = random.nextInt(4) == 0 ? FEW_LOOKS : MANY_LOOKS;
    world = new World(faults, timing(), World.settings(timing(), WORKERS, looks), this::clockError);
    world.server.readsAtOldTimes = random.nextBoolean();
    world.totals.checks = false;
    world.totals.onRollup((counter, rollup) -> {});
    world.fields = layout -> FIELDS.getOrDefault(layout, FIELDS.get(RATINGS));
    losing = random.nextInt(5) == 0;
    judge = new PostsJudge(world, FIELDS);
    isTogether = random.nextInt(3) > 0;
    if (isTogether) {
      deployments.add(new Deployment(Layout.DEPLOYMENT, file()));
      changeFile(deployments.get(0));
    } else {
      deployments.add(deploy(LIKES));
      if (random.nextInt(3) > 0) {
        deployments.add(deploy(RATINGS));
      }
    }
    isMistaken = deployed().contains(RATINGS) && random.nextInt(5) == 0;
    world.server.observe(this::committed);
  }

  private Timing timing() {
    boolean isMinute = isSlow && random.nextInt(3) == 0;
    Duration drawn = Duration.ofMillis(500L << random.nextInt(3));
    Duration tick = isMinute ? RunSettings.SCHEDULE : drawn;
    boolean holds = random.nextInt(6) == 0;
    Timing timing =
        new Timing(
            tick,
            tick.multipliedBy(3 + random.nextInt(4)),
            Duration.ofSeconds(1),
            2 + random.nextInt(9),
            holds && !isMinute ? tick.multipliedBy(6) : Duration.ZERO,
            /* precision= */ 0.3);
    return isSlow && !isMinute ? timing.withMost(random.nextInt(4)) : timing;
  }

  /** A lease of some minutes may be renewed once more. */
  private Duration untilSettled() {
    return isSlow ? UNTIL_SETTLED.multipliedBy(7) : UNTIL_SETTLED;
  }

  private Deployment deploy(Layout layout) {
    return new Deployment(
        ServerTotals.deploymentOf(layout),
        List.of(entry(layout, /* isPolled= */ layout.equals(LIKES) && random.nextInt(4) == 0)));
  }

  /** An entry with a timing of its own. */
  private Entry entry(Layout layout, boolean isPolled) {
    Timing timing = timing();
    return ServerTotals.entry(
        layout,
        world.fields.apply(layout),
        !isPolled,
        isPolled ? world.polling(timing, Features.poll(timing.tick(), random)) : timing);
  }

  /** Two to five entries, each with its timing; some are polled. */
  private List<Entry> file() {
    List<Layout> all =
        new ArrayList<>(
            List.of(LIKES, RATINGS, RATERS, COMMENTS, SHARES, PUBLISHED, VOTES, VOTERS));
    Collections.shuffle(all, random);
    List<Entry> file = new ArrayList<>();
    for (Layout layout : all.subList(0, 2 + random.nextInt(5))) {
      Entry entry = entry(layout, random.nextInt(5) == 0 && layout.documentFields().isEmpty());
      // Two entries over one collection have names of their own.
      file.add(layout.equals(RATERS) ? named(entry, "raters") : entry);
    }
    return file;
  }

  private static Entry named(Entry entry, String name) {
    return new Entry(
        name, entry.layout(), entry.fields(), entry.sum(), entry.hasEvents(), entry.timing());
  }

  /** Another file comes while everything is at work. */
  private void changeFile(Deployment deployment) {
    Change what = Change.values()[random.nextInt(Change.values().length)];
    change = what.toString();
    if (what == Change.NONE) {
      return;
    }
    List<Entry> later = new ArrayList<>(deployment.file);
    Entry first = later.get(0);
    Duration at = faults.upTo(Duration.ofSeconds(50));
    needsPass = what == Change.COMES || what == Change.TURNED;
    switch (what) {
      case COMES -> {
        deployment.file = List.copyOf(later.subList(1, later.size()));
        deployment.handled = deployment.file;
        deployment.deliveries.redeploy();
      }
      case GOES -> later.remove(0);
      case RENAMED -> later.set(0, named(first, "renamed"));
      case OTHER_TIMING -> later.set(0, retimed(first, first.hasEvents()));
      default -> later.set(0, retimed(first, !first.hasEvents()));
    }
    world.time.after(at, () -> deployment.replace(List.copyOf(later)));
  }

  private Entry retimed(Entry entry, boolean hasEvents) {
    boolean isPolled = !hasEvents && entry.layout().documentFields().isEmpty();
    return named(entry(entry.layout(), isPolled), entry.name());
  }

  private Duration clockError() {
    long most = random.nextInt(10) == 0 ? 86_400_000 : 500;
    return Duration.ofMillis((long) ((random.nextDouble() - 0.5) * 2 * most));
  }

  private Optional<Entry> entry(Layout layout) {
    return deployments.stream()
        .flatMap(each -> each.file.stream())
        .filter(entry -> entry.layout().equals(layout))
        .findFirst();
  }

  private boolean isPolled(Layout layout) {
    return entry(layout).filter(entry -> !entry.hasEvents()).isPresent();
  }

  private void committed(Commit commit) {
    judge.committed(commit);
    for (Deployment each : deployments) {
      commit.changes().stream()
          .filter(change -> isCounted(each, change.path()))
          .map(change -> new Happened(change, commit))
          .forEach(each.deliveries::publish);
    }
  }

  /** Whether a trigger of the deployment watches a document. */
  private static boolean isCounted(Deployment deployment, String path) {
    return Stream.concat(deployment.file.stream(), deployment.handled.stream())
        .filter(Entry::hasEvents)
        .anyMatch(entry -> entry.layout().isOfShard(path));
  }

  /** What an event means to each entry: it is dropped only if it changes nothing that counts. */
  private static List<ShardWrite> events(List<Entry> entries, Happened happened) {
    Changed change = happened.change();
    List<Entry> watching =
        entries.stream()
            .filter(Entry::hasEvents)
            .filter(entry -> entry.layout().isOfShard(change.path()))
            .toList();
    if (watching.isEmpty()) {
      return List.of();
    }
    List<ShardWrite> writes = new ShardEventSource(entries).event(change, happened.commit());
    List<CounterId> expected =
        watching.stream()
            .filter(entry -> !isSame(entry.layout(), change))
            .flatMap(entry -> PostsJudge.posts(entry.layout(), change).stream().map(entry::counter))
            .toList();
    if (!writes.stream().map(ShardWrite::counter).toList().equals(expected)) {
      throw new AssertionError("an edit, and no other change, is dropped: " + change);
    }
    return writes;
  }

  private static boolean isSame(Layout layout, Changed change) {
    return change.before().isPresent()
        && change.after().isPresent()
        && layout.read().stream()
            .allMatch(
                field ->
                    Objects.equals(
                        value(change.before().get(), field), value(change.after().get(), field)));
  }

  private static @Nullable Value value(Document document, FieldName field) {
    return Protos.get(document.getFieldsMap(), field.names());
  }

  @Override
  public World world() {
    return world;
  }

  @Override
  public String features() {
    return "faults: %s, %s, lost events: %s, change of the file: %s, an instance with other settings: %s"
        .formatted(
            faults.level,
            deployments.stream()
                .map(each -> each.name + " " + each.file.stream().map(this::words).toList())
                .toList(),
            losing,
            change,
            isMistaken);
  }

  private String words(Entry entry) {
    return entry + " " + entry.timing() + (entry.hasEvents() ? "" : " polled");
  }

  private List<Entry> entries() {
    return deployments.stream().flatMap(each -> each.file.stream()).toList();
  }

  private boolean hasPolls() {
    return deployed().stream().anyMatch(this::isPolled);
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
    if (faultless && change.equals(Change.NONE.toString())) {
      judge.checkFresh(entries());
    }
    faults.switchOff();
    world.time.run(UNTIL_QUIET, () -> working == 0 && !hasPending());
    if (isMistaken) {
      removeMistakenTotals();
    }
    world.time.run(untilSettled(), this::isQuiet);
    if (!isQuiet()) {
      throw new AssertionError("not quiet after " + untilSettled());
    }
    if (hasPolls()) {
      world.time.pass(Duration.ofSeconds(130)); // two scheduled runs
      world.time.run(untilSettled(), this::isQuiet);
    }
    boolean needsSweep =
        losing
            || isMistaken
            || needsPass
            || (faults.counts.containsKey(Faults.Kind.LOST_MESSAGE) && hasPolls());
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
    deployments.forEach(each -> world.sweep(each.name, each.file));
    world.time.run(untilSettled(), this::isQuiet);
    deployments.forEach(each -> world.sweep(each.name, each.file)); // what was live, or was created
    judge.checkAll(deployed(), !needsSweep);
  }

  private List<Layout> deployed() {
    return deployments.stream().flatMap(each -> each.layouts().stream()).toList();
  }

  private boolean hasPending() {
    return deployments.stream().anyMatch(each -> each.deliveries.pending() > 0);
  }

  private boolean isQuiet() {
    return world.underWay == 0 && deployments.stream().allMatch(this::isQuiet);
  }

  private boolean isQuiet(Deployment deployment) {
    List<Document> listed = world.server.list(Layout.liveList(deployment.name));
    return deployment.layouts().stream()
        .noneMatch(layout -> listed.stream().anyMatch(ServerTotals.isEntry(layout)));
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
    if (isTogether && random.nextInt(3) == 0) {
      writeMore(post, user);
      return;
    }
    if (isTogether && random.nextInt(4) == 0) {
      vote(post, "votes/" + user);
      return;
    }
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

  private void writeMore(String post, String user) {
    String comment = post + "/comments/" + user;
    String share = post.replace("posts/", "shared/") + "/shares/" + user;
    switch (random.nextInt(6)) {
      case 0, 1 ->
          world.put(
              comment,
              Map.of(
                  "text",
                  "x" + random.nextInt(),
                  "state",
                  STATES.get(random.nextInt(STATES.size()))));
      case 2 -> world.delete(comment);
      case 3 -> world.delete(share);
      default -> world.put(share, Map.of("times", (long) random.nextInt(6)));
    }
  }

  /** A vote moves between posts, and comes to count, or not. */
  private void vote(String post, String vote) {
    if (random.nextInt(5) == 0) {
      world.delete(vote);
      return;
    }
    Map<String, Object> fields = new HashMap<>();
    Object about =
        random.nextInt(8) == 0
            ? STRAYS.get(random.nextInt(STRAYS.size()))
            : SimulatedServer.id(post);
    fields.put("postId", about);
    fields.put("kind", Map.of("value", KINDS.get(random.nextInt(KINDS.size()))));
    fields.put("weight", (long) random.nextInt(4));
    if (random.nextInt(3) > 0) {
      fields.put("at", null);
    }
    world.put(vote, fields);
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
      Deployment mistaken = deployments.get(deployments.size() - 1);
      List<Entry> file = List.of(mistakenEntry());
      ShardWrites writes = world.handler(instance, mistaken.name, file, mistaken.rollers);
      for (int i = 0; i < 20; i++) {
        CounterId post = file.get(0).counter(POSTS.get(i % POSTS.size()));
        ShardWrite deleted = new ShardWrite(post, "u0", Optional.empty(), Optional.empty());
        world.time.after(
            faults.upTo(FAULTY),
            () ->
                instance.execute(
                    () -> {
                      var unused = writes.written(deleted).exceptionally(failure -> null);
                    }));
      }
      World.Instance other = world.instance();
      world.time.after(
          faults.upTo(FAULTY),
          () -> mistaken(world.beginSweep(other, world.store(other, mistaken.name, file))));
    }
  }

  private Entry mistakenEntry() {
    return ServerTotals.entry(
        MISTAKEN, world.fields.apply(MISTAKEN), /* hasEvents= */ true, world.timing);
  }

  private void mistaken(boolean[] swept) {
    mistakenSweep = swept;
  }

  /** That instance is gone, and an operator removes what it has made. */
  private void removeMistakenTotals() {
    world.time.run(untilSettled(), () -> mistakenSweep[0] && world.underWay == 0);
    for (CounterPath post : POSTS) {
      String rollup = MISTAKEN.rollupDocument(post);
      if (world.server.document(rollup).stream()
          .anyMatch(there -> ServerTotals.isMarked(there, MISTAKEN, post))) {
        world.delete(rollup);
      }
    }
  }
}
