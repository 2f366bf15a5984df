package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.set;

import java.util.ArrayList;
import java.util.List;

/** What clients try to read, and to write beside shards, under any rule set. Stateless. */
final class AccessCases {

  private AccessCases() {}

  static List<RulesCase> of(Place place) {
    List<RulesCase> cases = new ArrayList<>();
    String shard = place.shard("0");
    String once = Call.increment(shard, place.field(), integer(1));
    cases.add(client(true, "getting a counter", place, Call.get(place.counter())));
    cases.add(client(true, "getting a shard", place, Call.get(shard)));
    cases.add(client(true, "getting a total", place, Call.get(place.rollup())));
    cases.add(stranger(true, "getting a total", place, Call.get(place.rollup())));
    cases.add(stranger(false, "getting a counter", place, Call.get(place.counter())));
    cases.add(stranger(false, "getting a shard", place, Call.get(shard)));
    cases.add(stranger(false, "an increment", place, commit(List.of(once))));
    lists(cases, place);
    writes(cases, place);
    return cases;
  }

  private static void lists(List<RulesCase> cases, Place place) {
    String shards = place.counter() + "/" + place.shards();
    cases.add(client(false, "listing shards", place, Call.list(shards)));
    cases.add(client(false, "listing counters", place, Call.list(parent(place.counter()))));
    cases.add(client(false, "listing totals", place, Call.list(parent(place.rollup()))));
    cases.add(client(false, "all shards of all counters", place, Call.group(place.shards())));
    cases.add(client(false, "a sum", place, Call.sum(place.shards(), place.field())));
  }

  private static void writes(List<RulesCase> cases, Place place) {
    String nine = "\"count\":" + integer(9);
    for (String path :
        List.of(
            place.rollup(),
            "rollups/@Cnew",
            "rollup_runs/0",
            place.counter(),
            place.counter() + "x",
            place.counter() + "/increments/n",
            "anything/else")) {
      String name = path.startsWith(place.counter() + "x") ? "a new counter" : path;
      cases.add(client(false, "writing " + name, place, commit(List.of(set(path, nine)))));
      cases.add(client(false, "deleting " + name, place, commit(List.of(Call.delete(path)))));
    }
    cases.add(client(false, "reading a run", place, Call.get("rollup_runs/0")));
    cases.add(client(false, "reading a name", place, Call.get(place.counter() + "/increments/n")));
  }

  private static String parent(String document) {
    return document.substring(0, document.lastIndexOf('/'));
  }

  private static RulesCase client(boolean allowed, String name, Place place, Call call) {
    return new RulesCase(name, allowed, "@U", given(place), call);
  }

  private static RulesCase stranger(boolean allowed, String name, Place place, Call call) {
    return new RulesCase(name + ", signed out", allowed, "", given(place), call);
  }

  private static List<String> given(Place place) {
    List<String> given = new ArrayList<>(place.seed());
    given.add(set(place.rollup(), "\"count\":" + integer(5)));
    return given;
  }
}
