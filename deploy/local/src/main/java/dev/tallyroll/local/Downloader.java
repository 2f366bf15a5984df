package dev.tallyroll.local;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Fetches a file over HTTP, checks its size and checksum on the way, and only then gives it its
 * name; a file that is not what it should be is deleted. Thread-safe.
 */
final class Downloader {
  private static final Duration LIMIT = Duration.ofMinutes(15);
  private static final Duration CONNECT_WITHIN = Duration.ofSeconds(10);
  private static final int OK = 200;

  private final HttpClient http =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NORMAL)
          .connectTimeout(CONNECT_WITHIN)
          .build();
  private final Consumer<String> progress;

  Downloader(Consumer<String> progress) {
    this.progress = progress;
  }

  /**
   * Returns the file, in the given folder. Throws, naming what was expected and found, when it is
   * anything else.
   */
  Path fetch(Download download, Path folder) throws IOException {
    var part = Files.createTempFile(folder, download.fileName(), ".part");
    try {
      try (var sink = new CheckedSink(download, part, progress)) {
        receive(download, sink);
        sink.requireComplete();
      }
      return Files.move(
          part,
          folder.resolve(download.fileName()),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private void receive(Download download, CheckedSink sink) throws IOException {
    var request = HttpRequest.newBuilder(download.source()).build();
    var answer =
        http.sendAsync(
            request,
            head ->
                head.statusCode() == OK
                    ? BodySubscribers.mapping(BodySubscribers.ofByteArrayConsumer(sink), done -> OK)
                    : BodySubscribers.replacing(head.statusCode()));
    try {
      requireOk(download, answer.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS));
    } catch (ExecutionException e) {
      throw new IOException(
          "%s: %s"
              .formatted(download.source(), reason(Objects.requireNonNullElse(e.getCause(), e))),
          e);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw new IOException("%s: not received within %s".formatted(download.source(), LIMIT), e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while receiving " + download.source(), e);
    }
  }

  private static void requireOk(Download download, HttpResponse<Integer> answer)
      throws IOException {
    if (answer.statusCode() != OK) {
      throw new IOException(
          "%s: expected status %d, found %d".formatted(download.source(), OK, answer.statusCode()));
    }
  }

  private static String reason(Throwable cause) {
    return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
  }
}
