package dev.tallyroll.local.up;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.FirestoreOptions;
import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.tallyroll.Home;
import dev.tallyroll.local.Answers;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Makes the README's pictures of the page. No build runs it: CONTRIBUTING has its command. */
final class Pictures {
  private static final Path FOLDER = Home.ROOT.resolve(".github");

  /** Hides the buttons, the rate and the chart of a card. */
  private static final String FIGURES_ALONE =
      ".card :is(.buttons, .rate, figure) { display: none !important; }";

  private static final String BOTH =
      """
      <!doctype html>
      <style>
        body { display: grid; grid-template-columns: 1fr 1fr; gap: 20px; margin: 0; padding: 14px 20px 20px; background: #f5f4f0; }
        figure { margin: 0; font: 15px system-ui, sans-serif; color: #65655d; }
        img { display: block; width: 100%%; margin-top: 8px; }
      </style>
      <figure>before<img src="%s"></figure>
      <figure>after three likes<img src="%s"></figure>
      """;

  @TempDir private Path folder;

  /** A post's card before its first like, and after three. */
  @Test
  void post() throws Exception {
    var file = folder.resolve("totals.json");
    Files.writeString(
        file, "{\"likes\": {\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"likes\"}}}");
    var up = start("--totals=" + file, "--traffic=none");
    var firestore =
        FirestoreOptions.newBuilder()
            .setProjectId("demo-tallyroll")
            .setEmulatorHost(up.firestore())
            .build()
            .getService();
    try (var chromium = Chromium.start()) {
      Answers.get(firestore.document("posts/p1").set(Map.of("title", "First")));
      var page = open(chromium, 2, 374, 900);
      page.navigate(up.page());
      var card = page.locator("article");
      assertThat(card.locator(".lag")).hasText("right");
      var before = picture(card);
      for (var user : List.of("ann", "bob", "eve")) {
        var like = firestore.document("posts/p1/likes/" + user);
        Answers.get(like.set(Map.of("at", FieldValue.serverTimestamp())));
      }
      assertThat(card.locator(".figure")).hasText(Pattern.compile("\\s*likes:3\\s*"));
      assertThat(card.locator(".lag")).hasText("right");
      assertThat(card.locator(".state")).hasText("quiet");
      var after = picture(card);

      var both = open(chromium, 2, 760, 220);
      both.setContent(BOTH.formatted(before, after));
      write(both.screenshot(new Page.ScreenshotOptions().setFullPage(true)), "post.png");
    } finally {
      firestore.shutdown();
      up.process().destroy();
    }
  }

  /** The example's three entries after a minute of traffic, with late events. */
  @Test
  void page() throws Exception {
    var up = start("--totals=deploy/clients/examples/likes/totals.json", "--traffic=20");
    try (var chromium = Chromium.start()) {
      var page = open(chromium, 1, 1_280, 960);
      page.navigate(up.page());
      page.getByLabel("Events late").click();
      assertThat(page.locator("figcaption").first()).containsText("Last minute");
      assertThat(page.locator("#notice")).hasText("");
      write(page.screenshot(), "page.png");
    } finally {
      up.process().destroy();
    }
  }

  private UpProcess start(String... options) throws Exception {
    return UpProcess.start(folder.resolve("errors"), Map.of(), List.of(options));
  }

  private static Page open(Chromium chromium, int scale, int width, int height) {
    return chromium
        .browser()
        .newContext(
            new NewContextOptions()
                .setBypassCSP(true) // for a style that leaves parts out
                .setDeviceScaleFactor(scale)
                .setColorScheme(ColorScheme.LIGHT)
                .setViewportSize(width, height))
        .newPage();
  }

  /** Writes a picture with its 256 most frequent colors, which takes half of the room. */
  private static void write(byte[] png, String name) throws IOException {
    var image = ImageIO.read(new ByteArrayInputStream(png));
    var pixels = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    var counts =
        Arrays.stream(pixels)
            .boxed()
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    var palette =
        counts.entrySet().stream()
            .sorted(Map.Entry.<Integer, Long>comparingByValue().reversed())
            .limit(256)
            .mapToInt(Map.Entry::getKey)
            .toArray();
    var colors =
        new IndexColorModel(8, palette.length, palette, 0, false, -1, DataBuffer.TYPE_BYTE);
    var small =
        new BufferedImage(
            image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, colors);
    small.setRGB(0, 0, image.getWidth(), image.getHeight(), pixels, 0, image.getWidth());
    ImageIO.write(small, "png", FOLDER.resolve(name).toFile());
  }

  private static String picture(Locator card) {
    var bytes = card.screenshot(new Locator.ScreenshotOptions().setStyle(FIGURES_ALONE));
    return "data:image/png;base64," + Base64.getEncoder().encodeToString(bytes);
  }
}
