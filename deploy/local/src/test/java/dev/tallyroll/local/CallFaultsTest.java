package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.CallFaults.Draw;
import dev.tallyroll.local.CallFaults.Fate;
import io.grpc.Status.Code;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CallFaultsTest {
  private static final String COMMIT = "google.firestore.v1.Firestore/Commit";
  private static final String QUERY = "google.firestore.v1.Firestore/RunQuery";
  private static final String LISTEN = "google.firestore.v1.Firestore/Listen";

  @Test
  void sameSeed_drawsTheSameFates() {
    assertThat(fates(CallFaults.everyKind(7), QUERY))
        .isEqualTo(fates(CallFaults.everyKind(7), QUERY));
    assertThat(fates(CallFaults.everyKind(7), QUERY))
        .isNotEqualTo(fates(CallFaults.everyKind(8), QUERY));
  }

  @ParameterizedTest
  @EnumSource(names = {"CALL_LATE", "CALL_REFUSED", "REPLY_LOST", "STREAM_BROKEN"})
  void everyKind_isDrawn(Occurrence fault) {
    assertThat(fates(CallFaults.everyKind(1), QUERY)).anyMatch(fate -> fate.is(fault));
  }

  @Test
  void none_leavesAllCallsAlone() {
    assertThat(fates(CallFaults.NONE, LISTEN)).containsOnly(Fate.UNDISTURBED);
    assertThat(fates(CallFaults.NONE, COMMIT)).containsOnly(Fate.UNDISTURBED);
  }

  @Test
  void commits_areNotBroken() {
    assertThat(fates(CallFaults.everyKind(1), COMMIT))
        .noneMatch(fate -> fate.is(Occurrence.STREAM_BROKEN));
  }

  @Test
  void listens_areLeftAloneOrBreakAfterAWhile() {
    assertThat(fates(CallFaults.everyKind(1), LISTEN))
        .allMatch(fate -> fate.fault().isEmpty() || fate.is(Occurrence.STREAM_BROKEN))
        .anyMatch(fate -> fate.after().compareTo(Duration.ofSeconds(1)) > 0);
  }

  @Test
  void delays_areMostlyShortAndSometimesPastTheDeadline() {
    var delays =
        fates(CallFaults.everyKind(1), COMMIT).stream()
            .filter(fate -> fate.is(Occurrence.CALL_LATE))
            .map(Fate::after)
            .sorted()
            .toList();

    assertThat(delays.get(delays.size() / 2)).isLessThan(Duration.ofSeconds(1));
    assertThat(delays.get(delays.size() - 1)).isGreaterThan(Duration.ofSeconds(10));
  }

  @Test
  void outcomeThatIsUnknown_isNeverCalledAborted() {
    assertThat(fates(CallFaults.losingReplies(1, 1), COMMIT))
        .allMatch(fate -> fate.is(Occurrence.REPLY_LOST))
        .noneMatch(fate -> fate.code() == Code.ABORTED);
  }

  @Test
  void outage_refusesEveryCall() {
    assertThat(fates(CallFaults.outage(1), COMMIT))
        .allMatch(fate -> fate.is(Occurrence.CALL_REFUSED));
  }

  private static List<Fate> fates(CallFaults faults, String method) {
    var plan = new Draw(faults);
    return Stream.generate(() -> plan.next(method)).limit(2_000).toList();
  }
}
