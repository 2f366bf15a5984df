package dev.tallyroll.local.up;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The installed browser. Skips the test if there is none. Used by one thread. */
record Chromium(Playwright playwright, Browser browser) implements AutoCloseable {
  private static final Path PROGRAM = Path.of("/usr/bin/chromium");

  /** The browser may run as root, and must look up no host. */
  private static final List<String> FLAGS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--disable-quic");

  /** Only a failure takes so long. */
  private static final double PATIENCE_MILLIS = 300_000;

  static Chromium start() {
    assumeTrue(Files.isExecutable(PROGRAM), PROGRAM + " is not installed");
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    var driver =
        Map.of("PLAYWRIGHT_NODEJS_PATH", node(), "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "true");
    var playwright = Playwright.create(new Playwright.CreateOptions().setEnv(driver));
    var options = new BrowserType.LaunchOptions().setExecutablePath(PROGRAM).setArgs(FLAGS);
    return new Chromium(playwright, playwright.chromium().launch(options));
  }

  private static String node() {
    var node =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .map(folder -> Path.of(folder, "node"))
            .filter(Files::isExecutable)
            .findFirst();
    assumeTrue(node.isPresent(), "node is not installed");
    return node.get().toString();
  }

  /** A page of another person. */
  Page open() {
    Page page = browser.newContext().newPage();
    page.setDefaultTimeout(PATIENCE_MILLIS);
    return page;
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
