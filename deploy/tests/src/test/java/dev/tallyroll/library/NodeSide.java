package dev.tallyroll.library;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.local.ChildProcess;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.snippets.Workspace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The npm package, in a process of its own, which ends with its input. Thread-safe. */
final class NodeSide implements Side {
  private static final Gson GSON = new Gson();

  private final Process process;
  private final Writer input;
  private final Map<Long, CompletableFuture<Answer>> open = new ConcurrentHashMap<>();
  private final AtomicLong asked = new AtomicLong();

  private NodeSide(Process process) {
    this.process = process;
    this.input = process.outputWriter(StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "answers-of-node");
    reader.setDaemon(true);
    reader.start();
  }

  static NodeSide on(LocalCloud cloud) throws IOException {
    return start("firestore", cloud.addresses());
  }

  static NodeSide inMemory() throws IOException {
    return start("fake", Map.of());
  }

  private static NodeSide start(String kind, Map<String, String> addresses) throws IOException {
    var builder =
        new ProcessBuilder("node", "parity.mjs", kind)
            .directory(Workspace.ofNpm().toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().keySet().retainAll(ChildProcess.inherited(System.getenv()).keySet());
    builder.environment().putAll(addresses);
    // Google's library would look for a server of Google Cloud's, and warn that there is none.
    builder.environment().put("METADATA_SERVER_DETECTION", "none");
    return new NodeSide(builder.start());
  }

  private void read() {
    try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        JsonObject said = JsonParser.parseString(line).getAsJsonObject();
        var call = open.remove(said.get("number").getAsLong());
        if (call != null) {
          call.complete(answer(said));
        }
      }
    } catch (IOException | RuntimeException broken) {
      open.values().forEach(call -> call.completeExceptionally(broken));
    }
    open.values().forEach(call -> call.completeExceptionally(new IOException("node has ended")));
  }

  private static Answer answer(JsonObject said) {
    return said.has("error")
        ? new Answer(
            "", Optional.of(said.get("error").getAsString()), said.get("message").getAsString())
        : new Answer(said.get("result").getAsString(), Optional.empty(), "");
  }

  @Override
  public CompletableFuture<Answer> call(Ask ask) {
    JsonObject line =
        GSON.toJsonTree(Map.of("call", ask.call(), "args", ask.args(), "place", ask.place()))
            .getAsJsonObject();
    if (ask.sent() < Long.MAX_VALUE) {
      line.addProperty("sent", ask.sent());
      line.addProperty("isHeld", ask.isHeld());
    }
    return send(line);
  }

  private CompletableFuture<Answer> send(JsonObject line) {
    long number = asked.incrementAndGet();
    line.addProperty("number", number);
    var answer = new CompletableFuture<Answer>();
    open.put(number, answer);
    try {
      synchronized (input) {
        input.write(line + "\n");
        input.flush();
      }
    } catch (IOException broken) {
      answer.completeExceptionally(broken);
    }
    return answer;
  }

  private String tell(String what) throws Exception {
    return call(new Ask(what, List.of(), new Place("", "", false))).get().result();
  }

  @Override
  public boolean isHolding() throws Exception {
    return tell("isHolding").equals("true");
  }

  @Override
  public void goOn() throws Exception {
    tell("goOn");
  }

  @Override
  public void restart() throws Exception {
    tell("restart");
  }

  @Override
  public void close() {
    process.destroy();
  }

  @Override
  public String toString() {
    return "node";
  }
}
