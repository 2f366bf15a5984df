package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DownloaderTest {
  private static final byte[] CONTENT =
      "an emulator".repeat(10_000).getBytes(StandardCharsets.UTF_8);
  private static final String NAME = "emulator.jar";

  @TempDir private Path folder;

  private final List<String> progress = new ArrayList<>();
  private final Downloader downloader = new Downloader(progress::add);
  private TestServer server = TestServer.sending(CONTENT);

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void file_getsItsNameOnceComplete() throws Exception {
    var file = downloader.fetch(expecting(CONTENT), folder);

    assertThat(file).isEqualTo(folder.resolve(NAME)).hasBinaryContent(CONTENT);
    assertThat(files()).containsExactly(file);
    assertThat(progress).last().asString().contains(NAME);
  }

  @Test
  void wrongChecksum_namesBothAndLeavesNoFile() throws Exception {
    var other = CONTENT.clone();
    other[7]++;

    assertThatThrownBy(() -> downloader.fetch(expecting(other), folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("expected SHA-256 " + Archives.sha256(other))
        .hasMessageContaining("found " + Archives.sha256(CONTENT));

    assertThat(files()).isEmpty();
  }

  @Test
  void shortFile_namesBothSizes() throws Exception {
    var download =
        new Download(server.uri("/" + NAME), CONTENT.length + 1, Archives.sha256(CONTENT));

    assertThatThrownBy(() -> downloader.fetch(download, folder))
        .hasMessageContaining("expected %d bytes, found %d", CONTENT.length + 1, CONTENT.length);

    assertThat(files()).isEmpty();
  }

  @Test
  void longFile_isCutOff() throws Exception {
    var download = new Download(server.uri("/" + NAME), 10, Archives.sha256(CONTENT));

    assertThatThrownBy(() -> downloader.fetch(download, folder))
        .hasMessageContaining("expected 10 bytes, found more");

    assertThat(files()).isEmpty();
  }

  @Test
  void brokenConnection_isAnError() throws Exception {
    serve(TestServer.sending(CONTENT, CONTENT.length / 2));

    assertThatThrownBy(() -> downloader.fetch(expecting(CONTENT), folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(NAME);

    assertThat(files()).isEmpty();
  }

  @Test
  void missingFile_namesStatus() throws Exception {
    serve(TestServer.answering(404));

    assertThatThrownBy(() -> downloader.fetch(expecting(CONTENT), folder))
        .hasMessageContaining("expected status 200, found 404");

    assertThat(files()).isEmpty();
  }

  @Test
  void download_checksWhatItIsGiven() {
    var source = URI.create("http://127.0.0.1/x");

    assertThatThrownBy(() -> new Download(source, 0, "0".repeat(64)))
        .hasMessageContaining("found 0");
    assertThatThrownBy(() -> new Download(source, 1, "ABC")).hasMessageContaining("found ABC");
  }

  private void serve(TestServer other) {
    server.close();
    server = other;
  }

  private Download expecting(byte[] content) throws Exception {
    return new Download(server.uri("/" + NAME), content.length, Archives.sha256(content));
  }

  private List<Path> files() throws IOException {
    try (var files = Files.list(folder)) {
      return files.toList();
    }
  }
}
