package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Increments one counter at a rate, and measures how late its total shows each increment. All times
 * are Firestore's; the clock of this machine only measures pauses. Not thread-safe.
 */
final class Load {
  private static final int SECONDS = 15;

  private static final int MOST_COMMITS_A_SECOND = 4;

  /** A look may miss a version that is replaced sooner; its increments then seem later. */
  private static final Duration LOOK = Duration.ofMillis(250);

  private static final int FEWEST_SHARDS = 10;
  private static final int MOST_LOOKS = 360;

  /** A total, and since when it was there. */
  private record Version(long total, Instant since) {}

  private final Cloud cloud;
  private final Console console;
  private final Deployment ours;
  private final State state;
  private final List<Version> versions = new ArrayList<>();
  private final List<Version> commits = new ArrayList<>();
  int increments;
  int reads;
  int writes;

  Load(Cloud cloud, Console console, Deployment ours) {
    this.cloud = cloud;
    this.console = console;
    this.ours = ours;
    this.state = new State(console, ours);
  }

  /**
   * Makes a counter, increments it, and waits for its total.
   *
   * @return the lag in words
   * @throws Undetermined if the total does not come
   */
  String at(int rate, String collection) {
    versions.clear();
    commits.clear();
    String counter = collection + "/rate-" + rate;
    String rollup = ours.rollupsBeside(collection) + "/rate-" + rate;
    int shards = Math.max(FEWEST_SHARDS, rate);
    create(counter, shards);
    int aSecond = Math.min(rate, MOST_COMMITS_A_SECOND);
    int each = rate / aSecond;
    for (int i = 0; i < SECONDS * aSecond; i++) {
      increment(counter, shards, i * each, each);
      Instant next = commits.get(0).since.plusMillis((i + 1) * 1000L / aSecond);
      for (Instant now = look(rollup); now.isBefore(next); now = look(rollup)) {
        Duration rest = Duration.between(now, next);
        console.pause(rest.compareTo(LOOK) < 0 ? rest : LOOK);
      }
    }
    await(rollup, (long) SECONDS * rate);
    return words();
  }

  private void create(String counter, int shards) {
    List<JsonObject> all = new ArrayList<>();
    all.add(Smoke.write(Smoke.SET, ours.documents(), counter, "num_shards", shards));
    String field = ours.get(Setting.COUNT_FIELD);
    for (int shard = 0; shard < shards; shard++) {
      String path = Smoke.shard(ours, counter, shard);
      all.add(Smoke.write(Smoke.SET, ours.documents(), path, field, 0));
    }
    commit(all);
  }

  private void increment(String counter, int shards, int from, int number) {
    String field = ours.get(Setting.COUNT_FIELD);
    List<JsonObject> all = new ArrayList<>();
    for (int i = from; i < from + number; i++) {
      String path = Smoke.shard(ours, counter, i % shards);
      all.add(Smoke.write(Smoke.INCREMENT, ours.documents(), path, field, 1));
    }
    Instant time = Instant.parse(Json.text(commit(all), "commitTime"));
    commits.add(new Version(from + number, time));
    increments += number;
  }

  /** Prints no line, because there are hundreds of commits. */
  JsonElement commit(List<JsonObject> all) {
    writes += all.size();
    return cloud.http("POST", DeploymentDocument.url(ours, "commit"), DeploymentDocument.body(all));
  }

  /** Returns the time of the look. */
  private Instant look(String rollup) {
    Canary.stopIfInterrupted();
    reads++;
    JsonElement answer = state.readNow(List.of(rollup));
    String total = Json.text(answer, "0.found.fields.count.integerValue");
    if (!total.isEmpty() && (versions.isEmpty() || newest() != Long.parseLong(total))) {
      Instant since = Instant.parse(Json.text(answer, "0.found.updateTime"));
      versions.add(new Version(Long.parseLong(total), since));
    }
    return Instant.parse(Json.text(answer, "0.readTime"));
  }

  private long newest() {
    return versions.isEmpty() ? 0 : versions.get(versions.size() - 1).total;
  }

  private void await(String rollup, long expected) {
    for (int looks = 0; newest() != expected; looks++) {
      if (looks == MOST_LOOKS) {
        throw new Undetermined(
            "expected a total of %d within %d s, found %d"
                .formatted(expected, LOOK.multipliedBy(MOST_LOOKS).toSeconds(), newest()));
      }
      console.pause(LOOK);
      look(rollup);
    }
  }

  private String words() {
    List<Long> lags =
        commits.stream()
            .map(commit -> Duration.between(commit.since, shown(commit.total)).toMillis())
            .sorted()
            .toList();
    Duration took = Duration.between(commits.get(0).since, commits.get(commits.size() - 1).since);
    double rate = (commits.size() - 1) * (double) commits.get(0).total / took.toMillis() * 1000;
    return String.format(
        Locale.ROOT,
        "p50 %d ms, p90 %d ms, at most %d ms; %d increments in %d commits, %.1f a second",
        lags.get(lags.size() / 2),
        lags.get(lags.size() * 9 / 10),
        lags.get(lags.size() - 1),
        commits.get(commits.size() - 1).total,
        commits.size(),
        rate);
  }

  private Instant shown(long total) {
    return versions.stream()
        .filter(version -> version.total >= total)
        .findFirst()
        .orElseThrow()
        .since;
  }
}
