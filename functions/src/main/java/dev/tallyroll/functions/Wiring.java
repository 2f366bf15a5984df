package dev.tallyroll.functions;

import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.platform.Instance;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.WarmUp;
import dev.tallyroll.protocol.Polls;
import dev.tallyroll.protocol.Roller;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.store.FirestoreStore;
import java.util.function.UnaryOperator;

/**
 * Puts a function together.
 *
 * @param settings from the environment
 */
record Wiring(Settings settings, Instance instance, FirestoreStore store) {
  /** Costs two reads. */
  static Wiring of(Role role, UnaryOperator<String> environment) {
    return of(role, role.journal(), environment);
  }

  static Wiring of(Role role, Journal journal, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    Instance instance =
        Instance.of(role, journal, settings.database(), settings.topic(), environment);
    FirestoreStore store =
        new FirestoreStore(
            instance.firestore(),
            settings.layout(),
            settings.sum(),
            settings.fields(),
            instance.calls(),
            journal);
    var ours = instance.firestore().document(settings.layout().runDocument(WarmUp.NONE));
    ShardSums sums = new ShardSums(settings.sum(), settings.layout().counted());
    WarmUp.by(ours, () -> sums.sum(ours.collection(settings.layout().shards())), journal);
    return new Wiring(settings, instance, store);
  }

  ShardWrites shardWrites() {
    return new ShardWrites(
        store,
        instance.wakeUps(settings.runs()),
        instance.journal(),
        instance.loop(),
        settings.runs().timing());
  }

  MessageHandling messages() {
    return instance.messages(
        settings.hasTrigger()
            ? Roller.all(store, instance.journal(), instance.loop(), settings.runs())
            : Polls.all(store, store.runs(), instance.journal(), instance.loop(), settings.runs()),
        store.runs(),
        sweep()::run,
        settings.runs());
  }

  private Sweep sweep() {
    return new Sweep(
        store,
        settings.hasTrigger(),
        store.runs(),
        instance.journal(),
        instance.loop(),
        settings.runs());
  }
}
