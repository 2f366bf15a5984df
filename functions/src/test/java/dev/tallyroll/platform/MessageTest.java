package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.platform.Message.Task;
import dev.tallyroll.runs.PassKind;
import java.util.Locale;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageTest {
  private static final Message RUN = message(Task.RUN, OptionalInt.empty());

  private static Message message(Task kind, OptionalInt worker) {
    return new Message(kind, worker, /* sweepIsDue= */ false, PassKind.PART);
  }

  private static Message decode(String json) throws UnusableEventException {
    return Message.decode(Events.message(json), 2);
  }

  @Test
  void attributes_sayWhatToDo() throws Exception {
    assertThat(decode("{'message':{'attributes':{'kind':'run'}},'subscription':'s'}"))
        .isEqualTo(RUN);
    assertThat(decode("{'message':{'data':'e30=','attributes':{'kind':'wake','worker':'1'}}}"))
        .isEqualTo(message(Task.WAKE, OptionalInt.of(1)));
    assertThat(decode("{'message':{'attributes':{'kind':'sweep','group':'of an older version'}}}"))
        .isEqualTo(message(Task.SWEEP, OptionalInt.empty()));
  }

  @Test
  void pass_saysHowMuchASweepLooksAt() throws Exception {
    for (PassKind kind : PassKind.values()) {
      String pass = kind.name().toLowerCase(Locale.ROOT);
      String json = "{'message':{'attributes':{'kind':'sweep','pass':'%s'}}}".formatted(pass);

      assertThat(decode(json).pass()).isEqualTo(kind);
      assertThat(Message.toSweep(kind).getOrDefault("pass", "part")).isEqualTo(pass);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "17, 2026-11-22T18:17:00Z, true",
    "17, 2026-11-22T18:17:59.999999999Z, true",
    "17, 2026-11-22T18:18:00Z, false",
    "17, 2026-11-22T18:16:59.999Z, false",
    "17, 2026-11-22T23:47:00+05:30, true",
    "0, 2026-11-22T18:00:01Z, true",
    "17, soon, false",
    "60, 2026-11-22T18:00:00Z, false",
    "017, 2026-11-22T18:17:00Z, false",
    "17 * * * *, 2026-11-22T18:17:00Z, false",
  })
  void sweep_isDueInItsMinute(String minute, String published, boolean due) throws Exception {
    String json =
        "{'message':{'attributes':{'kind':'run','sweep':'%s'},'publishTime':'%s'}}"
            .formatted(minute, published);

    assertThat(decode(json).sweepIsDue()).isEqualTo(due);
  }

  @Test
  void sweep_isNeverDueWithoutItsMinuteOrATime() throws Exception {
    assertThat(decode("{'message':{'attributes':{'kind':'run','sweep':'17'}}}")).isEqualTo(RUN);
    assertThat(
            decode(
                "{'message':{'attributes':{'kind':'run'},'publishTime':'2026-11-22T18:17:00Z'}}"))
        .isEqualTo(RUN);
  }

  /** The handlers may have been deployed with more workers than RollUp, or with fewer. */
  @ParameterizedTest
  @CsvSource({"1, 0", "4, 3", "16, 15"})
  void wakeUp_isForTheWorkerThatHasTheEntryHere(int workers, int worker) throws Exception {
    String json = "{'message':{'attributes':{'kind':'wake','entry':'ffff'}}}";

    assertThat(Message.decode(Events.message(json), workers).worker()).hasValue(worker);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "4, 3", "16, 7"})
  void run_isForAWorkerThatThereIsHere(int workers, int worker) throws Exception {
    String json = "{'message':{'attributes':{'kind':'run','worker':'7'}}}";

    assertThat(Message.decode(Events.message(json), workers).worker()).hasValue(worker);
  }

  @Test
  void longAttribute_isToldOnlyInPart() {
    assertThatThrownBy(
            () -> decode("{'message':{'attributes':{'kind':'" + "x".repeat(9_000) + "'}}}"))
        .satisfies(dropped -> assertThat(dropped.getMessage()).hasSizeLessThan(300));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "7",
        "{}",
        "{'message':7}",
        "{'message':{}}",
        "{'message':{'attributes':{}}}",
        "{'message':{'attributes':{'kind':'dance'}}}",
        "{'message':{'attributes':{'kind':'RUN'}}}",
        "{'message':{'attributes':{'kind':'wake','entry':'1f2'}}}",
        "{'message':{'attributes':{'kind':'wake','entry':'1F2E'}}}",
        "{'message':{'attributes':{'kind':'wake','entry':'1f2g'}}}",
        "{'message':{'attributes':{'kind':'run','worker':'-1'}}}",
        "{'message':{'attributes':{'kind':'run','worker':'x'}}}",
        "{'message':{'attributes':{'kind':'sweep','pass':'half'}}}"
      })
  void otherMessages_areDropped(String json) {
    assertThatThrownBy(() -> decode(json))
        .isInstanceOf(UnusableEventException.class)
        .hasMessageStartingWith("event dropped: expected ");
  }
}
