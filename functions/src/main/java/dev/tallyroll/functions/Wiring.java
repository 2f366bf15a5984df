package dev.tallyroll.functions;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Instance;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.WarmUp;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollUpTasks;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.store.FirestoreStore;
import dev.tallyroll.store.FirestoreSums;
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
            settings.entries(),
            settings.deployment(),
            instance.calls(),
            journal);
    Entry first = settings.entries().get(0);
    var ours =
        instance.firestore().document(Layout.runDocument(settings.deployment(), WarmUp.NONE));
    WarmUp.by(
        ours,
        () -> FirestoreSums.sums(first).sum(ours.collection(first.layout().shards())),
        journal);
    return new Wiring(settings, instance, store);
  }

  ShardWrites shardWrites() {
    return new ShardWrites(
        store, instance.wakeUps(settings.runs()), instance.journal(), instance.loop());
  }

  MessageHandling messages() {
    return instance.messages(
        RollUpTasks.of(store, store.runs(), instance.journal(), instance.loop(), settings.runs()),
        store.runs(),
        sweep()::run,
        settings.runs());
  }

  private Sweep sweep() {
    return new Sweep(store, store.runs(), instance.journal(), instance.loop(), settings.runs());
  }
}
