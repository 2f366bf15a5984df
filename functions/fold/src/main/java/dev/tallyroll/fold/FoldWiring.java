package dev.tallyroll.fold;

import dev.tallyroll.platform.Instance;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.WarmUp;
import dev.tallyroll.settings.FoldSettings;
import java.util.function.UnaryOperator;

/** Puts a function that folds together. */
record FoldWiring(FoldSettings settings, Instance instance, FirestoreFolds store) {
  /** Costs two reads. */
  static FoldWiring of(Role role, UnaryOperator<String> environment) {
    FoldSettings settings = FoldSettings.from(environment);
    Instance instance =
        Instance.of(role, role.log(), settings.database(), settings.topic(), environment);
    var ours = instance.firestore().document(settings.layout().runDocument(WarmUp.NONE));
    WarmUp.by(
        ours, () -> ours.collection(settings.layout().shards()).limit(1).get(), instance.log());
    return new FoldWiring(
        settings,
        instance,
        new FirestoreFolds(instance.firestore(), settings.layout(), instance.calls()));
  }

  FoldHandler handler() {
    return new FoldHandler(
        store,
        settings.fields(),
        instance.wakeUps(settings.runs()),
        instance.log(),
        instance.loop(),
        settings.timing());
  }

  MessageHandling messages() {
    return instance.messages(
        FoldRoller.all(
            store,
            settings.fields(),
            instance.log(),
            settings.runs(),
            settings.timing(),
            instance.loop()),
        store.runs(),
        sweep(),
        settings.runs());
  }

  private FoldSweep sweep() {
    return new FoldSweep(
        store, store.runs(), settings.fields(), instance.log(), settings.runs(), instance.loop());
  }
}
