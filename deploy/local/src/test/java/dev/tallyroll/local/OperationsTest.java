package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

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
import com.google.protobuf.Timestamp;
import dev.tallyroll.local.Operations.Meter;
import org.junit.jupiter.api.Test;

final class OperationsTest {
  private static final byte[] NOTHING = {};

  private final Meter meter = new Meter();

  @Test
  void documentsThatAreThereAndThatAreNot_areReads() {
    meter.answered(
        Meter.BATCH_GET,
        BatchGetDocumentsResponse.newBuilder()
            .setFound(Document.newBuilder())
            .build()
            .toByteArray());
    meter.answered(
        Meter.BATCH_GET,
        BatchGetDocumentsResponse.newBuilder().setMissing("a/b").build().toByteArray());
    meter.succeeded(Meter.BATCH_GET, NOTHING, false);

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  @Test
  void query_readsAtLeastOneDocument() {
    var time = RunQueryResponse.newBuilder().setReadTime(Timestamp.getDefaultInstance());
    boolean found = meter.answered(Meter.QUERY, time.build().toByteArray());
    meter.succeeded(Meter.QUERY, NOTHING, found);

    assertThat(found).isFalse();
    assertThat(meter.soFar()).isEqualTo(new Operations(1, 0, 0, 0));
  }

  @Test
  void query_readsWhatItFinds() {
    var document = RunQueryResponse.newBuilder().setDocument(Document.newBuilder());
    boolean found = meter.answered(Meter.QUERY, document.build().toByteArray());
    meter.answered(Meter.QUERY, document.build().toByteArray());
    meter.succeeded(Meter.QUERY, NOTHING, found);

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  @Test
  void aggregation_isASum() {
    var sum = RunAggregationQueryResponse.newBuilder();
    sum.getResultBuilder();
    meter.answered(Meter.SUM, sum.build().toByteArray());
    meter.succeeded(Meter.SUM, NOTHING, false);

    assertThat(meter.soFar()).isEqualTo(new Operations(0, 1, 0, 0));
  }

  @Test
  void changesThatAListenerHears_areReads() {
    hear(ListenResponse.newBuilder().setTargetChange(TargetChange.newBuilder()));
    hear(ListenResponse.newBuilder().setDocumentChange(DocumentChange.newBuilder()));
    hear(ListenResponse.newBuilder().setDocumentDelete(DocumentDelete.newBuilder()));
    meter.answered(Meter.LISTEN, new byte[] {1, 2, 3});

    assertThat(meter.soFar()).isEqualTo(new Operations(2, 0, 0, 0));
  }

  private void hear(ListenResponse.Builder answer) {
    meter.answered(Meter.LISTEN, answer.build().toByteArray());
  }

  @Test
  void commit_writesAndDeletes() {
    var commit =
        CommitRequest.newBuilder()
            .addWrites(Write.newBuilder().setUpdate(Document.newBuilder()))
            .addWrites(Write.newBuilder().setUpdate(Document.newBuilder()))
            .addWrites(Write.newBuilder().setDelete("a/b"));

    meter.succeeded(Meter.COMMIT, commit.build().toByteArray(), false);

    assertThat(meter.soFar()).isEqualTo(new Operations(0, 0, 2, 1));
  }
}
