package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonLogTest {

  /** A container's locale knows ASCII only. */
  @Test
  void standardOutput_isUtf8WhateverTheLocaleIs() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.US_ASCII));
    try {
      JsonLog.of("RollUp").write(Severity.INFO, "run ended", Map.of("counter", "größe-数"));
    } finally {
      System.setOut(before);
    }

    assertThat(out.toString(StandardCharsets.UTF_8)).contains("größe-数");
  }

  @Test
  void line_isOneJsonObject() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    JsonLog log = new JsonLog(new PrintStream(out, true, StandardCharsets.UTF_8), "RollUp");

    log.write(Severity.WARNING, "a \"line\"\nand\ta tab", Map.of("live", 3));

    String text = out.toString(StandardCharsets.UTF_8);
    assertThat(text.lines()).hasSize(1);
    JsonObject line = JsonParser.parseString(text).getAsJsonObject();
    assertThat(line.get("severity").getAsString()).isEqualTo("WARNING");
    assertThat(line.get("message").getAsString()).isEqualTo("a \"line\"\nand\ta tab");
    assertThat(line.get("live").getAsInt()).isEqualTo(3);
    assertThat(line.getAsJsonObject("logging.googleapis.com/labels").get("tallyroll_function"))
        .hasToString("\"RollUp\"");
  }
}
