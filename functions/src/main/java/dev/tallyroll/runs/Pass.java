package dev.tallyroll.runs;

import dev.tallyroll.runs.RunStore.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * One way through a long list, page by page. It goes on where the pass before has ended: whatever
 * ends a pass before the end of the list, its time, its bound, a page that cannot be read, or the
 * end of its instance, it keeps its place.
 *
 * <p>Only so many items are under way at once. The next page is read as soon as all items of this
 * one have begun, so a slow item delays only itself; and one that fails, no other.
 *
 * <p>Not thread-safe: for the event loop only.
 *
 * @param <T> an item of the list
 */
public final class Pass<T> {
  /** How often a page is read if that fails. */
  private static final int ATTEMPTS = 3;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  /**
   * The list, and what is done with its items.
   *
   * @param <T> an item
   */
  public interface Pages<T> {
    /** The names of the groups that the list consists of, in their order. */
    List<String> groups();

    /**
     * Whether a page of a group can begin after a document. It cannot if the place was damaged, or
     * stored with other settings.
     */
    boolean canBeginAfter(String group, String after);

    /** Whether the pass has looked at as much as it may. */
    boolean isSpent();

    /**
     * Reads a page.
     *
     * @param after the last document of the page before; empty for a group's first page
     * @param failures how often this page could not be read before
     */
    CompletableFuture<Page<T>> page(String group, String after, int failures);

    /** Works on an item; the future must not fail. */
    CompletableFuture<Void> work(T item);
  }

  /**
   * A page of the list.
   *
   * @param last its last document, or where else the next page begins; empty at the group's end
   */
  public record Page<T>(List<T> items, String last) {}

  /** Where a pass keeps its place. */
  public interface Bookmark {
    /** Finds the place of the pass before, if that has left one. */
    CompletableFuture<Opened> open();

    /** Keeps the place while the pass goes on; false if another pass has taken over. */
    CompletableFuture<Boolean> keep(Place place);

    /** Keeps the place for the next pass. */
    CompletableFuture<Void> leave(Place place);

    /**
     * Removes the place: the list is at its end.
     *
     * @param end a place at which none can go on
     */
    CompletableFuture<Void> close(Place end);
  }

  /**
   * What a pass finds at its beginning.
   *
   * @param isFree whether no other pass is at work
   * @param now the time, by the clock that places tell the time by
   */
  public record Opened(boolean isFree, Optional<Place> place, Instant now) {}

  /** How a pass has ended. */
  public enum End {
    COMPLETE,
    /** The pass has kept its place for the next one. */
    LEFT,
    /** The same, since its time was up: a pass over everything goes on with the next message. */
    LATE,
    /** Another pass is at work. */
    ANOTHER
  }

  private final Pages<T> pages;
  private final Bookmark bookmark;
  private final EventLoop loop;
  private final int atOnce;
  private final Instant deadline;

  /** When it began, by the loop's clock. */
  private Instant begun;

  /** The same moment, by the bookmark's. */
  private Instant now;

  /** Begun next. */
  private final Queue<T> items = new ArrayDeque<>();

  /** Where the page begins that {@link #items} are of. */
  private Place page;

  /** Where the next page begins; its group is empty behind the last one. */
  private Place next;

  private boolean isWhole = true;
  private boolean isFirst = true;
  private Optional<End> end = Optional.empty();
  private CompletableFuture<Void> turning = DONE;

  /**
   * @param atOnce how many items are under way at once
   * @param most how long it may take; then it reads no further page, but at least one
   */
  public Pass(Pages<T> pages, Bookmark bookmark, EventLoop loop, int atOnce, Duration most) {
    this.pages = pages;
    this.bookmark = bookmark;
    this.loop = loop;
    this.atOnce = atOnce;
    this.begun = loop.instant();
    this.now = begun;
    this.deadline = begun.plus(most);
    this.next = new Place("", "", begun);
    this.page = next;
  }

  /** Goes through the list, once. */
  public CompletableFuture<End> run() {
    begun = loop.instant();
    return bookmark
        .open()
        .thenCompose(
            opened -> {
              now = opened.now();
              next = new Place(pages.groups().get(0), "", now);
              opened.place().filter(this::isUsable).ifPresent(this::beginAt);
              end = opened.isFree() ? end : Optional.of(End.ANOTHER);
              return CompletableFuture.allOf(
                  Stream.generate(this::goOn).limit(atOnce).toArray(CompletableFuture<?>[]::new));
            })
        .thenCompose(none -> close());
  }

  /** How long ago it, or the pass that it goes on with, began at the list's beginning. */
  public Duration age() {
    return Duration.between(next.since(), now).plus(Duration.between(begun, loop.instant()));
  }

  /** Whether the pass began at the list's beginning. */
  public boolean isWhole() {
    return isWhole;
  }

  /** Begins no item any more, and keeps its place before those that have not begun. */
  public void stop() {
    end = end.or(() -> Optional.of(End.LEFT));
  }

  private boolean isUsable(Place place) {
    return pages.groups().contains(place.group())
        && (place.after().isEmpty() || pages.canBeginAfter(place.group(), place.after()));
  }

  private void beginAt(Place place) {
    next = place;
    isWhole = false;
  }

  /** One of those that work beside each other: takes an item, and then another. */
  private CompletableFuture<Void> goOn() {
    while (end.isEmpty()) {
      T item = items.poll();
      CompletableFuture<Void> step = item == null ? turn() : pages.work(item);
      if (!step.isDone()) { // those that end at once would else be as deep as the list is long
        return step.thenCompose(none -> goOn());
      }
    }
    return DONE;
  }

  private CompletableFuture<Void> turn() {
    if (turning.isDone()) {
      turning = turnPage();
    }
    return turning;
  }

  private CompletableFuture<Void> turnPage() {
    page = next;
    if (page.group().isEmpty()) {
      end = Optional.of(End.COMPLETE);
      return DONE;
    }
    boolean isLate = !loop.instant().isBefore(deadline);
    if (!isFirst && (pages.isSpent() || isLate)) {
      end = Optional.of(isLate ? End.LATE : End.LEFT);
      return DONE;
    }
    return isFirst ? read() : keepAndRead();
  }

  private CompletableFuture<Void> keepAndRead() {
    return bookmark
        .keep(page)
        .thenCompose(
            mine -> {
              if (!mine) {
                end = Optional.of(End.ANOTHER);
              }
              return end.isPresent() ? DONE : read();
            });
  }

  /** If nothing can be read behind the place of the pass before, it begins at the beginning. */
  private CompletableFuture<Void> read() {
    return Retry.untilItWorks(
            ATTEMPTS,
            failures -> pages.page(page.group(), page.after(), failures),
            () -> loop.after(PAUSE))
        .thenAccept(
            found -> {
              isFirst = false;
              items.addAll(found.items());
              next =
                  found.last().isEmpty()
                      ? new Place(groupBehind(page.group()), "", page.since())
                      : new Place(page.group(), found.last(), page.since());
            })
        .exceptionally(
            failure -> {
              if (isFirst && !isWhole) {
                isWhole = true;
                next = new Place(pages.groups().get(0), "", page.since());
              } else {
                stop();
              }
              return null;
            });
  }

  private String groupBehind(String group) {
    int behind = pages.groups().indexOf(group) + 1;
    return behind < pages.groups().size() ? pages.groups().get(behind) : "";
  }

  private CompletableFuture<End> close() {
    boolean isDone = items.isEmpty() && next.group().isEmpty();
    End last = isDone ? End.COMPLETE : end.orElseThrow();
    CompletableFuture<Void> closed =
        switch (last) {
          case COMPLETE -> bookmark.close(next);
          case LEFT, LATE -> bookmark.leave(items.isEmpty() ? next : page);
          case ANOTHER -> DONE;
        };
    return closed.thenApply(none -> last);
  }
}
