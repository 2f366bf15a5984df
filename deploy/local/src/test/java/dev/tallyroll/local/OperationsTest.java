package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentChange;
import com.google.firestore.v1.DocumentDelete;
import com.google.firestore.v1.ListenResponse;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.TargetChange;
import com.google.firestore.v1.Write;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import dev.tallyroll.local.Operations.Meter;
import org.junit.jupiter.api.Test;

final class OperationsTest {
  private static final Document DOCUMENT = Document.getDefaultInstance();

  private final Meter meter = new Meter();

  @Test
  void documentsThatAreThereAndThatAreNot_areReads() {
    answered(Meter.BATCH_GET, BatchGetDocumentsResponse.newBuilder().setFound(DOCUMENT));
    answered(Meter.BATCH_GET, BatchGetDocumentsResponse.newBuilder().setMissing("a/b"));
    meter.succeeded(Meter.BATCH_GET, new byte[0], false);

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  @Test
  void query_readsAtLeastOneDocument() {
    var time = RunQueryResponse.newBuilder().setReadTime(Timestamp.getDefaultInstance());
    meter.succeeded(Meter.QUERY, new byte[0], answered(Meter.QUERY, time));

    assertThat(meter.soFar()).isEqualTo(new Operations(1, 0, 0, 0));
  }

  /** After such an answer, the client does not wait for the end of the stream. */
  @Test
  void queryThatIsDone_countsBeforeItsEnd() {
    var none = RunQueryResponse.newBuilder().setDone(true);
    boolean counted = answered(Meter.QUERY, none);
    assertThat(meter.soFar()).isEqualTo(new Operations(1, 0, 0, 0));

    meter.answered(Meter.QUERY, none.build().toByteArray(), counted);
    meter.succeeded(Meter.QUERY, new byte[0], counted);
    assertThat(meter.soFar()).isEqualTo(new Operations(1, 0, 0, 0));
  }

  @Test
  void query_readsWhatItFinds() {
    var document = RunQueryResponse.newBuilder().setDocument(DOCUMENT);
    answered(Meter.QUERY, document);
    meter.succeeded(Meter.QUERY, new byte[0], answered(Meter.QUERY, document));

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  @Test
  void aggregation_isASum() {
    var result = AggregationResult.getDefaultInstance();
    answered(Meter.SUM, RunAggregationQueryResponse.newBuilder().setResult(result));
    meter.succeeded(Meter.SUM, new byte[0], false);

    assertThat(meter.soFar()).isEqualTo(new Operations(0, 1, 0, 0));
  }

  @Test
  void changesThatAListenerHears_areReads() {
    var answer = ListenResponse.newBuilder();
    answered(Meter.LISTEN, answer.setTargetChange(TargetChange.newBuilder()));
    answered(Meter.LISTEN, answer.setDocumentChange(DocumentChange.newBuilder()));
    answered(Meter.LISTEN, answer.setDocumentDelete(DocumentDelete.newBuilder()));
    meter.answered(Meter.LISTEN, new byte[] {1, 2, 3}, false);

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  @Test
  void commit_writesAndDeletes() {
    var write = Write.newBuilder().setUpdate(DOCUMENT).build();
    var delete = Write.newBuilder().setDelete("a/b").build();
    var commit =
        CommitRequest.newBuilder().addWrites(write).addWrites(write).addWrites(delete).build();

    meter.succeeded(Meter.COMMIT, commit.toByteArray(), false);

    assertThat(meter.soFar()).isEqualTo(new Operations(0, 0, 2, 1));
  }

  private boolean answered(String method, Message.Builder answer) {
    return meter.answered(method, answer.build().toByteArray(), false);
  }
}
