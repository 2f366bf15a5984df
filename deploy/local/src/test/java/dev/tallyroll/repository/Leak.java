package dev.tallyroll.repository;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What must not be published, by how it looks. The patterns do not match themselves. */
enum Leak {
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
