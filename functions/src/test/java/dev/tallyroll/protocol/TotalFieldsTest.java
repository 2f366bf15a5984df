package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.failed;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;
import static org.mockito.Mockito.when;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.protocol.RollupWriter.Written;
import dev.tallyroll.protocol.TotalFields.Found;
import dev.tallyroll.protocol.TotalFields.Place;
import dev.tallyroll.protocol.TotalFields.Versions;
import dev.tallyroll.runs.EventLoop;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Writes of figures into the counter's own document; a script answers the calls. */
class TotalFieldsTest {
  private static final FieldName PATH = FieldName.of("stats", "likes");
  private static final Map<Figure, FieldName> TOTAL = Map.of(Figure.TOTAL, PATH);
  private static final Map<Figure, FieldName> ALL =
      Map.of(
          Figure.TOTAL, PATH,
          Figure.NUMBER, FieldName.of("ratings"),
          Figure.AVERAGE, FieldName.of("stats", "average"));

  private final RollupStore rollups = mock(RollupStore.class);
  private final TotalFields.Documents documents = mock(TotalFields.Documents.class);
  private final EventLoop loop = mock(EventLoop.class);
  private final CompletableFuture<Void> twoSeconds = new CompletableFuture<>();
  private final List<String> errors = new ArrayList<>();
  private final TotalFields field = writer(TOTAL);

  private TotalFields writer(Map<Figure, FieldName> fields) {
    return new TotalFields(
        rollups,
        documents,
        fields,
        loop,
        (severity, message, values) -> errors.add(severity + " " + values));
  }

  @BeforeEach
  void answer() {
    when(loop.instant()).thenReturn(T);
    when(loop.after(any())).thenReturn(twoSeconds);
  }

  /** A change of the roll-up that was written at this second. */
  private static Change change(double version) {
    return Change.update(rollup(1, version, noLease()), sum(2, version + 1), noLease());
  }

  private static Optional<Instant> version(double second) {
    return Optional.of(at(second));
  }

  private static Place place(double version) {
    return new Place(at(version), Set.of(Figure.TOTAL));
  }

  private static Found free(double version) {
    return new Found(version(version), Map.of(), Map.of());
  }

  private static Found obstructed(double version) {
    return new Found(version(version), Map.of(), Map.of(Figure.TOTAL, "a text in stats"));
  }

  private static Optional<Versions> written(double second) {
    return Optional.of(new Versions(at(second), version(second)));
  }

  private static Optional<Versions> writtenAlone(double second) {
    return Optional.of(new Versions(at(second), Optional.empty()));
  }

  private void found(Found first) {
    when(documents.find(LIKES)).thenReturn(done(first));
  }

  private void answer(Change change, double document, Optional<Versions> answer) {
    when(documents.commit(LIKES, change, place(document))).thenReturn(done(answer));
  }

  private void answerAlone(Change change, Optional<Instant> answer) {
    when(rollups.write(LIKES, change)).thenReturn(done(answer.map(Written::new)));
  }

  private Optional<Instant> write(Change change) {
    return field.write(LIKES, change).join().map(Written::version);
  }

  /** Writes at 2, from a document of 1. */
  private void writeFirst() {
    found(free(1));
    answer(change(0), 1, written(2));
    assertThat(write(change(0))).isEqualTo(version(2));
  }

  @Test
  void hotCounter_costsOneReadForAllItsWrites() {
    writeFirst();
    answer(change(2), 2, written(3));
    answer(change(3), 3, written(4));

    assertThat(write(change(2))).isEqualTo(version(3));
    assertThat(write(change(3))).isEqualTo(version(4));

    verify(documents).find(LIKES);
    verify(documents).commit(LIKES, change(2), place(2));
    verify(documents).commit(LIKES, change(3), place(3));
  }

  /** Another instance has written both. */
  @Test
  void rollupOfAnother_hasTheDocumentReadAgain() {
    writeFirst();
    found(free(5));
    answer(change(5), 5, written(6));

    assertThat(write(change(5))).isEqualTo(version(6));
  }

  @Test
  void documentThatTheAppHasWritten_isReadOnceAndWritten() {
    writeFirst();
    found(free(2.5));
    answer(change(2), 2, Optional.empty());
    answer(change(2), 2.5, written(3));

    assertThat(write(change(2))).isEqualTo(version(3));
  }

  @Test
  void thirdRefusal_leavesTheRollupAlone() {
    writeFirst();
    when(documents.find(LIKES)).thenReturn(done(free(2.5))).thenReturn(done(free(2.6)));
    answer(change(2), 2, Optional.empty());
    answer(change(2), 2.5, Optional.empty());
    answer(change(2), 2.6, Optional.empty());
    answerAlone(change(2), version(3));

    assertThat(write(change(2))).isEqualTo(version(3));

    found(free(4));
    answer(change(3), 4, written(5));
    assertThat(write(change(3))).isEqualTo(version(5));
  }

  /**
   * Another deployment shows its figures there, too: so a commit at the known version is in vain.
   */
  @Test
  void documentThatSomebodyElseWritesAllTheTime_isReadFirst() {
    writeFirst();
    found(free(2.5));
    answer(change(2), 2, Optional.empty());
    answer(change(2), 2.5, written(3));
    write(change(2));
    found(free(3.5));
    answer(change(3), 3.5, written(4));
    assertThat(write(change(3))).isEqualTo(version(4));
    verify(documents, never()).commit(LIKES, change(3), place(3));

    found(free(4)); // now nobody else does
    answer(change(4), 4, written(5));
    answer(change(5), 5, written(6));
    write(change(4));
    assertThat(write(change(5))).isEqualTo(version(6));
    verify(documents, times(4)).find(LIKES);
  }

  /** Two deployments have read the same version. */
  @Test
  void documentThatIsWrittenBetween_isReadAgain() {
    when(documents.find(LIKES)).thenReturn(done(free(1))).thenReturn(done(free(1.5)));
    answer(change(0), 1, Optional.empty());
    answer(change(0), 1.5, written(2));

    assertThat(write(change(0))).isEqualTo(version(2));
  }

  @Test
  void refusalForTheRollup_isOne() {
    writeFirst();
    found(free(2));
    answer(change(2), 2, Optional.empty());
    answerAlone(change(2), Optional.empty());

    assertThat(write(change(2))).isEmpty();
  }

  @Test
  void obstacle_staysAndIsToldAndLookedAtOnceAMinute() {
    found(obstructed(1));
    answerAlone(change(0), version(1));
    answerAlone(change(1), version(2));

    write(change(0));
    write(change(1));

    verify(documents).find(LIKES);
    assertThat(errors).hasSize(1);
    assertThat(errors.get(0))
        .contains("document=counters/likes", "a number or nothing in stats.likes")
        .contains("found=a text in stats");

    when(loop.instant()).thenReturn(at(60));
    found(free(59));
    answer(change(2), 59, written(60));
    assertThat(write(change(2))).isEqualTo(version(60));
  }

  /** It became something else between the two commits. */
  @Test
  void obstacleOfLater_isSeenByTheRefusal() {
    writeFirst();
    answer(change(2), 2, Optional.empty());
    found(obstructed(2.5));
    answerAlone(change(2), version(3));

    assertThat(write(change(2))).isEqualTo(version(3));
    assertThat(errors).hasSize(1);
  }

  @Test
  void missingDocument_isNotMade() {
    found(Found.MISSING);
    answerAlone(change(0), version(1));

    assertThat(write(change(0))).isEqualTo(version(1));
    assertThat(errors).isEmpty();
  }

  /** A transaction of the app's locks it. The first call may have been carried out meanwhile. */
  @Test
  void callThatTakesTooLong_isCancelledAndTheRollupWrittenAlone() {
    writeFirst();
    CompletableFuture<Optional<Versions>> slow = new CompletableFuture<>();
    when(documents.commit(LIKES, change(2), place(2))).thenReturn(slow);
    answerAlone(change(2), version(4));
    CompletableFuture<Optional<Written>> answer = field.write(LIKES, change(2));
    assertThat(answer).isNotDone();

    twoSeconds.complete(null);

    assertThat(answer).isCompletedWithValue(Optional.of(new Written(at(4))));
    assertThat(slow).isCancelled();
  }

  @Test
  void readThatTakesTooLong_leavesTheRollupAlone() {
    when(documents.find(LIKES)).thenReturn(new CompletableFuture<>());
    answerAlone(change(0), version(3));
    CompletableFuture<Optional<Written>> answer = field.write(LIKES, change(0));

    twoSeconds.complete(null);

    assertThat(answer).isCompletedWithValue(Optional.of(new Written(at(3))));
  }

  @Test
  void failedCall_fails() {
    found(free(1));
    when(documents.commit(LIKES, change(0), place(1))).thenReturn(failed("unavailable"));

    assertThat(field.write(LIKES, change(0))).isCompletedExceptionally();
  }

  @Test
  void fullDocument_isLeftForAMinute() {
    found(free(1));
    answer(change(0), 1, writtenAlone(2));
    answerAlone(change(2), version(3));

    write(change(0));
    write(change(2));

    verify(rollups).write(LIKES, change(2));
    verify(documents).find(LIKES);
  }

  @Test
  void changeWithoutATotal_doesNotTouchTheDocument() {
    Change end = Change.end(rollup(1, 1, leaseUntil(1)), Optional.empty());
    answerAlone(end, version(2));

    assertThat(write(end)).isEqualTo(version(2));
    verify(rollups).write(LIKES, end);
    verifyNoMoreInteractions(documents);
  }

  @Test
  void sweep_seesAFieldThatLags_andEndsItsBeingLeft() {
    found(Found.MISSING);
    answerAlone(change(0), version(1));
    write(change(0));
    assertThat(shows(1)).isTrue();
    found(obstructed(1));
    assertThat(shows(1)).isTrue();

    found(free(2));
    assertThat(shows(1)).isFalse();

    answer(change(1), 2, written(3));
    assertThat(write(change(1))).isEqualTo(version(3));
    found(Found.of(at(3), Map.of("stats", Map.of("likes", 2L)), TOTAL));
    assertThat(shows(2)).isTrue();
    assertThat(shows(1)).isFalse();
  }

  private boolean shows(long total) {
    return field.shows(LIKES, sum(total, 9)).join();
  }

  private static Found number(Number number) {
    return new Found(version(1), Map.of(Figure.TOTAL, Total.of(number)), Map.of());
  }

  /** Nothing is lost that cannot be put back. The roll-up was 1, and becomes 2. */
  @Test
  void numberOfTheApps_isToldBeforeItIsReplaced() {
    answer(change(0), 1, written(2));
    for (Number known : List.of(1L, 2L, 1.0, 2.0)) {
      found(number(known));
      write(change(0));
    }
    assertThat(errors).isEmpty();

    found(number(1234L));
    documentsAnswerNot();
    write(change(0));
    write(change(0));

    assertThat(errors)
        .singleElement()
        .asString()
        .startsWith("WARNING")
        .contains("was=1234", "is=2", "field=stats.likes", "document=counters/likes");
  }

  private void documentsAnswerNot() {
    twoSeconds.complete(null);
    when(documents.commit(any(), any(), any())).thenAnswer(call -> new CompletableFuture<>());
    when(rollups.write(any(), any())).thenReturn(done(Optional.of(new Written(at(3)))));
  }

  /** Apps make posts with likes: 0. */
  @Test
  void zeroWithoutARollup_isNobodys() {
    Change first = Change.createQuiet(sum(3, 1));
    found(number(0L));
    answer(first, 1, written(2));
    write(first);
    assertThat(errors).isEmpty();

    found(number(7L));
    write(first);
    assertThat(errors).singleElement().asString().contains("was=7", "is=3");
  }

  @Test
  void numberOrNothing_isFree() {
    for (Map<String, ?> fields :
        List.<Map<String, ?>>of(
            Map.of(),
            Map.of("stats", Map.of("views", "a text")),
            Map.of("stats", Map.of("likes", 7L)),
            Map.of("stats", Map.of("likes", Double.NaN)),
            Map.of("likes", "a text"))) {
      assertThat(Found.of(T, fields, TOTAL).obstacles()).as("%s", fields).isEmpty();
    }
  }

  @Test
  void somethingElse_isAnObstacle() {
    assertThat(obstacle(Map.of("stats", "x"))).contains("a text in stats");
    assertThat(obstacle(Map.of("stats", 7L))).contains("a number in stats");
    assertThat(obstacle(Collections.singletonMap("stats", null))).contains("null in stats");
    assertThat(obstacle(Map.of("stats", List.of()))).contains("a list in stats");
    assertThat(likes("x")).contains("a text in stats.likes");
    assertThat(likes(List.of("alice"))).contains("a list in stats.likes");
    assertThat(likes(Map.of())).contains("a map in stats.likes");
    assertThat(obstacle(Map.of("stats", Collections.singletonMap("likes", null))))
        .contains("null in stats.likes");
  }

  private static Optional<String> likes(Object value) {
    return obstacle(Map.of("stats", Map.of("likes", value)));
  }

  private static Optional<String> obstacle(Map<String, ?> fields) {
    return Optional.ofNullable(Found.of(T, fields, TOTAL).obstacles().get(Figure.TOTAL));
  }

  @Test
  void threeFigures_areInOneCommit() {
    Change ratings = Change.update(rollup(1, 1, noLease()), sum(9, 2, 2), noLease());
    Place all = new Place(at(1), ALL.keySet());
    found(free(1));
    when(documents.commit(LIKES, ratings, all)).thenReturn(done(written(3)));

    assertThat(writer(ALL).write(LIKES, ratings).join()).isEqualTo(Optional.of(new Written(at(3))));
    assertThat(Figure.TOTAL.of(sum(9, 2, 2))).isEqualTo(new Total.Whole(9));
    assertThat(Figure.NUMBER.of(sum(9, 2, 2))).isEqualTo(new Total.Whole(2));
    assertThat(Figure.AVERAGE.of(sum(9, 2, 2))).isEqualTo(new Total.Fraction(4.5));
    assertThat(Figure.AVERAGE.of(sum(0, 0, 2))).isEqualTo(new Total.Fraction(0));
  }

  /** Also at the next write, which reads nothing. */
  @Test
  void fieldThatCannotBeWritten_keepsNoOtherFromBeingWritten() {
    Map<String, ?> document = Map.of("ratings", List.of("alice"), "stats", Map.of("likes", 1L));
    found(Found.of(at(1), document, ALL));
    Set<Figure> others = Set.of(Figure.TOTAL, Figure.AVERAGE);
    when(documents.commit(LIKES, change(0), new Place(at(1), others))).thenReturn(done(written(2)));
    when(documents.commit(LIKES, change(2), new Place(at(2), others))).thenReturn(done(written(3)));
    TotalFields three = writer(ALL);

    three.write(LIKES, change(0)).join();
    assertThat(three.write(LIKES, change(2)).join()).isEqualTo(Optional.of(new Written(at(3))));

    verify(documents).find(LIKES);
    assertThat(errors).singleElement().asString().contains("a list in ratings");
  }

  @Test
  void sweep_seesEachFigure() {
    TotalFields three = writer(ALL);
    Map<String, ?> stats = Map.of("likes", 9L, "average", 4.5);
    found(Found.of(at(1), Map.of("ratings", 2L, "stats", stats), ALL));
    assertThat(three.shows(LIKES, sum(9, 2, 2)).join()).isTrue();
    assertThat(three.shows(LIKES, sum(9, 3, 2)).join()).isFalse();
    assertThat(three.shows(LIKES, sum(8, 2, 2)).join()).isFalse();

    found(Found.of(at(1), Map.of("ratings", 2L, "stats", "a text"), ALL));
    assertThat(three.shows(LIKES, sum(9, 2, 2)).join()).isTrue();
  }

  /** So somebody comes back to them. */
  @Test
  void fieldsThatAreRefused_areOwed() {
    Change other = Change.begin(rollup(1, 1, noLease()), sum(2, 2), at(2));
    Change owing = change(0).orOwing(Optional.of(other));
    when(documents.find(LIKES)).thenReturn(done(free(1))).thenReturn(done(free(1.5)));
    answer(owing, 1, Optional.empty());
    answer(owing, 1.5, Optional.empty());
    answerAlone(other, version(3));

    assertThat(field.write(LIKES, owing).join())
        .isEqualTo(Optional.of(new Written(at(3), /* owesFields= */ true)));
  }

  @Test
  void obstructedFields_areNotOwed() {
    Change owing =
        change(0).orOwing(Optional.of(Change.begin(rollup(1, 1, noLease()), sum(2, 2), at(2))));
    found(obstructed(1));
    answerAlone(owing, version(3));

    assertThat(write(owing)).isEqualTo(version(3));
  }

  /** The document was seen; if it has gone since, the roll-up goes, too. */
  @Test
  void zeroForADocumentThatHasGone_isRefused() {
    found(Found.MISSING);
    answerAlone(change(0), version(1));
    write(change(0)); // is left alone from now on
    Sum zero = sum(0, 0, 2).over(Remains.OWN_DOCUMENT);
    Change emptied = Change.update(rollup(1, 1, noLease()), zero, noLease());

    assertThat(write(emptied)).isEmpty();

    Sum uncounted = sum(0, 0, 2).over(Remains.UNCOUNTED);
    Change without = Change.update(rollup(1, 1, noLease()), uncounted, noLease());
    answerAlone(without, version(3));
    assertThat(write(without)).isEqualTo(version(3));
  }
}
