package dev.tallyroll.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** The list of what is deployed names exactly that, by version and by content. */
final class SbomIT {
  private final Repository repository = Repository.underTest();

  @Test
  void json_namesExactlyTheLibrariesByTheirBytes() throws Exception {
    Map<String, String> deployed = new TreeMap<>();
    for (var library : repository.libraries()) {
      deployed.put(library.getFileName().toString(), sha256(library));
    }

    assertThat(components()).isEqualTo(deployed);
  }

  @Test
  void xml_namesTheSame() throws Exception {
    var xml = Files.readString(repository.sbom("xml"), UTF_8);
    var names =
        Pattern.compile("<component type=\"library\" bom-ref=\"pkg:maven/[^/]+/([^@]+)@([^?]+)")
            .matcher(xml)
            .results()
            .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
            .filter(name -> !name.startsWith("tallyroll-functions-"))
            .toList();

    assertThat(names).containsExactlyInAnyOrderElementsOf(components().keySet());
  }

  /** What differs between two builds of one commit would make the file useless to compare. */
  @Test
  void json_saysNeitherWhenNorWhichBuild() throws Exception {
    assertThat(json().has("serialNumber")).isFalse();
    assertThat(json().getAsJsonObject("metadata").has("timestamp")).isFalse();
  }

  private Map<String, String> components() throws IOException {
    return StreamSupport.stream(json().getAsJsonArray("components").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .collect(Collectors.toMap(SbomIT::file, SbomIT::sha256, (a, b) -> a, TreeMap::new));
  }

  private static String file(JsonObject component) {
    return component.get("name").getAsString()
        + "-"
        + component.get("version").getAsString()
        + ".jar";
  }

  private static String sha256(JsonObject component) {
    return StreamSupport.stream(component.getAsJsonArray("hashes").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .filter(hash -> hash.get("alg").getAsString().equals("SHA-256"))
        .map(hash -> hash.get("content").getAsString())
        .findFirst()
        .orElse("none");
  }

  private static String sha256(Path file) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    return HexFormat.of().formatHex(digest);
  }

  private JsonObject json() throws IOException {
    return JsonParser.parseString(Files.readString(repository.sbom("json"), UTF_8))
        .getAsJsonObject();
  }
}
