package dev.tallyroll.local.up;

import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.internal.Layout;
import java.util.Optional;

/**
 * A counter as the terminal and the page name it: a polled counter by the path of its document, any
 * other by its parent and its id. Such a path has an even number of parts, the other names an odd
 * one, so names differ. Immutable.
 *
 * @param layout where such counters are
 */
record Named(Layout layout, CounterPath path, boolean polled) {
  /** Reads what {@link #toString} has written. */
  static Named of(Settings settings, String name) {
    int slash = name.lastIndexOf('/');
    String parent = slash < 0 ? "" : name.substring(0, slash);
    return polled(settings, name)
        .orElseGet(
            () ->
                new Named(
                    settings.layout(), new CounterPath(parent, name.substring(slash + 1)), false));
  }

  /** The counter whose document has this path; empty if that is no counter's. */
  static Optional<Named> ofDocument(Settings settings, String path) {
    Layout layout = settings.layout();
    return polled(settings, path)
        .or(() -> layout.counterOfDocument(path).map(it -> new Named(layout, it, false)));
  }

  private static Optional<Named> polled(Settings settings, String document) {
    return settings
        .polled()
        .flatMap(its -> its.counterOfDocument(document).map(it -> new Named(its, it, true)));
  }

  String document() {
    return layout.counterDocument(path);
  }

  Counter in(Counters counters) {
    return (polled ? counters.polled() : counters).counter(path);
  }

  @Override
  public String toString() {
    return polled ? document() : path.toString();
  }
}
