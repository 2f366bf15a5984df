package dev.tallyroll.local;

import dev.tallyroll.local.FunctionServer.Function;
import dev.tallyroll.local.JvmCommand.Program;
import java.net.http.HttpClient;
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
  private final HttpClient http = Loopback.client();

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
    // What the build or the machine lacks shows before anything runs.
    var checkout = Checkout.fromSystemProperty();
    var calls = options.callFaults().map(this::calls);
    var wire = calls.map(FaultyFirestore::address).orElse(firestoreAddress());
    var onShardWrittenFunction =
        function(checkout, "on-shard-written", options.onShardWritten(), wire);
    var rollUpFunction = function(checkout, "roll-up", options.rollUp(), wire);
    var programs = EmulatorFinder.ofUser(options.environment(), options.log()).find();

    var deliveries = deliveries();
    var firestore = firestore(programs.firestore(), deliveries);
    var pubSub = pubSub(programs.pubSub());
    var onShardWritten = serve(onShardWrittenFunction, ports.onShardWritten());
    var rollUp = serve(rollUpFunction, ports.rollUp());
    var topic = new Topic(options.project(), options.functionSettings().topic());
    var converter = PushConverter.start(topic, rollUp.address(), http, options.log());
    closing.add(converter::close);
    closing.add(deliveries::close);
    return new Stack(
        firestore, calls, pubSub, onShardWritten, rollUp, deliveries, converter, topic, closing);
  }

  private String firestoreAddress() {
    return Loopback.HOST + ":" + ports.firestore();
  }

  private FaultyFirestore calls(CallFaults faults) {
    var calls = FaultyFirestore.start(firestoreAddress(), faults);
    closing.add(calls::close);
    return calls;
  }

  private Function function(Checkout checkout, String name, String target, String firestore) {
    return new Function(
        name,
        checkout.invokerJar(options.invokerVersion()),
        options.functionClassPath().orElseGet(() -> checkout.functionJar().toString()),
        target,
        ChildEnvironment.ofFunction(options, firestore, ports));
  }

  private Deliveries deliveries() {
    var address = Loopback.uri(ports.onShardWritten(), "/");
    var deliveries = new Deliveries(address, http, Backoff.LOCAL, options.log());
    deliveries.inject(options.faults());
    return deliveries;
  }

  private FirestoreEmulator firestore(Program program, Deliveries deliveries) {
    var hook = TriggerHook.start(options.events().andThen(deliveries::submit));
    closing.add(hook::close);
    var environment = ChildEnvironment.ofEmulator(options.environment());
    var emulator = FirestoreEmulator.launch(program, ports.firestore(), hook.port(), environment);
    closing.add(emulator::close);
    return emulator;
  }

  private PubSubEmulator pubSub(Program program) {
    var environment = ChildEnvironment.ofEmulator(options.environment());
    var emulator = PubSubEmulator.launch(program, ports.pubSub(), environment);
    closing.add(emulator::close);
    return emulator;
  }

  private FunctionServer serve(Function function, int port) {
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
