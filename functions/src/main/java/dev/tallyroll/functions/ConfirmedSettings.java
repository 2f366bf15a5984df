package dev.tallyroll.functions;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.store.Calls;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The settings with which totals were made, in a document of ours: a sweep with other settings
 * would replace every total by the sum of another field. The first sweep stores them; {@code
 * deploy} confirms others. Its methods must be called on the event loop of its calls, where futures
 * complete, too.
 */
public record ConfirmedSettings(Firestore firestore, Layout layout, Calls calls, Journal journal) {
  /** The mark: the layout's pattern of counters. */
  private static final String COUNTERS = "counters";

  /**
   * Whether they equal this function's settings; reports those that differ. Costs one document
   * read, the first time one write.
   */
  public CompletableFuture<Boolean> areOurs() {
    DocumentReference document = firestore.document(layout.settingsDocument());
    return calls
        .make(document::get)
        .thenCompose(
            found ->
                found.exists()
                    ? CompletableFuture.completedFuture(areOurs(found, layout, journal))
                    : calls
                        .compareAndSet(() -> document.create(encode(layout)))
                        .thenApply(Optional::isPresent));
  }

  private static Map<String, Object> encode(Layout layout) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(COUNTERS, layout.counters());
    layout.settings().forEach((name, value) -> fields.put(field(name), value));
    return fields;
  }

  /** If there is no document, or a foreign one, no setting is known to differ. */
  static boolean areOurs(DocumentSnapshot found, Layout layout, Journal journal) {
    Map<String, String> own = new TreeMap<>(layout.settings());
    Map<String, String> confirmed = new TreeMap<>(own);
    if (layout.counters().equals(found.get(COUNTERS))) {
      confirmed.replaceAll((name, same) -> found.get(field(name)) instanceof String it ? it : same);
    }
    if (!confirmed.equals(own)) {
      journal.write(
          Severity.ERROR,
          "totals were made with other settings, so nothing is swept: set those, or confirm these"
              + " by deploy, or in the document",
          Map.of(
              "document", layout.settingsDocument(),
              "expected", confirmed.toString(),
              "found", own.toString()));
    }
    return confirmed.equals(own);
  }

  private static String field(String setting) {
    return setting.toLowerCase(Locale.ROOT);
  }
}
