package dev.tallyroll.local.soak;

import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.soak.Finals.Shards;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Puts what is known of counters before the checkers. Stateless. */
final class Judge {
  private Judge() {}

  /** What readers saw of a counter that they must not have, each in a sentence. */
  static List<String> readings(Client client) {
    var story = client.story();
    // What a deleted counter held is forgotten, and its roll-up may come back older (see the
    // design).
    if (client.habit() == Habit.FLEETING) {
      return List.of();
    }
    boolean rising = client.habit() != Habit.WAVERING;
    var bounds = client.bounds();
    return Stream.of(
            bounds.broken(story.heard()),
            bounds.broken(story.polled()),
            NeverBack.broken(story.heard(), rising),
            NeverBack.broken(story.polled(), rising))
        .flatMap(List::stream)
        .map(sentence -> client.path() + ": " + sentence)
        .toList();
  }

  /** How a counter stands now. */
  static Finals finals(Client client)
      throws ExecutionException, InterruptedException, TimeoutException {
    var rollup = Client.done(client.counter().total());
    long sum = whole(Client.done(client.counter().exactTotal()));
    return new Finals(
        rollup.equals(RolledUpTotal.NONE)
            ? OptionalLong.empty()
            : OptionalLong.of(whole(rollup.total())),
        new Shards(sum, client.shards()),
        client.bounds().inTheEnd());
  }

  private static long whole(Total total) {
    if (total instanceof Total.Whole whole) {
      return whole.value();
    }
    throw new IllegalStateException("expected a total of integers, found " + total);
  }

  /** Those whose roll-up is not what their shards are, or is still to change. */
  static List<Client> unsettled(List<Client> clients)
      throws ExecutionException, InterruptedException, TimeoutException {
    var unsettled = new ArrayList<Client>();
    for (var client : clients) {
      if (Client.done(client.counter().total()).isLive() || !finals(client).isSettled()) {
        unsettled.add(client);
      }
    }
    return unsettled;
  }
}
