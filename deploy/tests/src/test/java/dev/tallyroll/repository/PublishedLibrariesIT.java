package dev.tallyroll.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.Home;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/**
 * The workflow's command publishes a copy of the checkout, with a new key, on a server in the place
 * of Maven Central, and the uploaded bundle is checked as there.
 */
@Tag("long") // It builds the libraries anew.
final class PublishedLibrariesIT {
  private static final Pattern COMMAND = Pattern.compile("(?m)^ *(mvn .* deploy)$");

  private static final List<String> ALGORITHMS = List.of("MD5", "SHA-1", "SHA-256", "SHA-512");

  @TempDir private static Path folder;

  /** The requests to the server, with the credentials of each. */
  private static final Map<String, String> REQUESTS = new ConcurrentHashMap<>();

  /** Where Central shows the files, below {@code dev/tallyroll}. */
  private static Path published;

  @BeforeAll
  static void publish() throws Exception {
    Home.needs("gpg");
    run(
        """
        mkdir --mode=700 gpg && mkdir clone bundle
        (cd "$ROOT" && git ls-files -z -- pom.xml '*/pom.xml' shared .mvn | xargs -0 cp --parents -t "$OLDPWD/clone")
        cat > settings.xml <<'END'
        <settings><servers><server>
          <id>central</id>
          <username>${env.CENTRAL_USERNAME}</username>
          <password>${env.CENTRAL_PASSWORD}</password>
        </server></servers></settings>
        END
        gpg --batch --pinentry-mode loopback --passphrase secret --quick-generate-key Nobody rsa3072 sign never
        """);
    var workflow = Files.readString(Home.ROOT.resolve(".github/workflows/verify.yml"));
    var command = COMMAND.matcher(workflow);
    assertThat(command.find()).as("mvn ... deploy in the workflow").isTrue();
    var central = central();
    try {
      run(
          """
          export CENTRAL_USERNAME=user CENTRAL_PASSWORD=password MAVEN_GPG_PASSPHRASE=secret
          MAVEN_GPG_KEY=$(gpg --batch --pinentry-mode loopback --passphrase secret --armor --export-secret-keys)
          export MAVEN_GPG_KEY
          cd clone
          %s -gs ../settings.xml -Dmaven.install.skip=true -DcentralBaseUrl=http://127.0.0.1:%d
          cd ../bundle
          "$JAVA_HOME/bin/jar" xf ../clone/target/central-publishing/central-bundle.zip
          """
              .formatted(command.group(1), central.getAddress().getPort()));
    } finally {
      central.stop(0);
    }
    published = folder.resolve("bundle/dev/tallyroll");
  }

  @AfterAll
  static void endAgent() {
    run("gpgconf --kill all");
  }

  @Test
  void upload_isPublishedOnceItIsChecked() {
    String user = Base64.getEncoder().encodeToString("user:password".getBytes(UTF_8));

    assertThat(REQUESTS.keySet())
        .hasSize(2)
        .anyMatch(uri -> uri.matches("/api/v1/publisher/upload\\?.*publishingType=AUTOMATIC.*"));
    assertThat(REQUESTS.values()).containsOnly("UserToken " + user);
  }

  @Test
  void bundle_holdsTheParentTheBomAndTheLibraries() throws Exception {
    var ofLibrary = List.of(".pom", ".jar", "-sources.jar", "-javadoc.jar", "-cyclonedx.json");
    Stream<String> expected =
        Stream.concat(
            Stream.of("tallyroll", "tallyroll-bom").map(pom -> file(pom, ".pom")),
            Stream.of("tallyroll-shared", "tallyroll-fake", "tallyroll-timestamps")
                .flatMap(
                    library ->
                        Stream.concat(ofLibrary.stream(), Stream.of("-cyclonedx.xml"))
                            .map(suffix -> file(library, suffix))));

    assertThat(files().map(file -> published.relativize(file).toString()))
        .containsExactlyInAnyOrderElementsOf(expected.toList());
  }

  @Test
  void files_haveChecksumsAndSignatures() throws Exception {
    for (Path file : files().toList()) {
      for (String algorithm : ALGORITHMS) {
        var digest = MessageDigest.getInstance(algorithm).digest(Files.readAllBytes(file));
        assertThat(Path.of(file + "." + algorithm.toLowerCase(Locale.ROOT).replace("-", "")))
            .hasContent(HexFormat.of().formatHex(digest));
      }
      run("gpg --verify '%1$s.asc' '%1$s'".formatted(file));
    }
  }

  /** What a POM lacks is in its parent, which is in the bundle, too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tallyroll",
        "tallyroll-bom",
        "tallyroll-shared",
        "tallyroll-fake",
        "tallyroll-timestamps"
      })
  void poms_haveWhatCentralAsksFor(String artifact) throws Exception {
    Document pom = pom(artifact);
    String parent = text(pom, "parent/artifactId");
    Document above = parent.isEmpty() ? pom : pom(parent);

    assertThat(text(pom, "artifactId")).isEqualTo(artifact);
    assertThat(text(pom, "name")).isNotEmpty();
    assertThat(text(pom, "description")).isNotEmpty();
    for (String field :
        List.of(
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "scm/url",
            "scm/connection",
            "scm/developerConnection")) {
      assertThat(text(pom, field) + text(above, field)).as(field).isNotEmpty();
    }
    assertThat(Files.readString(published.resolve(file(artifact, ".pom"))))
        .doesNotContain("SNAPSHOT");
  }

  /** Else the parent's would be managed, too, such as the newest client. */
  @Test
  void bom_managesTheLibrariesOnly() throws Exception {
    Document bom = pom("tallyroll-bom");

    assertThat(text(bom, "parent/artifactId")).isEmpty();
    assertThat(text(bom, "dependencies")).isEmpty();
    assertThat(text(bom, "dependencyManagement").split("\\s+"))
        .filteredOn(word -> word.startsWith("tallyroll-"))
        .containsExactlyInAnyOrder("tallyroll-shared", "tallyroll-fake", "tallyroll-timestamps");
    assertThat(text(bom, "dependencyManagement")).doesNotContain("com.google", "junit");
  }

  @ParameterizedTest
  @CsvSource({
    "tallyroll-shared, dev.tallyroll, Counters",
    "tallyroll-fake, dev.tallyroll.fake, FakeCounters",
    "tallyroll-timestamps, dev.tallyroll.timestamps, ShardedTimestamp"
  })
  void jars_holdCodeSourcesJavadocAndListTheirLibraries(String artifact, String module, String type)
      throws Exception {
    String path = module.replace('.', '/') + "/" + type;
    Path list = published.resolve(file(artifact, "-cyclonedx.json"));
    JsonObject bill = JsonParser.parseString(Files.readString(list)).getAsJsonObject();

    try (var jar = new JarFile(published.resolve(file(artifact, ".jar")).toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo(module);
      assertThat(jar.getEntry(path + ".class")).isNotNull();
    }
    assertThat(entries(artifact, "-sources.jar")).contains(path + ".java");
    assertThat(entries(artifact, "-javadoc.jar"))
        .contains("index.html", path + ".html")
        .doesNotContain("dev/tallyroll/internal/package-summary.html");
    assertThat(bill.getAsJsonObject("metadata").getAsJsonObject("component").get("name"))
        .extracting(JsonElement::getAsString)
        .isEqualTo(artifact);
    assertThat(StreamSupport.stream(bill.getAsJsonArray("components").spliterator(), false))
        .extracting(component -> component.getAsJsonObject().get("name").getAsString())
        .contains("google-cloud-firestore")
        .doesNotContain("junit-jupiter", "mockito-core");
  }

  /** The published files, without their checksums and signatures. */
  private static Stream<Path> files() throws IOException {
    try (var all = Files.walk(published)) {
      return all
          .filter(Files::isRegularFile)
          .filter(file -> !file.toString().matches(".*[.](?:asc|md5|sha\\d+)"))
          .toList()
          .stream();
    }
  }

  private static Set<String> entries(String artifact, String suffix) throws IOException {
    return Home.contents(published.resolve(file(artifact, suffix)), ".*").keySet();
  }

  private static String file(String artifact, String suffix) {
    return "%1$s/%2$s/%1$s-%2$s%3$s".formatted(artifact, ReleaseIT.VERSION, suffix);
  }

  private static Document pom(String artifact) throws Exception {
    String pom = Files.readString(published.resolve(file(artifact, ".pom")));
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(pom)));
  }

  private static String text(Document pom, String path) throws Exception {
    return XPathFactory.newInstance().newXPath().evaluate("/project/" + path, pom).strip();
  }

  /** Runs a script in the folder of this test. */
  private static void run(String script) {
    var environment =
        Map.of(
            "GNUPGHOME",
            folder.resolve("gpg").toString(),
            "JAVA_HOME",
            System.getProperty("java.home"),
            "ROOT",
            Home.ROOT.toString());
    Home.run(folder, environment, "bash", "-euo", "pipefail", "-c", script);
  }

  /** In the place of Maven Central: takes an upload, and finds it right. */
  private static HttpServer central() throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    var server = HttpServer.create(address, 0);
    server.createContext(
        "/",
        exchange -> {
          var uri = exchange.getRequestURI();
          REQUESTS.put("" + uri, exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.getRequestBody().readAllBytes();
          boolean isUpload = uri.getPath().endsWith("/upload");
          String answer =
              isUpload ? "1" : "{\"deploymentId\": \"1\", \"deploymentState\": \"VALIDATED\"}";
          try (exchange) {
            exchange.sendResponseHeaders(isUpload ? 201 : 200, 0);
            exchange.getResponseBody().write(answer.getBytes(UTF_8));
          }
        });
    server.start();
    return server;
  }
}
