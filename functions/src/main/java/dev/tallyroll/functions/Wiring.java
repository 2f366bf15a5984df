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
import dev.tallyroll.runs.StructuredLog;
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
    return of(role, role.log(), environment);
  }

  static Wiring of(Role role, StructuredLog log, UnaryOperator<String> environment) {
    Settings settings = Settings.from(environment);
    Instance instance = Instance.of(role, log, settings.database(), settings.topic(), environment);
    FirestoreStore store =
        FirestoreStore.of(
            instance.firestore(), settings.entries(), settings.deployment(), instance.calls(), log);
    Entry first = settings.entries().get(0);
    var ours =
        instance.firestore().document(Layout.runDocument(settings.deployment(), WarmUp.NONE));
    WarmUp.by(
        ours, () -> FirestoreSums.sums(first).sum(ours.collection(first.layout().shards())), log);
    return new Wiring(settings, instance, store);
  }

  ShardWrites shardWrites() {
    return new ShardWrites(
        store.counters(), instance.wakeUps(settings.runs()), instance.log(), instance.loop());
  }

  MessageHandling messages() {
    return instance.messages(
        RollUpTasks.of(
            store.counters(), store.runs(), instance.log(), instance.loop(), settings.runs()),
        store.runs(),
        sweep(),
        settings.runs());
  }

  private Sweep sweep() {
    return new Sweep(
        store.counters(), store.runs(), instance.log(), instance.loop(), settings.runs());
  }
}
