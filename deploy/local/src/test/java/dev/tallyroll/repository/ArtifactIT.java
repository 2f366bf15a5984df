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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** What is deployed: one jar, which holds all that is listed with it, and nothing else. */
final class ArtifactIT {
  private final Repository repository = Repository.underTest();

  /** The buildpack takes a folder with exactly one jar at its root. */
  @Test
  void folder_holdsOneJar() throws Exception {
    assertThat(Repository.list(repository.function())).containsExactly(repository.deployed());
  }

  @Test
  void jar_holdsTheListedLibrariesAndTheFunctions() throws Exception {
    Map<String, Long> expected = new TreeMap<>(classes(library("tallyroll-functions-")));
    for (var component : components().keySet()) {
      expected.putAll(classes(library(component)));
    }

    assertThat(classes(repository.deployed())).isEqualTo(expected);
  }

  /** Left as the last library has it, a list would lack what the others register. */
  @Test
  void jar_mergesWhatLibrariesRegister() throws Exception {
    assertThat(services()).hasSizeGreaterThan(3);
    for (var service : services().keySet()) {
      Set<String> registered = new TreeSet<>();
      for (var component : components().keySet()) {
        registered.addAll(lines(library(component), service));
      }
      assertThat(services().get(service))
          .as(service)
          .containsExactlyInAnyOrderElementsOf(registered);
    }
    assertThat(services().get("META-INF/services/io.grpc.NameResolverProvider"))
        .contains("io.grpc.internal.DnsNameResolverProvider");
    assertThat(services().get("META-INF/services/io.grpc.LoadBalancerProvider"))
        .contains("io.grpc.internal.PickFirstLoadBalancerProvider");
  }

  /** Without Multi-Release in its manifest, they would be left out in silence. */
  @Test
  void jar_needsNoClassesForOneVersionOfJava() throws Exception {
    assertThat(entries(repository.deployed(), "META-INF/versions/")).isEmpty();
  }

  @Test
  void jar_holdsItsListAndLicences() throws Exception {
    assertThat(entries(repository.deployed(), "META-INF/"))
        .contains("META-INF/sbom/tallyroll.cdx.json", "META-INF/LICENSE", "META-INF/LICENSE.txt");
    assertThat(String.join(" ", lines(repository.deployed(), "META-INF/LICENSE.txt")))
        .contains("MIT License", "Apache License", "COMMON DEVELOPMENT AND DISTRIBUTION LICENSE");
  }

  @Test
  void json_namesTheLibrariesByTheirBytes() throws Exception {
    assertThat(components()).hasSizeGreaterThan(30);
    for (var component : components().entrySet()) {
      assertThat(sha256(library(component.getKey())))
          .as(component.getKey())
          .isEqualTo(component.getValue());
    }
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

  private Path library(String name) throws IOException {
    return repository.libraries().stream()
        .filter(library -> library.getFileName().toString().startsWith(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no library " + name));
  }

  /** Each class and the checksum of its content. */
  private static Map<String, Long> classes(Path jar) throws IOException {
    try (var open = new JarFile(jar.toFile())) {
      return open.stream()
          .filter(entry -> entry.getName().endsWith(".class"))
          .filter(entry -> !entry.getName().endsWith("module-info.class"))
          .collect(Collectors.toMap(JarEntry::getName, JarEntry::getCrc));
    }
  }

  private static List<String> entries(Path jar, String folder) throws IOException {
    try (var open = new JarFile(jar.toFile())) {
      return open.stream()
          .map(JarEntry::getName)
          .filter(name -> name.startsWith(folder) && !name.endsWith("/"))
          .toList();
    }
  }

  private Map<String, List<String>> services() throws IOException {
    Map<String, List<String>> services = new TreeMap<>();
    for (var service : entries(repository.deployed(), "META-INF/services/")) {
      services.put(service, lines(repository.deployed(), service));
    }
    return services;
  }

  /** None if the jar has no such entry. */
  private static List<String> lines(Path jar, String entry) throws IOException {
    try (var open = new JarFile(jar.toFile())) {
      var found = open.getEntry(entry);
      return found == null
          ? List.of()
          : new String(open.getInputStream(found).readAllBytes(), UTF_8)
              .lines()
              .filter(line -> !line.isBlank())
              .toList();
    }
  }

  private Map<String, String> components() throws IOException {
    return StreamSupport.stream(json().getAsJsonArray("components").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .collect(Collectors.toMap(ArtifactIT::file, ArtifactIT::sha256, (a, b) -> a, TreeMap::new));
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
