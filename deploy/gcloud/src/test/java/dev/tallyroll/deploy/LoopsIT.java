package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.Emulator;
import dev.tallyroll.settings.OperatorSettings;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The paths that the trigger matches, by Google's own code. No function writes a path that it
 * matches: such a loop has cost others a fortune.
 */
class LoopsIT {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "counters",
        "rooms/{room}/counters",
        "counters/{a}/shards/{b}/counters",
        "rollups/{a}/counters",
        "a/{x}/c/{y}/counters",
        "{parent=**}/counters"
      })
  void ownWrites_missTheTrigger(String counters) throws Exception {
    assertMissed(trigger(of(counters)), Layout.DEFAULT);
  }

  @Test
  void renamedCollections_missTheTriggerToo() throws Exception {
    PathPattern trigger =
        trigger("counters.of={parent=**}/tallies/{counter}/parts", "counters.rollups=totals");

    assertMissed(trigger, new Layout("tallies/{tally}/parts", "totals", "count"));
    assertThat(trigger.matches("rooms/r/tallies/likes/parts/0")).isTrue();
  }

  /**
   * For counters in many places, every path that the functions write, counters' own documents among
   * them.
   */
  private static void assertMissed(PathPattern trigger, Layout layout) throws Exception {
    Stream<String> rollups =
        Stream.of("", "rooms/r", "a/b/c/d", "counters/a/shards/b", "counters/a", "rollups/a")
            .map(parent -> new CounterPath(parent, "likes"))
            .flatMap(
                counter -> Stream.of(layout.rollupDocument(counter), documentOf(layout, counter)));
    Stream<String> jobs =
        Stream.of("0", "1", "63", "sweep-counters")
            .map(job -> Layout.runDocument(Layout.DEPLOYMENT, job));
    Stream<String> entry =
        Stream.of(
            Layout.liveList(Layout.DEPLOYMENT) + "/" + layout.liveId(CounterPath.of("likes")));

    for (String path : Stream.of(rollups, jobs, entry).flatMap(all -> all).toList()) {
      assertThat(trigger.matches(path)).as(path).isFalse();
    }
  }

  private static String documentOf(Layout layout, CounterPath counter) {
    return (counter.parent().isEmpty() ? "" : counter.parent() + "/")
        + layout.countersCollection()
        + "/"
        + counter.id();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rooms/{room}/counters",
        "a-b_1/{c_2}/0/{d}/counters",
        "{parent=**}/counters",
        "rooms/{room}/{parent=**}/counters",
        "{a=**}/x/{b=**}/counters",
        "rooms/{room=*}/counters",
        "rooms/*/counters",
        "rooms/{room*}/counters",
        "{a}{b}/c/counters",
        "r\u00e4ume/{room}/counters",
        "rooms/{r\u00e4um}/counters",
        "rooms//counters",
        "/counters",
        "rooms/{}/counters",
        "rooms/room}/counters",
        "a|b/c/counters",
        "a\tb/{room}/counters"
      })
  void pathThatIsAccepted_isATriggersPattern(String counters) throws Exception {
    Optional<String> pattern;
    try {
      pattern = Optional.of(pattern(of(counters)));
    } catch (IllegalArgumentException refused) {
      assertThat(refused).hasMessageContaining("counters.of: expected ");
      pattern = Optional.empty();
    }
    if (pattern.isPresent()) {
      String shard = counters.replaceAll("\\{[^}]*\\}", "some") + "/likes/shards/0";
      assertThat(PathPattern.of(pattern.get()).matches(shard)).isTrue();
    }
  }

  /** Shards of counters there. */
  private static String of(String counters) {
    return "counters.of=" + counters + "/{counter}/shards";
  }

  /** The pattern of the trigger that deploy makes. */
  private static String pattern(String... keys) {
    return OperatorSettings.of(
            Map.of(
                "PROJECT",
                "p",
                "REGION",
                "us-central1",
                "TOTALS",
                Totals.text(List.of(keys)).orElseThrow()))
        .patterns()
        .get(0);
  }

  private static PathPattern trigger(String... keys) throws Exception {
    return PathPattern.of(pattern(keys));
  }

  /** A trigger's path pattern, as Google's own class in the emulator's jar reads it. */
  private record PathPattern(Object pattern) {

    private static final Class<?> GOOGLES = googles();

    static PathPattern of(String text) throws ReflectiveOperationException {
      Method create = GOOGLES.getMethod("create", String.class);
      // Empty where no trigger can have such a pattern.
      return new PathPattern(((Optional<?>) create.invoke(null, text)).orElseThrow());
    }

    boolean matches(String document) throws ReflectiveOperationException {
      return (boolean) GOOGLES.getMethod("matches", String.class).invoke(pattern, document);
    }

    private static Class<?> googles() {
      try {
        List<URL> urls = new ArrayList<>();
        for (Path jar : Emulator.classPath(line -> {})) {
          urls.add(jar.toUri().toURL());
        }
        // Left open, as it loads further classes when they are needed.
        return new URLClassLoader(urls.toArray(URL[]::new))
            .loadClass("com.google.cloud.eventflow.eventfilters.filtering.pathpattern.PathPattern");
      } catch (IOException | ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }
  }
}
