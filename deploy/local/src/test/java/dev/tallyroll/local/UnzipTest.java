package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UnzipTest {
  @TempDir private Path folder;

  @Test
  void files_keepTheirPaths() throws Exception {
    var zip = zip(Map.of("lib/a.jar", new byte[] {1, 2}, "bin/", new byte[0]));

    Unzip.into(zip, folder.resolve("out"));

    assertThat(folder.resolve("out/lib/a.jar")).hasBinaryContent(new byte[] {1, 2});
    assertThat(folder.resolve("out/bin")).isDirectory();
    assertThat(folder)
        .isDirectoryNotContaining(file -> file.getFileName().toString().contains("part"));
  }

  @Test
  void pathThatLeadsOutside_isRefused() throws Exception {
    var zip = zip(Map.of("../evil.jar", new byte[] {1}));

    assertThatThrownBy(() -> Unzip.into(zip, folder.resolve("out")))
        .hasMessageContaining("../evil.jar");

    assertThat(Files.exists(folder.resolve("evil.jar"))).isFalse();
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void folderThatExists_isLeftAlone() throws Exception {
    var zip = zip(Map.of("a", new byte[] {1}));
    Archives.write(folder.resolve("out/b"), new byte[] {2});

    Unzip.into(zip, folder.resolve("out"));

    assertThat(folder.resolve("out/a")).doesNotExist();
  }

  private Path zip(Map<String, byte[]> files) throws Exception {
    return Archives.write(folder.resolve("test.zip"), Archives.zip(files));
  }
}
