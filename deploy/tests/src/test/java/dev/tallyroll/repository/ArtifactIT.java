package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import dev.tallyroll.Home;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The deployed artifact: one jar, which holds exactly the parts in its lists. */
final class ArtifactIT {
  private static final Path FUNCTION = Home.ROOT.resolve("functions/target/function");
  private static final Path DEPLOYED = FUNCTION.resolve("tallyroll.jar");

  private static final String SERVICES = "META-INF/services/.+";

  /** A list of the jar's parts, with the fields that the tests read. */
  private record BillOfMaterials(List<Component> components) {}

  private record Component(String name, String version, List<Hash> hashes) {
    String file() {
      return name + "-" + version + ".jar";
    }

    String sha256() {
      return hashes.stream()
          .filter(hash -> hash.alg.equals("SHA-256"))
          .findFirst()
          .orElseThrow()
          .content;
    }
  }

  private record Hash(String alg, String content) {}

  /** The buildpack needs a folder with exactly one jar at its root. */
  @Test
  void folder_holdsOneJar() throws Exception {
    assertThat(Home.list(FUNCTION)).containsExactly(DEPLOYED);
  }

  @Test
  void jar_holdsTheListedLibrariesAndTheFunctions() throws Exception {
    Map<String, Long> expected = new TreeMap<>(classes(library("tallyroll-functions-")));
    for (var component : components().keySet()) {
      expected.putAll(classes(library(component)));
    }

    assertThat(classes(DEPLOYED)).isEqualTo(expected);
  }

  @Test
  void jarThatFolds_isTheSameWithItsModule() throws Exception {
    Map<String, Long> expected = new TreeMap<>(classes(DEPLOYED));
    expected.putAll(classes(library("tallyroll-fold-")));

    var folds = Home.ROOT.resolve("functions/fold/target/function");
    assertThat(Home.list(folds)).containsExactly(folds.resolve("tallyroll-fold.jar"));
    assertThat(classes(folds.resolve("tallyroll-fold.jar"))).isEqualTo(expected);
  }

  /** Without a merge, the jar has only the last library's list, without the others' entries. */
  @Test
  void jar_mergesWhatLibrariesRegister() throws Exception {
    var services = Home.contents(DEPLOYED, SERVICES);
    assertThat(services).hasSizeGreaterThan(3);
    Map<String, Set<String>> registered = new HashMap<>();
    for (var component : components().keySet()) {
      var entries = Home.contents(library(component), SERVICES);
      entries.keySet().retainAll(services.keySet());
      entries.forEach(
          (name, text) ->
              registered.computeIfAbsent(name, any -> new TreeSet<>()).addAll(lines(text)));
    }

    services.forEach(
        (name, text) ->
            assertThat(lines(text))
                .as(name)
                .containsExactlyInAnyOrderElementsOf(registered.getOrDefault(name, Set.of())));
    assertThat(services.get("META-INF/services/io.grpc.NameResolverProvider"))
        .contains("io.grpc.internal.DnsNameResolverProvider");
    assertThat(services.get("META-INF/services/io.grpc.LoadBalancerProvider"))
        .contains("io.grpc.internal.PickFirstLoadBalancerProvider");
  }

  private static List<String> lines(String text) {
    return text.lines().filter(line -> !line.isBlank()).toList();
  }

  /** The manifest lacks Multi-Release, so a JVM would silently ignore such classes. */
  @Test
  void jar_needsNoClassesForOneVersionOfJava() throws Exception {
    assertThat(Home.contents(DEPLOYED, "META-INF/versions/.*[^/]")).isEmpty();
  }

  /** The jar holds no list of its parts: an offline build makes none, and its jar would differ. */
  @Test
  void jar_holdsLicences() throws Exception {
    var jar = Home.contents(DEPLOYED, "META-INF/LICENSE.*|.*sbom.*");

    assertThat(jar.keySet()).contains("META-INF/LICENSE").noneMatch(name -> name.contains("sbom"));
    assertThat(jar.get("META-INF/LICENSE.txt"))
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

  /** The list names libraries inside other libraries, and libraries that the platform adds. */
  @Test
  void unseenList_hasTheVersionsThatRun() throws Exception {
    var netty = new Properties();
    var versions = "META-INF/io.grpc.netty.shaded.io.netty.versions.properties";
    netty.load(new StringReader(Home.contents(DEPLOYED, versions).get(versions)));

    assertThat(read("unseen.cdx.json").components)
        .filteredOn(component -> !component.name.startsWith("netty-tcnative"))
        .hasSizeGreaterThan(10)
        .allSatisfy(
            component ->
                assertThat(component.version)
                    .isEqualTo(
                        component.name.startsWith("netty-")
                            ? netty.getProperty("netty-common.version")
                            : System.getProperty("tallyroll.invoker")));
  }

  @Test
  void xml_namesTheSame() throws Exception {
    var names =
        Pattern.compile("<component type=\"library\" bom-ref=\"pkg:maven/[^/]+/([^@]+)@([^?]+)")
            .matcher(bill("xml"))
            .results()
            .map(found -> found.group(1) + "-" + found.group(2) + ".jar")
            .filter(name -> !name.startsWith("tallyroll-functions-"))
            .toList();

    assertThat(names).containsExactlyInAnyOrderElementsOf(components().keySet());
  }

  /** Two builds of one commit must make the same file, so that people can compare files. */
  @Test
  void json_saysNeitherWhenNorWhichBuild() throws Exception {
    assertThat(bill("json"))
        .contains("\"metadata\"")
        .doesNotContain("\"serialNumber\"", "\"timestamp\"");
  }

  private static Path library(String name) throws IOException {
    return Home.libraries().stream()
        .filter(library -> library.getFileName().toString().startsWith(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no library " + name));
  }

  /** The checksum of each class. */
  private static Map<String, Long> classes(Path jar) throws IOException {
    try (var open = new JarFile(jar.toFile())) {
      return open.stream()
          .filter(entry -> entry.getName().endsWith(".class"))
          .filter(entry -> !entry.getName().endsWith("module-info.class"))
          .collect(Collectors.toMap(JarEntry::getName, JarEntry::getCrc));
    }
  }

  private static Map<String, String> components() throws IOException {
    return read("tallyroll.cdx.json").components.stream()
        .collect(Collectors.toMap(Component::file, Component::sha256, (a, b) -> a, TreeMap::new));
  }

  private static BillOfMaterials read(String file) throws IOException {
    return new Gson()
        .fromJson(
            Files.readString(Home.ROOT.resolve("functions/target/sbom/" + file)),
            BillOfMaterials.class);
  }

  private static String bill(String format) throws IOException {
    return Files.readString(Home.ROOT.resolve("functions/target/sbom/tallyroll.cdx." + format));
  }

  private static String sha256(Path file) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    return HexFormat.of().formatHex(digest);
  }
}
