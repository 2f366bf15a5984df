package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** status --bill: a day's metrics, times thirty, times prices; it changes nothing. */
class BillIT {
  private final Map<String, Number> values = new TreeMap<>();
  private String before = "";
  private FakeProject project = deployed("");

  /** An increment a second or so. */
  @BeforeEach
  void metrics() {
    values.put("read_ops_count.*database_id%3D%22%28default%29%22", 1_000_000);
    values.put("write_ops_count", 100_000);
    values.put("delete_ops_count", 10_000);
    values.put("run.*request_count.*on-shard-written", 80_000);
    values.put("cpu.*on-shard-written", 8_640);
    values.put("memory.*on-shard-written", 4_320);
    values.put("run.*request_count.*roll-up", 1_500);
    values.put("cpu.*roll-up", 28_800.5);
    values.put("memory.*roll-up", 43_200);
    values.put("push_request_count.*eventarc-tallyroll-on-shard-written", 80_000);
    values.put("push_request_count.*eventarc-tallyroll-roll-up", 1_500);
  }

  private FakeProject deployed(String options) {
    FakeProject made = FakeProject.deployed(options);
    made.answer("timeSeries", () -> series(made.calls.get(made.calls.size() - 1)));
    before = made.snapshot();
    return made;
  }

  private JsonElement series(String call) {
    for (Map.Entry<String, Number> one : values.entrySet()) {
      if (Pattern.compile(one.getKey()).matcher(call).find()) {
        String type = one.getValue() instanceof Double ? "doubleValue" : "int64Value";
        return FakeProject.series("", type, one.getValue());
      }
    }
    return new JsonObject();
  }

  @AfterEach
  void nothingIsChanged() {
    assertThat(project.changes).isEmpty();
    assertThat(project.snapshot()).isEqualTo(before);
  }

  /** Without the blanks between the columns. */
  private String exits(int code, String options) {
    return project.exits(code, "status --bill " + options).replaceAll(" +", " ");
  }

  @Test
  void bill_isOneScreen() {
    assertThat(exits(0, ""))
        .contains("p, us-central1: what 30 days cost at the pace of the day before 2026-01-01T00:")
        .contains("# document reads 30,000,000 $9.00 of all clients of this database\n")
        .contains("# document writes 3,000,000 $2.70 of all clients of this database\n")
        .contains("# document deletes 300,000 $0.03 of all clients of this database\n")
        .contains("# OnShardWritten, requests 2,400,000 $0.96\n")
        .contains("# OnShardWritten, vCPU-seconds 259,200 $6.22\n")
        .contains("# OnShardWritten, GiB-seconds 129,600 $0.32\n")
        .contains("# RollUp, requests 45,000 $0.02\n")
        .contains("# RollUp, vCPU-seconds 864,015 $20.74\n")
        .contains("# RollUp, GiB-seconds 1,296,000 $3.24\n")
        .contains("# event delivery, bytes 5,868,000,000 $0.21 Pub/Sub\n")
        .contains("# request logs, bytes 2,445,000,000 $1.14\n")
        .contains("# Cloud Scheduler jobs 1 $0.10\n")
        .contains("# total $44.68\n")
        .contains("# Assumed: prices: 2026-11, US dollars in us-central1: ")
        .contains("an event has 1,200 bytes", "a log entry of 1,000 bytes")
        .endsWith("# deploy/local/bill prints what to expect for given rates: compare the two.\n");
    assertThat(project.said().lines())
        .allMatch(line -> line.isEmpty() || line.startsWith("# "))
        .hasSizeLessThan(24);
    assertThat(project.calls)
        .filteredOn(call -> call.contains("timeSeries"))
        .hasSize(11)
        .allMatch(call -> call.contains("startTime=2025-12-31T00:00:00Z"))
        .allMatch(call -> call.contains("endTime=2026-01-01T00:00:00Z"))
        .allMatch(call -> call.contains("alignmentPeriod=86400s"));
  }

  /** OnShardWritten uses up the free requests and vCPU-seconds; some GiB-seconds stay free. */
  @Test
  void free_isTakenAwayOnce() {
    assertThat(exits(0, "--free"))
        .contains("# document reads 30,000,000 $8.55 ", "# document deletes 300,000 $0.00 ")
        .contains("# OnShardWritten, requests 2,400,000 $0.16\n", "# RollUp, requests 45,000 $0.02")
        .contains("vCPU-seconds 259,200 $1.90\n", "# RollUp, vCPU-seconds 864,015 $20.74\n")
        .contains("GiB-seconds 129,600 $0.00\n", "# RollUp, GiB-seconds 1,296,000 $2.66\n")
        .contains("# event delivery, bytes 5,868,000,000 $0.00 ", "bytes 2,445,000,000 $0.00\n")
        .contains("# Cloud Scheduler jobs 1 $0.00\n", "as if nothing else there used it");
  }

  @Test
  void json_isOneObject() {
    JsonObject json = JsonParser.parseString(exits(0, "--json")).getAsJsonObject();

    assertThat(project.said()).hasLineCount(1);
    assertThat(json.get("ok").getAsBoolean()).isTrue();
    List<JsonObject> lines = Json.objects(json, "lines");
    assertThat(lines).hasSize(12);
    assertThat(Json.text(lines.get(3), "what")).isEqualTo("OnShardWritten, requests");
    assertThat(Json.text(lines.get(3), "price")).isEqualTo("request");
    assertThat(lines.get(3).get("quantity").getAsDouble()).isEqualTo(2_400_000);
    assertThat(lines.get(3).get("dollars").getAsDouble()).isEqualTo(0.96, within(1e-9));
    double sum = lines.stream().mapToDouble(one -> one.get("dollars").getAsDouble()).sum();
    assertThat(json.get("dollars").getAsDouble()).isEqualTo(sum, within(1e-9));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          delete_ops_count| document deletes 0 $0.00 of all clients of this database; no value
          cpu.*roll-up| RollUp, vCPU-seconds 0 $0.00 no value
          push_request_count.*eventarc-tallyroll-roll-up| event delivery, bytes 5,760,000,000 $0.21 Pub/Sub; no value of roll-up
          """)
  void metricWithoutValue_countsAsNothing(String metric, String line) {
    assertThat(values.remove(metric)).isNotNull();

    assertThat(exits(0, "")).containsOnlyOnce("no value").contains("# " + line + "\n");
  }

  @Test
  void nothingOfTheFunctions_isNoBill() {
    values.keySet().removeIf(metric -> metric.matches("(run|cpu|memory).*"));
    String words =
        "expected metrics of the last day, found none: run.googleapis.com/request_count, run.";

    assertThat(exits(1, "")).contains("# WRONG: " + words).doesNotContain("$");
    JsonObject json = JsonParser.parseString(exits(1, "--json")).getAsJsonObject();
    assertThat(json.get("ok").getAsBoolean()).isFalse();
    assertThat(Json.text(json, "wrong.0.reason")).startsWith(words);
  }

  @Test
  void metricsThatCannotBeRead_areNoBill() {
    project = FakeProject.deployed("");
    project.fail("timeSeries", CloudException.DENIED, "403 no metrics");
    before = project.snapshot();

    assertThat(exits(1, "")).contains("403 no metrics", "needs roles/monitoring.viewer");

    project.all("api").remove("monitoring.googleapis.com");
    before = project.snapshot();
    assertThat(exits(1, "")).contains("expected metrics of the last day, found none");
  }

  @Test
  void excludedRequestLogs_costNothing() {
    project = deployed("--exclude-request-logs");

    assertThat(exits(0, "")).contains("# request logs, bytes 0 $0.00 excluded, but for errors\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "dollars": 0.03| "dollars": 0.06| 0| # total $53.68
          "read"| "reads"| 2| status: FILE: expected a number as prices.read.per, found ''
          "per": 1,| "per": 0,| 2| status: FILE: expected a number above 0 as prices.vcpu_second.per, found '0'
          "free": 3}| "free": "-3"}| 2| status: FILE: expected a number as prices.scheduler_job.free, found '-3'
          "free": 3}| "free": 3]| 2| status: FILE: expected JSON as in deploy/prices.json, found none: com.google
          """)
  void prices_areThoseOfTheFile(String found, String replacement, int code, String words) {
    String prices = Shell.read(Shell.ROOT.resolve("deploy/prices.json"));
    assertThat(prices).contains(found);
    project.write("prices", prices.replace(found, replacement));
    String file = project.folder + "/prices";

    assertThat(exits(code, "--prices=" + file)).contains(words.replace("FILE", file));
    assertThat(project.calls.isEmpty()).isEqualTo(code == 2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          --bill --watch; --bill: expected no --watch with it, found '--watch'
          --bill --rules; --bill: expected no --rules with it, found '--rules'
          --free; --free: expected --bill with it, found '--free alone'
          --bill --prices=/none; PRICES: expected a readable file, found '/none'
          """)
  void wrongOptions_areRefused(String options, String words) {
    assertThat(project.exits(2, "status " + options)).isEqualTo("status: " + words + "\n");
    assertThat(project.calls).isEmpty();
  }
}
