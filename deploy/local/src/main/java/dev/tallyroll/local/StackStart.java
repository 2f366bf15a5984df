package dev.tallyroll.local;

import dev.tallyroll.local.FunctionServer.Function;
import java.util.List;

/**
 * One attempt to start a {@link Stack}: launches all children before it waits for any, so that they
 * start at the same time. A part is closed with the others from the moment it exists. Used by one
 * thread.
 */
final class StackStart {
  private static final String SUBSCRIPTION = "tallyroll-rollup";

  private final LocalCloudOptions options;
  private final StackPorts ports;
  private final Closing closing;

  private StackStart(LocalCloudOptions options, Closing closing) {
    this.options = options;
    this.ports = StackPorts.choose(options);
    this.closing = closing;
  }

  /** Leaves nothing behind when it fails. */
  static Stack attempt(LocalCloudOptions options) {
    var closing = new Closing(options.log());
    try {
      ShutdownHook.guard(closing);
      var start = new StackStart(options, closing);
      var stack = start.launch();
      start.connect(stack);
      return stack;
    } catch (RuntimeException | Error e) {
      closing.close();
      throw e;
    }
  }

  private Stack launch() {
    var programs = EmulatorFinder.ofUser(options.environment(), options.log()).find();
    var http = Loopback.client();
    var log = options.log();
    var topic = new Topic(options.project(), options.functionSettings().topic());
    var deliveries =
        new Deliveries(Loopback.uri(ports.onShardWritten(), "/"), http, Backoff.LOCAL, log);
    deliveries.inject(options.faults());
    var hook = TriggerHook.start(deliveries::submit);
    closing.add(hook::close);
    var environment = ChildEnvironment.ofEmulator(options.environment());
    var firestore =
        FirestoreEmulator.launch(programs.firestore(), ports.firestore(), hook.port(), environment);
    closing.add(firestore::close);
    var pubSub = PubSubEmulator.launch(programs.pubSub(), ports.pubSub(), environment);
    closing.add(pubSub::close);
    var onShardWritten =
        function("on-shard-written", options.onShardWritten(), ports.onShardWritten());
    var rollUp = function("roll-up", options.rollUp(), ports.rollUp());
    var converter = PushConverter.start(topic, rollUp.address(), http, log);
    closing.add(converter::close);
    closing.add(deliveries::close);
    return new Stack(
        firestore, pubSub, onShardWritten, rollUp, deliveries, converter, topic, closing);
  }

  private FunctionServer function(String name, String target, int port) {
    var checkout = Checkout.fromSystemProperty();
    var function =
        new Function(
            name,
            checkout.invokerJar(options.invokerVersion()),
            options.functionClassPath().orElseGet(() -> checkout.functionJar().toString()),
            target,
            ChildEnvironment.ofFunction(options, ports));
    var server = FunctionServer.launch(function, port, options.log());
    closing.add(server::close);
    return server;
  }

  /** The functions are waited for before the first event or message can come. */
  private void connect(Stack stack) {
    stack.firestore().awaitReady();
    stack.pubSub().awaitReady();
    stack.onShardWritten().awaitReady();
    stack.rollUp().awaitReady();
    registerTriggers(stack.firestore());
    stack.pubSub().createTopic(stack.topic());
    stack.pubSub().subscribe(stack.topic(), SUBSCRIPTION, stack.converter().address());
    if (options.scheduled()) {
      startSchedule(stack);
    }
  }

  private void registerTriggers(FirestoreEmulator firestore) {
    var settings = options.functionSettings();
    var patterns =
        options.triggerPatterns().isEmpty()
            ? List.of(settings.triggerPattern())
            : options.triggerPatterns();
    for (int i = 0; i < patterns.size(); i++) {
      firestore.registerTrigger(
          options.project(), settings.database(), "on-shard-written-" + i, patterns.get(i));
    }
  }

  private void startSchedule(Stack stack) {
    var ticker = new Ticker(stack::publish, options.clock(), options.log());
    closing.add(ticker::close);
    ticker.every(Ticker.MINUTE, "run").every(Ticker.HOUR, "sweep");
  }
}
