package dev.tallyroll.repository;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No secret, no name of a package registry, no path of somebody's machine is published. */
final class LeaksIT {
  /** Where npm's lock files say how to pay a package's authors. */
  private static final Pattern FUNDING = Pattern.compile("\"url\": \"[^\"]*\"");

  private static final int FEWEST_FILES = 200;

  /** Put together here, so that this file holds none. */
  private static final Map<Leak, String> SAMPLES =
      Map.ofEntries(
          Map.entry(Leak.PRIVATE_KEY, "-----BEGIN RSA " + "PRIVATE KEY-----"),
          Map.entry(Leak.SERVICE_ACCOUNT, "{\"type\": " + "\"service_account\"}"),
          Map.entry(Leak.GOOGLE_API_KEY, "AIza" + "x".repeat(35)),
          Map.entry(Leak.OAUTH_SECRET, "GOCSPX-" + "x".repeat(28)),
          Map.entry(Leak.GITHUB_TOKEN, "ghp_" + "x".repeat(36)),
          Map.entry(Leak.AWS_KEY, "AKIA" + "X".repeat(16)),
          Map.entry(Leak.SLACK_TOKEN, "xoxb-" + "1".repeat(12)),
          Map.entry(Leak.STRIPE_KEY, "sk_live_" + "x".repeat(24)),
          Map.entry(Leak.SIGNED_TOKEN, String.join("x".repeat(12), "eyJ", ".eyJ", ".", "")),
          Map.entry(Leak.PASSWORD_IN_URL, "https:/" + "/me:secret" + "@127.0.0.1"),
          Map.entry(Leak.HOME_FOLDER, "see /" + "home/" + "me/notes"),
          Map.entry(Leak.UNKNOWN_HOST, "https:/" + "/packages.example.org/x"));

  private final Repository repository = Repository.underTest();

  @Test
  void everyKindOfLeak_isSeen() {
    assertThat(SAMPLES).containsOnlyKeys(Leak.values());
    SAMPLES.forEach(
        (leak, sample) ->
            assertThat(Leak.in("a = '" + sample + "';"))
                .as(sample)
                .anyMatch(found -> found.startsWith(leak + " ")));
  }

  @Test
  void trackedFiles_holdNone() throws Exception {
    var files = repository.trackedFiles();
    List<String> found = new ArrayList<>();
    for (var file : files) {
      for (var leak : Leak.in(FUNDING.matcher(Files.readString(file, ISO_8859_1)).replaceAll(""))) {
        found.add(repository.root().relativize(file) + ": " + leak);
      }
    }

    assertThat(files).hasSizeGreaterThan(FEWEST_FILES);
    assertThat(found).isEmpty();
  }

  @Test
  void ownJars_holdNone() throws Exception {
    List<Path> jars = new ArrayList<>(repository.libraries());
    jars.removeIf(jar -> !jar.getFileName().toString().startsWith("tallyroll-"));
    List<String> found = new ArrayList<>();
    for (var jar : jars) {
      found.addAll(leaksIn(jar));
    }

    assertThat(jars).hasSize(2);
    assertThat(found).isEmpty();
  }

  private static List<String> leaksIn(Path jar) throws IOException {
    List<String> found = new ArrayList<>();
    int entries = 0;
    try (var open = new JarFile(jar.toFile())) {
      for (var entry : Collections.list(open.entries())) {
        entries++;
        var text = new String(open.getInputStream(entry).readAllBytes(), ISO_8859_1);
        Leak.in(text).forEach(leak -> found.add(jar + "!" + entry.getName() + ": " + leak));
      }
    }
    assertThat(entries).as("entries of " + jar).isPositive();
    return found;
  }

  /** What must not be published, by how it looks. The patterns do not match themselves. */
  private enum Leak {
    PRIVATE_KEY("-----BEGIN [A-Z ]*PRIVATE KEY"),
    SERVICE_ACCOUNT("\"type\"\\s*:\\s*\"service_account\"|\"private_key(_id)?\"\\s*:"),
    GOOGLE_API_KEY("AIza[0-9A-Za-z_-]{35}"),
    OAUTH_SECRET("GOCSPX-[0-9A-Za-z_-]{20}|ya29\\.[0-9A-Za-z_-]{20}"),
    GITHUB_TOKEN("gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22}"),
    AWS_KEY("(AKIA|ASIA)[0-9A-Z]{16}"),
    SLACK_TOKEN("xox[abeoprs]-[0-9A-Za-z-]{10}"),
    STRIPE_KEY("[rs]k_live_[0-9A-Za-z]{20}"),
    SIGNED_TOKEN("eyJ[0-9A-Za-z_-]{10,}\\.eyJ[0-9A-Za-z_-]{10,}\\.[0-9A-Za-z_-]{10}"),
    PASSWORD_IN_URL("[a-z]+://[^/\\s:@'\"<>$%{}]+:[^/\\s:@'\"<>$%{}]+@"),
    HOME_FOLDER("(?<![\\w.$~})/-])/(home|root|Users)/[\\w.-]+"),
    UNKNOWN_HOST("(?<=https?://)[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+");

    /** Specifications, Google's services and documentation: none that software is fetched from. */
    private static final Set<String> HOSTS =
        Set.of(
            "127.0.0.1",
            "firebase.google.com",
            "firebaserules.googleapis.com",
            "firestore.googleapis.com",
            "maven.apache.org",
            "securetoken.google.com",
            "storage.googleapis.com",
            "www.apache.org",
            "www.w3.org");

    private final Pattern pattern;

    Leak(String pattern) {
      this.pattern = Pattern.compile(pattern);
    }

    /** Each finding, with its kind, and no more of a secret than finds it. */
    static List<String> in(String text) {
      return Arrays.stream(values())
          .flatMap(
              leak ->
                  leak.pattern
                      .matcher(text)
                      .results()
                      .map(MatchResult::group)
                      .filter(found -> leak != UNKNOWN_HOST || !HOSTS.contains(found))
                      .map(found -> leak + " " + found.substring(0, Math.min(24, found.length()))))
          .toList();
    }
  }
}
