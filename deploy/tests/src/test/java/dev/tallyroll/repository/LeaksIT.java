package dev.tallyroll.repository;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The repository publishes no secret, no name of a package registry and no path of a machine. */
final class LeaksIT {
  /** The addresses in npm's lock files for payments to a package's authors, and our own. */
  private static final Pattern HARMLESS =
      Pattern.compile(
          "\"url\": \"[^\"]*\"|\"https:/+github[.]com/(?:sponsors/|tallyroll/tallyroll/)[^\"]*\"");

  private static final int FEWEST_FILES = 200;

  @Test
  void everyKindOfLeak_isSeen() {
    for (var leak : Leak.values()) {
      assertThat(Leak.in("a = '" + leak.sample + "';"))
          .as(leak.sample)
          .anyMatch(found -> found.startsWith(leak + " "));
    }
  }

  @Test
  void trackedFiles_holdNone() throws Exception {
    var files = Home.trackedFiles();
    List<String> found = new ArrayList<>();
    for (var file : files) {
      for (var leak :
          Leak.in(HARMLESS.matcher(Files.readString(file, ISO_8859_1)).replaceAll(""))) {
        found.add(Home.ROOT.relativize(file) + ": " + leak);
      }
    }

    assertThat(files).hasSizeGreaterThan(FEWEST_FILES);
    assertThat(found).isEmpty();
  }

  @Test
  void ownJars_holdNone() throws Exception {
    List<Path> jars = new ArrayList<>(Home.libraries());
    jars.removeIf(jar -> !jar.getFileName().toString().startsWith("tallyroll-"));
    assertThat(jars).hasSize(3);
    for (var jar : jars) {
      var entries = Home.contents(jar, ".*");
      assertThat(entries).as("%s", jar).isNotEmpty();
      entries.forEach((name, text) -> assertThat(Leak.in(text)).as("%s!%s", jar, name).isEmpty());
    }
  }

  /**
   * Patterns of text that must not be published. This file must not match: patterns do not match
   * themselves, and samples are put together from parts.
   */
  private enum Leak {
    PRIVATE_KEY("-----BEGIN [A-Z ]*PRIVATE KEY", "-----BEGIN RSA " + "PRIVATE KEY-----"),
    SERVICE_ACCOUNT(
        "\"type\"\\s*:\\s*\"service_account\"|\"private_key(_id)?\"\\s*:",
        "{\"type\": " + "\"service_account\"}"),
    GOOGLE_API_KEY("AIza[0-9A-Za-z_-]{35}", "AIza" + "x".repeat(35)),
    OAUTH_SECRET("GOCSPX-[0-9A-Za-z_-]{20}|ya29\\.[0-9A-Za-z_-]{20}", "GOCSPX-" + "x".repeat(28)),
    GITHUB_TOKEN("gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22}", "ghp_" + "x".repeat(36)),
    AWS_KEY("(AKIA|ASIA)[0-9A-Z]{16}", "AKIA" + "X".repeat(16)),
    SLACK_TOKEN("xox[abeoprs]-[0-9A-Za-z-]{10}", "xoxb-" + "1".repeat(12)),
    STRIPE_KEY("[rs]k_live_[0-9A-Za-z]{20}", "sk_live_" + "x".repeat(24)),
    SIGNED_TOKEN(
        "eyJ[0-9A-Za-z_-]{10,}\\.eyJ[0-9A-Za-z_-]{10,}\\.[0-9A-Za-z_-]{10}",
        String.join("x".repeat(12), "eyJ", ".eyJ", ".", "")),
    PASSWORD_IN_URL(
        "[a-z]+://[^/\\s:@'\"<>$%{}]+:[^/\\s:@'\"<>$%{}]+@",
        "https:/" + "/me:secret" + "@127.0.0.1"),
    HOME_FOLDER("(?<![\\w.$~})/-])/(home|root|Users)/[\\w.-]+", "see /" + "home/" + "me/notes"),
    UNKNOWN_HOST(
        "(?<=https?://)[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+", "https:/" + "/packages.example.org/x");

    /** Hosts of specifications, Google's services and documents. No software comes from them. */
    private static final Set<String> HOSTS =
        Set.of(
            "127.0.0.1",
            "artifactregistry.googleapis.com",
            "cloud.google.com",
            "firebase.google.com",
            "firebaserules.googleapis.com",
            "firestore.googleapis.com",
            "img.shields.io",
            "json-schema.org",
            "maven.apache.org",
            "monitoring.googleapis.com",
            "securetoken.google.com",
            "serviceusage.googleapis.com",
            "storage.googleapis.com",
            "www.apache.org",
            "www.w3.org");

    private final Pattern pattern;
    private final String sample;

    Leak(String pattern, String sample) {
      this.pattern = Pattern.compile(pattern);
      this.sample = sample;
    }

    /** The findings with their kinds. A finding shows 24 characters at most of a secret. */
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
