package dev.tallyroll.local.up;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import dev.tallyroll.Commits;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudOptions;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.SecurityRules;
import dev.tallyroll.local.up.Controls.Rights;
import dev.tallyroll.local.up.Controls.Step;
import dev.tallyroll.settings.EntryRules.RulesKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A person's use of the page, played in the installed browser. */
@Order(1) // It takes the longest.
final class PageIT {
  private static final Map<String, String> ANYWHERE =
      TestTotals.of("{parent=**}/counters").settings();
  private static final Served SETTINGS = Served.by(ANYWHERE);
  private static final int SHARDS = 5;

  /** More than the writes that make a counter live. */
  private static final int BURST = 20;

  @TempDir private static Path folder;

  private static Chromium chromium;
  private static LocalCloud cloud;
  private static Firestore firestore;
  private static Traffic traffic;
  private static Controls controls;
  private static PageServer server;

  private static final List<String> COMPLAINTS = new CopyOnWriteArrayList<>();

  /** One for all tests, each of which loads it anew. */
  private static Page page;

  private String counter;

  @BeforeAll
  static void start() throws Exception {
    chromium = Chromium.start();
    cloud = LocalCloud.start(new LocalCloudOptions().settings(ANYWHERE));
    firestore = cloud.openFirestore();
    var demo = DemoCounter.create("demo", FirestoreCounters.of(firestore).counter("demo"), SHARDS);
    traffic = Traffic.even(List.of(demo), 0);
    loadRules(SETTINGS, RulesKind.PLAIN);
    controls = controls(SETTINGS);
    server = new PageServer(0, controls);
    page = chromium.open();
    hear(page);
  }

  private static Controls controls(Served settings) {
    return controls(settings, Step.ANY);
  }

  private static Controls controls(Served settings, Step step) {
    return new Controls(cloud, settings, traffic, new Rights("plain", step));
  }

  private static void loadRules(Served settings, RulesKind kind) {
    cloud.loadRules(SecurityRules.of(settings.rules(Optional.of(kind)), List.of()));
  }

  private static void loadRules(Path file) {
    cloud.loadRules(SecurityRules.of(List.of(file)));
  }

  @AfterAll
  static void stop() throws Exception {
    if (firestore != null) {
      // Its close() would wait for the demo's listener.
      firestore.shutdown();
    }
    for (AutoCloseable each : Arrays.asList(server, controls, traffic, cloud, chromium)) {
      if (each != null) {
        each.close();
      }
    }
  }

  /**
   * Each test has its own counter, and waits for its roll-up: a sum of the emulator may miss an
   * increment that is in flight, on a busy machine for longer than the functions' slack.
   */
  @BeforeEach
  void openThePage(TestInfo test) throws Exception {
    counter =
        test.getTestMethod().orElseThrow().getName()
            + test.getDisplayName().replaceAll("\\D", ""); // one for each argument
    controls.createCounter(counter, SHARDS);
    await("a roll-up").until(() -> get(rollup().get()).exists());
    page.navigate(server.address().toString());
    search(page);
    awaitTotal(page, 0);
  }

  /** The page must use no script and no style that its policy refuses. */
  @AfterEach
  void hasNoComplaint() {
    assertThat(COMPLAINTS).isEmpty();
  }

  @Test
  void form_createsACounterAndSaysWhyNot() {
    counter = "stars";
    search(page);
    create();
    awaitTotal(page, 0);
    assertThat(card(page).locator(".heat span")).hasCount(7);

    create();

    assertThat(page.locator("#notice")).containsText("Not done: ");
  }

  private void create() {
    page.locator("#make [name=counter]").fill(counter);
    page.locator("#make [name=shards]").fill("7");
    page.locator("#make button").click();
  }

  @Test
  void clicksAndKeys_countInAllTabs() {
    Page other = chromium.open();
    hear(other);
    other.navigate(server.address().toString());
    search(other);
    awaitTotal(other, 0);

    count(page, 2);
    // A click waits until the page knows the shards; a key does not.
    assertThat(card(other).locator(".count")).isEnabled();
    card(other).locator(".count").press("Enter");

    awaitTotal(page, 3);
    awaitTotal(other, 3);
    assertThat(card(page).locator(".lag")).hasText("right");
    assertThat(page.locator("#costs tr")).hasCount(8);
    assertThat(page.locator(".month").first()).containsText("$");
    assertThat(page.locator("#listener")).not().hasText("$0.00");
    other.keyboard().press("Tab");
    assertThat(card(other).locator("[name=n]")).isFocused();
    other.context().close();
  }

  /** After a burst, only RollUp writes the total until the lease ends. */
  @Test
  void killedRollUp_comesBackAndShowsAll() throws Exception {
    assertThat(card(page).locator(".state")).hasText("quiet");
    int burst = makeLive();

    remember("rollup", "notice");
    page.getByText("Kill RollUp").click();
    awaitShown("killed");
    count(page, 3);

    awaitShown("RollUp runs again.");
    // The schedule would ask for a run at the next full minute.
    await("a run to show all")
        .until(
            () -> {
              cloud.tick();
              page.waitForTimeout(1_000);
              return total(page).textContent().replace(",", "").equals("" + (burst + 3));
            });
  }

  /** Keeps each text that elements show, also those that they show for some seconds only. */
  private static void remember(String... ids) {
    page.evaluate(
        """
        (ids) => {
          globalThis.shown = [];
          for (const element of ids.map((id) => document.getElementById(id))) {
            new MutationObserver(() => shown.push(element.textContent)).observe(element, {childList: true});
          }
        }""",
        ids);
  }

  private static void awaitShown(String text) {
    await(text).until(() -> (boolean) page.evaluate("(text) => shown.includes(text)", text));
  }

  @Test
  void totalThatDiffers_isBehind() throws Exception {
    var until = Timestamp.ofTimeSecondsAndNanos(System.currentTimeMillis() / 1000 + 3600, 0);
    get(rollup().update("count", 7, "live_until", until));

    assertThat(total(page)).hasText("7");
    assertThat(card(page).locator(".exact")).hasText("0");
    assertThat(card(page).locator(".lag")).hasText(Pattern.compile("[0-9.]+ s behind"));
    assertThat(card(page).locator(".state")).hasText("live");
  }

  @Test
  void badShard_holdsTheTotalUntilItIsMended() throws Exception {
    var bad = firestore.document("counters/" + counter + "/shards/bad");
    count(page, 1);
    awaitTotal(page, 1);
    get(bad.set(Map.of("count", Double.POSITIVE_INFINITY)));
    assertThat(card(page).locator(".heat .bad")).hasCount(1);

    count(page, 2);
    assertThat(total(page)).hasText("1");
    assertThat(card(page).locator(".exact")).hasText("∞");
    assertThat(card(page).locator(".why")).hasText("shard bad holds no number that can be summed");
    assertThat(page.locator("#complaints"))
        .containsText("error: sum is not a number that can be stored; the last good total stays (");
    assertThat(page.locator("#no-complaints")).hasText("");
    get(bad.delete());

    awaitTotal(page, 3);
  }

  /** The rules of the test let a client do all that the page's own limit lets pass. */
  @Test
  void number_isAddedWithinTheLimitOfTheLibraries() throws Exception {
    add("10");
    assertThat(page.locator("#notice"))
        .containsText(
            Pattern.compile(
                "Not done: the rules in force refuse an increment of counters/%s/shards/. by 10 \\(.+ for 'update' @ L"
                    .formatted(counter)));
    var open = folder.resolve("open.rules");
    Files.writeString(
        open,
        """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{database}/documents/{all=**} { allow read, write: if true; }
        }
        """);
    loadRules(open);
    try {
      add("9223372036854775807");
      assertThat(page.locator("#notice"))
          .containsText("n: expected a number from -2^40 to 2^40, found 9223372036854775807");
      add("ten");
      assertThat(page.locator("#notice")).containsText(", found ten");
      add("-30");
      awaitTotal(page, -30);
    } finally {
      loadRules(SETTINGS, RulesKind.PLAIN);
    }
  }

  private void add(String n) {
    card(page).locator("[name=n]").fill(n);
    card(page).locator(".add button").click();
  }

  /** The page offers no more than the rules in force allow. */
  @ParameterizedTest
  @EnumSource
  void buttons_areThoseThatTheRulesAllow(Step step) {
    try (var others = controls(SETTINGS, step);
        var other = new PageServer(0, others)) {
      page.navigate(other.address().toString());
      search(page);
      assertThat(card(page).locator(".lag")).hasText("right");
      assertThat(card(page).locator(".count"))
          .isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(step != Step.PASS));
      assertThat(card(page).locator(".add"))
          .isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(step == Step.ANY));
      assertThat(page.locator("#no-clicks"))
          .isVisible(new LocatorAssertions.IsVisibleOptions().setVisible(step == Step.PASS));
      page.navigate(server.address().toString());
    }
  }

  /** A chart begins with the seconds that there are: its line goes from side to side. */
  @Test
  void chart_fillsItsWidthFromTheStart() {
    assertThat(card(page).locator("figcaption")).hasText(Pattern.compile("Last [0-9]+ s, .*"));
    assertThat(card(page).locator(".spark .line"))
        .hasAttribute("d", Pattern.compile("M0[.]00 .*L60[.]00 [0-9.]+"));
  }

  @Test
  void deletedCounter_isNotShown() throws Exception {
    get(FirestoreCounters.of(firestore).counter(counter).delete());

    assertThat(card(page)).hasCount(0);
    assertThat(page.locator("#none")).hasText("No path contains \"" + counter + "\".");
  }

  /** The page shows them even where the rules let no client read. */
  @Test
  void nestedCountersAndDoubles_areShownAsTheyAre() throws Exception {
    var shards = firestore.collection("rooms/r1/counters/halves/shards");
    for (int i = 1; i <= 4; i++) {
      get(shards.document("" + i).set(Map.of("count", 1e6 + i / 10.0)));
    }
    counter = "rooms/r1/counters/halves";
    search(page);

    assertThat(card(page).locator(".total")).hasText("4,000,001");
    assertThat(card(page).locator(".exact")).hasText("4,000,001");
    assertThat(card(page).locator(".lag")).hasText("right");
    assertThat(card(page).locator(".heat .bad")).hasCount(0);
  }

  @Test
  void counterWithoutARollup_saysWhy() throws Exception {
    get(firestore.document("counters/nan").set(Map.of("num_shards", 1)));
    get(firestore.document("counters/nan/shards/0").set(Map.of("count", Double.POSITIVE_INFINITY)));
    counter = "nan";
    search(page);

    assertThat(card(page).locator(".total.absent")).hasText("none");
    assertThat(card(page).locator(".exact")).hasText("∞");
    assertThat(card(page).locator(".why")).hasText("shard 0 holds no number that can be summed");
  }

  /** The functions here do not fold, so what shards hold stays there. */
  @Test
  void foldedFields_areShownWithWhatShardsHoldAndCounted() throws Exception {
    var fields = Map.of("title", "Hello", "visits", 3, "stats", Map.of("likes", 2));
    get(firestore.document("pages/hello").set(fields));
    get(firestore.document("pages/hello/_counter_shards_/other").set(Map.of("visits", 2)));
    var settings =
        Served.by(
            Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}", "FOLD_FIELDS", "visits"));
    loadRules(settings, RulesKind.PLAIN);
    try (var folding = controls(settings);
        var other = new PageServer(0, folding)) {
      page.navigate(other.address().toString());
      counter = "pages/hello visits";
      assertThat(card(page).locator("h3")).hasText("pages/hello");
      assertThat(card(page).locator(".figure")).hasText("visits:3");
      assertThat(card(page).locator(".facts"))
          .hasText(Pattern.compile("\\s*Shards still hold\\s*2\\s.*"));
      assertThat(page.locator("#make")).isHidden();

      count(page, 1);

      assertThat(card(page).locator(".exact")).hasText("3");
      assertThat(card(page).locator(".shards")).hasText("2 shards to fold");
      counter = "pages/hello stats.likes";
      assertThat(total(page)).hasText("2");
      assertThat(card(page).locator(".exact")).hasText("0");
      assertThat(card(page).locator(".lag")).hasText("stays");
      page.navigate(server.address().toString());
    } finally {
      loadRules(SETTINGS, RulesKind.PLAIN);
    }
  }

  @Test
  void manyCounters_areSearchedAndPaged() throws Exception {
    var batch = firestore.batch();
    for (int i = 100; i < 160; i++) {
      batch.set(firestore.document("counters/many-" + i + "/shards/0"), Map.of("count", i));
    }
    get(batch.commit());
    page.locator("#search").fill("many-");
    page.locator("#order").selectOption("NAME");

    assertThat(page.locator("#which")).hasText("1 to 24 of 60");
    assertThat(page.locator("article")).hasCount(24);
    page.locator("#next").click();
    assertThat(page.locator("#which")).hasText("25 to 48 of 60");
    assertThat(page.locator("article h3").first()).hasText("many-124");
    page.locator("#search").fill("MANY-157");
    assertThat(page.locator("article")).hasCount(1);
    assertThat(page.locator("article .total")).hasText("157");
    page.locator("#search").fill("nowhere");
    assertThat(page.locator("#none")).hasText("No path contains \"nowhere\".");
  }

  /** An entry without totals is on the page where they would be. */
  @Test
  void groups_areThoseOfThePage() {
    var found =
        page.evaluate(
            """
            async () => {
              const {groupsOn} = await import('/counters.js');
              const entries = ['none', 'many', 'gone', 'more'].map((name) => ({name}));
              const totals = ['many', 'more'].flatMap((entry) => Array(30).fill({entry}));
              return [0, 1, 2].map((page) => groupsOn(page, 24, entries, totals)
                .map(({name, many, here}) => `${name} ${here.length} of ${many}`).join(', '));
            }
            """);

    assertThat(found)
        .isEqualTo(
            List.of(
                "none 0 of 0, many 24 of 30",
                "many 6 of 30, gone 0 of 0, more 18 of 30",
                "more 12 of 30"));
  }

  /** The time before the first data is nobody's lag, however old the roll-up is. */
  @Test
  void lag_beginsWithTheFirstData() {
    assertThat(judged("{asOf: 0, total: 7, number: 2}", "{sum: 9, number: 2}"))
        .isEqualTo("9 4.5: behind 0, then 80000");
    assertThat(judged("{asOf: 0, total: 9, number: 2}", "{sum: 9, number: 2}"))
        .isEqualTo("9 4.5: behind 0, then 0");
  }

  /** A field that the app's own document shows must be the roll-up's figure. */
  @Test
  void fieldThatDiffers_isBehind() {
    var total = "{asOf: 0, total: 9, number: 2, shows: 'stars', isThere: %s, shown: %s}";

    assertThat(judged(total.formatted(true, 4.5), "{sum: 9, number: 2}")).endsWith("then 0");
    assertThat(judged(total.formatted(true, 4), "{sum: 9, number: 2}")).endsWith("then 80000");
    assertThat(judged(total.formatted(true, null), "{sum: 9, number: 2}")).endsWith("then 80000");
    assertThat(judged(total.formatted(false, null), "{sum: 9, number: 2}")).endsWith("then 0");
  }

  /** Returns the verdict of the page's own code on a total: now, and 80 seconds later. */
  private static String judged(String total, String held) {
    return (String)
        page.evaluate(
            """
        async () => {
          const {judge} = await import('/counters.js');
          const as = (figure) => ({documents: true, ...%s, figure});
          const held = %s;
          const first = judge(as('AVERAGE'), held, {}, 1e12);
          const then = judge(as('AVERAGE'), held, first, 1e12 + 80_000);
          return `${judge(as('SUM'), held, {}, 1e12).exact} ${first.exact}: behind ${first.behind}, then ${then.behind}`;
        }
        """
                .formatted(total, held));
  }

  /** By mouse, by keyboard and for screen readers. */
  @Test
  void words_areExplained() {
    assertThat(card(page).locator(".state"))
        .hasAttribute(
            "title", Pattern.compile("(Quiet|Live): it changes (rarely|often), so .+[.]"));
    for (var label : page.locator("label.switch").all()) {
      var says = label.getAttribute("title");
      assertThat(says).endsWith(".");
      assertThat(label.locator("input")).hasAccessibleDescription(says);
    }
    for (var button : List.of("#kill", "#sweep")) {
      assertThat(page.locator(button)).hasAccessibleDescription(Pattern.compile(".+[.]"));
    }
    page.locator("#kill").focus();
    page.keyboard().press("Tab");
    assertThat(
            (String) page.evaluate("getComputedStyle(document.activeElement, '::after').content"))
        .contains("correct the wrong ones");
  }

  @Test
  void longName_fitsNarrowAndWidePages() throws Exception {
    counter = "w".repeat(60);
    controls.createCounter(counter, 100);
    get(FirestoreCounters.of(firestore).counter(counter).add(1L << 40));
    search(page);
    for (int width : new int[] {320, 360, 1_024, 1_280, 1_920, 2_560}) {
      page.setViewportSize(width, 800);
      assertThat(card(page)).isVisible();
      // It can be scrolled to, and nothing covers it.
      page.locator("#listener").click(new Locator.ClickOptions().setTrial(true));
      assertThat((Integer) page.evaluate("document.documentElement.scrollWidth"))
          .as("width %d", width)
          .isLessThanOrEqualTo(width);
    }
    page.setViewportSize(1_280, 720);
  }

  /** The sum is replaced, and the line is measured, before the page can show the next one. */
  @ParameterizedTest
  @CsvSource({"390, $128.45", "390, '$1,284.50'", "360, $128.45"})
  void header_isOneLineOnAPhone(int width, String sum) {
    page.setViewportSize(width, 800);
    assertThat(page.locator("#rollup")).hasText("running");

    var apart =
        page.evaluate(
            """
            (sum) => {
              document.querySelector('.top .month').textContent = sum;
              const boxes = [...document.querySelector('.top').children].map((each) => each.getBoundingClientRect());
              const middles = boxes.map(({top, bottom}) => (top + bottom) / 2);
              return Math.round(Math.max(...middles) - Math.min(...middles));
            }
            """,
            sum);

    assertThat(apart).isEqualTo(0);
    page.setViewportSize(1_280, 720);
  }

  @Test
  void pageWithoutData_saysThatItWaits() {
    try (var waiting = chromium.open()) {
      waiting.route("**/state", route -> {});
      waiting.navigate(server.address().toString());

      assertThat(waiting.locator("#none")).hasText("Waiting for the first totals.");
      waiting.unroute("**/state");
      waiting.reload();
      assertThat(waiting.locator("#none")).isHidden();
    }
  }

  /** The first list waits for ever; the page asks again, and shows what has come. */
  @Test
  void listThatIsNotAnswered_isAskedForAgain() {
    try (var waiting = chromium.open()) {
      var held = new AtomicInteger();
      var isOver = new AtomicBoolean();
      waiting.route(
          Pattern.compile(".*:runQuery"),
          route -> {
            if (isOver.get()) {
              route.resume();
            } else {
              held.incrementAndGet();
            }
          });
      waiting.navigate(server.address().toString());
      search(waiting);
      waiting.waitForCondition(() -> held.get() > 0);
      isOver.set(true);

      awaitTotal(waiting, 0);
    }
  }

  @Test
  void stackThatIsGone_isNotShownAsRunningUntilItIsBack() {
    PageServer other = new PageServer(0, controls);
    int port = other.address().getPort();
    page.navigate(other.address().toString());
    assertThat(page.locator("#rollup")).hasText("running");

    other.close();

    assertThat(page.locator("#rollup")).hasText("not known");
    assertThat(page.locator("body")).hasClass("gone");

    PageServer again = new PageServer(port, controls);
    try {
      assertThat(page.locator("#rollup")).hasText("running");
      assertThat(page.locator("body")).not().hasClass("gone");
      assertThat(card(page).locator(".rate")).hasText("0.0 a second");
    } finally {
      page.navigate(server.address().toString());
      again.close();
    }
  }

  /** The rules refuse a client's plain increment; a server can still count. */
  @Test
  void strictRules_areExplainedAndTotalsShown() throws Exception {
    loadRules(SETTINGS, RulesKind.STRICT);
    try {
      count(page, 1);
      assertThat(page.locator("#notice"))
          .containsText("Not done: the rules in force refuse an increment of counters/" + counter);
      get(FirestoreCounters.of(firestore).counter(counter).add(10));
      awaitTotal(page, 10);
    } finally {
      loadRules(SETTINGS, RulesKind.PLAIN);
    }
  }

  @Test
  void faultOfEvents_happensWhileItIsOn() throws Exception {
    var clicks = new AtomicInteger();
    page.getByLabel("Events doubled").click();
    await("an event to be doubled")
        .until(
            () -> {
              count(page, 1);
              clicks.incrementAndGet();
              return cloud.deliveries().count(Occurrence.EVENT_DOUBLED) > 0;
            });
    assertThat(page.getByLabel("Events doubled")).isChecked();
    page.getByLabel("Events doubled").click();
    assertThat(page.locator("#notice")).containsText("Events doubled: off");
    awaitTotal(page, clicks.get());
    var doubled = cloud.deliveries().count(Occurrence.EVENT_DOUBLED);

    count(page, 10);

    awaitTotal(page, clicks.get() + 10);
    assertThat(cloud.deliveries().count(Occurrence.EVENT_DOUBLED)).isEqualTo(doubled);
  }

  @Test
  void buttons_turnTheTrafficSweepAndCopy() throws Exception {
    page.getByLabel("Write all the time").click();
    await("traffic").until(() -> traffic.perSecond() == 20);
    assertThat(page.getByLabel("Write all the time")).isChecked();
    page.getByLabel("Write all the time").click();
    await("no traffic").until(() -> traffic.perSecond() == 0);
    controls.setTraffic(50);
    page.reload();
    assertThat(page.locator("#traffic-shown")).hasText("50");
    controls.setTraffic(0);
    page.reload();
    assertThat(page.locator("#traffic-shown")).hasText("50");

    long before = cloud.rollUp().sweeps().parts();
    page.getByText("Sweep now").click();
    await("a sweep").until(() -> cloud.rollUp().sweeps().parts() > before);

    page.context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
    page.getByText("Copy the variables for clients").click();
    assertThat(page.locator("#notice")).containsText("Copied: ");
    assertThat(page.evaluate("navigator.clipboard.readText()"))
        .isEqualTo(
            "export FIRESTORE_EMULATOR_HOST=%s GOOGLE_CLOUD_PROJECT=%s"
                .formatted(cloud.firestoreHost(), cloud.project()));
  }

  /** A script in the page itself tries it, with the page's own client. */
  @Test
  void forgedRollup_isRefused() {
    for (var forgery :
        List.of(
            "sdk.setDoc(sdk.doc(db, 'rollups', id), {count: 1000000})",
            "sdk.updateDoc(sdk.doc(db, 'rollups', id), {count: 1000000})",
            "sdk.deleteDoc(sdk.doc(db, 'rollups', id))",
            "sdk.updateDoc(sdk.doc(db, 'counters', id, 'shards', '0'), {count: 1000000})",
            "sdk.setDoc(sdk.doc(db, 'counters', id, 'shards', '99'), {count: 1000000})")) {
      var found =
          page.evaluate(
              """
              async (id) => {
                const sdk = await import('/sdk/firebase-firestore.js');
                const db = sdk.getFirestore();
                return %s.then(() => 'done', (refused) => refused.code);
              }
              """
                  .formatted(forgery),
              counter);
      assertThat(found).as(forgery).isEqualTo("permission-denied");
    }

    count(page, 1);
    awaitTotal(page, 1);
  }

  /**
   * The page comes from another server, here the emulator. The browser sends its request without a
   * question, and hides the answer from it.
   */
  @Test
  void pageFromElsewhere_controlsNothing() {
    var status = new ArrayList<Integer>();
    Page elsewhere = chromium.open();
    elsewhere.navigate("http://" + cloud.firestoreHost());
    elsewhere.onResponse(response -> status.add(response.status()));
    elsewhere.evaluate(
        """
        (address) => fetch(address + 'control',
            {method: 'POST', mode: 'no-cors', body: '{"action":"traffic","perSecond":7}'})
        """,
        server.address().toString());
    elsewhere.context().close();

    assertThat(status).containsExactly(403);
    assertThat(traffic.perSecond()).isNotEqualTo(7);
  }

  private static void hear(Page opened) {
    opened.onPageError(COMPLAINTS::add);
    opened.onConsoleMessage(
        message -> {
          // When a connection breaks, the SDK itself asks Google, so this is no mistake of the
          // page.
          if (message.text().contains("Content Security Policy")
              && !message.text().contains("cleardot.gif")) {
            COMPLAINTS.add(message.text());
          }
        });
  }

  /** Searches the counter, because there may be more counters than a page shows. */
  private void search(Page on) {
    on.locator("#search").fill(counter);
  }

  private Locator card(Page on) {
    return on.locator("[data-counter$='" + counter + "']");
  }

  private Locator total(Page on) {
    return card(on).locator(".total");
  }

  private void count(Page on, int times) {
    for (int i = 0; i < times; i++) {
      card(on).locator(".count").click();
    }
  }

  /**
   * Adds one so often that the counter is live; returns how often. A busy machine may be too slow
   * for a burst, and a lease may be over before anybody looks: then there is another burst.
   */
  private int makeLive() throws Exception {
    var counting = FirestoreCounters.of(firestore).counter(counter);
    int added = 0;
    do {
      List<ApiFuture<Instant>> burst = new ArrayList<>();
      for (int i = 0; i < BURST; i++) {
        burst.add(counting.add(1));
      }
      for (var add : burst) {
        added += Commits.isAcknowledged(add) ? 1 : 0;
      }
      long sum = added;
      await("a total").until(() -> isLive() || sum == get(rollup().get()).getLong("count"));
    } while (!isLive());
    return added;
  }

  private boolean isLive() throws Exception {
    return get(rollup().get()).contains("live_until");
  }

  private DocumentReference rollup() {
    return firestore.document("rollups/" + counter);
  }

  /** Waits for a total. A failure tells the state of page, shards, events and roll-up. */
  private void awaitTotal(Page on, long expected) {
    try {
      assertThat(total(on)).hasText(Long.toString(expected));
    } catch (AssertionError late) {
      var facts =
          List.of(
              on.locator("#notice").textContent(),
              card(on).textContent().replaceAll("\\s+", " "),
              controls.state(),
              "events that wait: " + !cloud.quiet(),
              "runs: " + cloud.runsUnderway());
      throw new AssertionError(late.getMessage() + facts, late);
    }
  }
}
