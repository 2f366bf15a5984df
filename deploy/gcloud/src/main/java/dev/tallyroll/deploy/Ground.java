package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** The collections of a canary. They are empty before it starts, and after it ends. */
record Ground(Cloud cloud, Console console, Deployment ours) {
  private static final int PAGE = 300;

  /** A canary makes a few hundred documents. */
  private static final int MOST_PAGES = 50;

  private static final String QUERY =
      """
      {"select":{"fields":[{"fieldPath":"__name__"}]},"limit":%d,\
      "from":[{"collectionId":"%s","allDescendants":true}]}""";

  List<String> collections() {
    return List.of(
        Paths.last(ours.get(Setting.COUNTERS)),
        ours.get(Setting.SHARDS_COLLECTION),
        ours.get(Setting.ROLLUPS_COLLECTION),
        ours.get(Setting.RUNS_COLLECTION),
        ours.get(Setting.INCREMENTS_COLLECTION));
  }

  /** A page of the documents that are there, by their full names. */
  List<String> documents() {
    List<String> found = new ArrayList<>();
    for (String collection : collections()) {
      found.addAll(names(QUERY.formatted(PAGE, collection)));
    }
    // Other deployments have live lists, too. In our own are entries of counters and of runs.
    found.addAll(names(State.liveList(ours, "s", ",\"limit\":" + PAGE)));
    return found;
  }

  private List<String> names(String query) {
    String url = DeploymentDocument.url(ours, "runQuery");
    JsonElement answer = console.askHttp(url, "{\"structuredQuery\":" + query + "}");
    return Json.objects(answer, "").stream()
        .map(one -> Json.text(one, "document.name"))
        .filter(name -> !name.isEmpty())
        .toList();
  }

  /** Deletes all documents; returns whether none is left. */
  boolean empty() {
    for (int page = 0; page < MOST_PAGES; page++) {
      List<String> names = documents();
      if (names.isEmpty()) {
        return true;
      }
      List<JsonObject> writes = names.stream().map(name -> Json.of("delete", name)).toList();
      for (int from = 0; from < writes.size(); from += PAGE) {
        List<JsonObject> some = writes.subList(from, Math.min(writes.size(), from + PAGE));
        String url = DeploymentDocument.url(ours, "commit");
        cloud.http("POST", url, DeploymentDocument.body(some));
      }
    }
    return false;
  }
}
