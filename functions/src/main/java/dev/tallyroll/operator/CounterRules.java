package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.operator.RulesOptions.Variant;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.EntryRules;
import java.util.EnumSet;
import java.util.Objects;
import java.util.stream.Stream;

/** Rules for shards that clients increment: plain, or strict, by which each commit has a pass. */
final class CounterRules {
  private static final Template PLAIN_HEAD =
      new Template(
          """
          // Rules for distributed counters. A signed-in client may
          //   - get a shard, and a counter's document with its number of shards;
          //   - <raise> the count of a shard that exists by exactly 1, as <increments>.
          // Everybody may get a total. Only servers create counters and shards.
          //
          // A transaction that reads a shard, adds 1 and writes the sum, as in Google's older samples, is refused if another user was faster.
          //
          // These rules do not stop
          //   - a signed-in script that adds 1 as often as it likes, or to every shard in one commit;
          //   - one person with many accounts;
          //   - anyone who reads totals again and again at your expense;
          //   - a server: no rule binds its SDK.
          // Against the first, take "rules": "strict"; or count on servers only, and delete the `allow update`.
          """);

  private static final Template STRICT_HEAD =
      new Template(
          """
          // Rules for distributed counters that also hold against scripts: one shard a commit, and
          // <at most>.
          // A client <raises> a shard by 1 and,
          // in the same commit, writes its pass, which is one more billed write:
          //
          //   <pass>
          //
          <offline>
          // A click that has counted is refused, too, if its reply was lost and the SDK sends it again. The user's pass tells.
          //
          // What these rules cannot stop: one person with many accounts (turn anonymous sign-in off, use App Check);
          <day and night>
          // anyone who reads totals again and again at your expense; what another rule of yours allows for the same documents, since one is
          // enough. Rules never bind server SDKs.
          """);

  private static final Template BODY =
      new Template(
          """
          <keeps>

          function signedIn_<name>() {
            return request.auth != null;
          }

          // What the functions count of a shard: its number. What is no number goes for nothing, and an increment replaces it.
          function counted_<name>(shard) {
            return shard.get(['<field>'], 0) is number ? shard.get(['<field>'], 0) : 0;
          }

          // Clients also count on what others have left there, or such a shard would refuse them for ever.
          function changedBy_<name>(before, after, step) {
            return after.diff(before).affectedKeys() == ['<field>'].toSet()
              // An increment of a double stays one, and nobody else makes any.
              && (after.<field> is int || before.<field> is float)
              // The integers that every client can hold.
              && after.<field> <= 9007199254740991
              && after.<field> >= -9007199254740991
              && after.<field> == counted_<name>(before) + step;
          }

          <or less>
          function oneMore_<name>(before, after) {
            return <changed>;
          }

          <who may count>

          <totals>

          // Clients may read a counter for its number of shards<other fields>
          match /<counters>/{counter} {
            allow get: if <signed in>
              <and no other field>;
          }

          <matches>
          """);

  /** Under which parents clients may count, where counters are under any. */
  private static final String MAY_COUNT =
      """
      // May clients count below this parent? Its path is '/' at the root. Under the documents of rooms, this would be
      //   return parent.matches('/rooms/[^/]+');
      // The rules do not compare the parent in a mark.
      function mayCount_<name>(parent) { return false; }
      """;

  private static final String PLAIN_MATCHES =
      """
      match /<counters>/{counter}/<shards>/{shard} {
        allow get: if <signed in>
          && resource.data.keys().hasOnly(['<field>']);
        allow update: if <signed in>
          && oneMore_<name>(resource.data, request.resource.data);
      }

      // Nothing else is allowed here: not the functions' own rollup_runs, no create, no delete.
      """;

  private static final String IS_PASS =
      """
      // Nobody can keep data of their own in a pass: it has no other field, `at` is the time of this commit, and `shard` names
      // an existing document, or get() below fails. The shard's rule checks again, since another rule may allow the pass.
      function isPass_<name>(pass) {
        return pass.keys().hasOnly(['at', 'shard'])
          && pass.at == request.time<and is an id>;
      }

      // Was this pass written by this very commit, for this very shard?
      function pays_<name>(pass, shard) {
        return isPass_<name>(pass)
          && pass.shard == shard;
      }
      """;

  private static final String STRICT_MATCHES =
      """
      match /<counters>/{counter}/<shards>/{shard} {
        // Only a signed-in client has a uid, and so a pass.
        function passPath_<name>() {
          return /databases/$(database)/documents/<passes path>/$(request.auth.uid);
        }

        function shardPath_<name>() {
          return <paid shard>;
        }

        allow get: if <signed in>
          && resource.data.keys().hasOnly(['<field>']);
        allow update: if oneMore_<name>(resource.data, request.resource.data)
          && pays_<name>(getAfter(passPath_<name>()).data, shardPath_<name>());
      }

      // Clients never delete a pass, and never write another user's, which would lock that user out. A pass names its shard.
      function maySpend_<name>(uid, shardPath) {
        return request.auth.uid == uid
          && isPass_<name>(request.resource.data)
          && spent_<name>(get(shardPath).data, getAfter(shardPath).data)
          <and rested>;
      }

      // Does this very commit change the shard? Then the shard's own rule has seen that this pass names it, and when.
      function spent_<name>(before, after) {
        return counted_<name>(after) != counted_<name>(before);
      }

      <rested>

      match /<passes>/{uid} {
        // Users see <what they did>, also if the reply was lost.
        allow get: if request.auth.uid == uid;
        allow <writes>: if maySpend_<name>(uid, <named shard>);
      }

      // Nothing else is allowed here: not the functions' own rollup_runs, no other create, no delete.
      """;

  private static final String RESTED =
      """
      function rested_<name>() {
        return resource == null
          // Once a second. The stored time is the server's.
          || resource.data.at + duration.value(1, 's') < request.time;
      }
      """;

  private static final String OFFLINE =
      """
      // Clicks that were made offline arrive together: those within a second of the first are refused, and the SDK drops them. Let them
      // wait in the app, as the recipes show, or take the plain rules and App Check.
      """;

  private final Entry entry;
  private final boolean isStrict;
  private final String field;
  private final RulesPath counters;
  private final RulesOptions options;

  private CounterRules(Entry entry, boolean isStrict, RulesPath counters, RulesOptions options) {
    this.entry = entry;
    this.isStrict = isStrict;
    this.field = entry.layout().countField();
    this.counters = counters;
    this.options = options;
  }

  static Template of(Entry entry, EntryRules kind, RulesPath counters, RulesOptions options) {
    CounterRules rules =
        new CounterRules(entry, kind.kind() == EntryRules.RulesKind.STRICT, counters, options);
    rules.check();
    return rules.text();
  }

  private void check() {
    if (!field.matches(FieldName.NAME)) {
      throw Names.refusal(
          entry + ".sum",
          "a field's name, as these rules are for shards that clients increment (for documents that"
              + " are counted as they are, take the rules own)",
          field);
    }
    if (counters.isAnywhere()) {
      if (isStrict) {
        throw Names.refusal(
            entry + ".rules",
            "plain for counters under any parent, since a pass names the path of its shard",
            "strict");
      }
      options.requireVariants(
          EnumSet.of(Variant.DOWN, Variant.MORE),
          "down or more for counters under any parent, as list makes every document in a"
              + " collection of roll-ups public");
    } else if (isStrict) {
      options.requireVariants(
          EnumSet.of(Variant.ONCE, Variant.DOWN, Variant.LIST, Variant.MORE),
          "some of once, down, list and more with the rules strict");
    } else {
      options.requireVariants(
          EnumSet.of(Variant.DOWN, Variant.LIST, Variant.MORE),
          "some of down, list and more with the rules plain, as once needs strict");
    }
  }

  private Template text() {
    return steps(mode(ClientRules.whole(isStrict ? STRICT_HEAD : PLAIN_HEAD, BODY)))
        .with(
            "other fields",
            options.has(Variant.MORE)
                ? ", whatever other fields it has."
                : ". A document with other fields may be the app's own.")
        .with(
            "and no other field",
            !options.has(Variant.MORE),
            "&& resource.data.keys().hasOnly(%s)".formatted(RulesPath.list(fields())))
        .with("signed in", "signedIn_<name>()<and may count>")
        .with("and may count", counters.isAnywhere(), " && mayCount_<name>(string(parent))")
        .with("field", field);
  }

  /** The fields that a counter's own document may have. */
  private Stream<String> fields() {
    Stream<String> library = Stream.of("num_shards", "numShards", "reset_id", options.numShards());
    Stream<String> shown =
        Stream.of(Figure.values())
            .map(entry.fields()::get)
            .filter(Objects::nonNull)
            .map(FieldName::first);
    return Stream.concat(library, shown).distinct();
  }

  /** By how much a client may change a shard. */
  private Template steps(Template text) {
    return options.has(Variant.DOWN)
        ? text.with("raise", "raise or lower")
            .with("raises", "raises or lowers")
            .with("increments", "`increment(1)` and `increment(-1)` do")
            .with("or less", "// Or one less.")
            .with(
                "changed",
                "changedBy_<name>(before, after, 1) || changedBy_<name>(before, after, -1)")
        : text.with("raise", "raise")
            .with("raises", "raises")
            .with("increments", "`increment(1)` does")
            .with("or less", "")
            .with("changed", "changedBy_<name>(before, after, 1)");
  }

  private Template mode(Template text) {
    if (!isStrict) {
      return text.with("who may count", counters.isAnywhere(), MAY_COUNT)
          .with("matches", PLAIN_MATCHES);
    }
    Template strict = text.with("who may count", IS_PASS).with("matches", STRICT_MATCHES);
    return (options.has(Variant.ONCE) ? once(strict) : eachSecond(strict))
        .with(
            "shards path", "/databases/$(database)/documents/<counters path>/$(counter)/<shards>");
  }

  /** The pass lies below the counter, and stays. */
  private static Template once(Template strict) {
    return strict
        .with("at most", "one increment of a counter for each user, for ever")
        .with("pass", "/<passes>/{uid} = { at: serverTimestamp(), shard: '3' }")
        .with("offline", "")
        .with("day and night", "")
        .with("and is an id", " && pass.shard is string")
        .with("paid shard", "shard")
        .with("and rested", "")
        .with("rested", "")
        .with("what they did", "whether they have counted")
        .with("writes", "create")
        .with("named shard", "<shards path>/$(request.resource.data.shard)")
        .with("passes", "<counters>/{counter}/passes")
        .with("passes path", "<counters path>/$(counter)/passes");
  }

  /** A user has one pass for all counters, with the time of the last increment. */
  private static Template eachSecond(Template strict) {
    return strict
        .with("at most", "one increment a second for each user")
        .with(
            "pass",
            "<passes>/{uid} = { at: serverTimestamp(), shard: (a reference to)"
                + " <counters>/likes/<shards>/3 }")
        .with("offline", OFFLINE)
        .with(
            "day and night",
            "// a user who increments once a second day and night (take the variant `once`);")
        .with("and is an id", "")
        .with("paid shard", "<shards path>/$(shard)")
        .with("and rested", "&& rested_<name>()")
        .with("rested", RESTED)
        .with("what they did", "when they have counted last")
        .with("writes", "create, update")
        .with("named shard", "request.resource.data.shard")
        .with("passes", "passes")
        .with("passes path", "passes");
  }
}
