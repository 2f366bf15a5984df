package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.DeployCase.fails;
import static dev.tallyroll.deploy.DeployCase.passes;
import static dev.tallyroll.deploy.DeployCase.refused;

import java.util.Arrays;
import java.util.stream.Stream;

/** All that is in deploy's way, in groups, and beside each group what looks alike and is not. */
final class DeployCases {
  private DeployCases() {}

  /** All cases. */
  static Stream<DeployCase> all() {
    return Stream.of(
            others(),
            indexes(),
            counters(),
            folds(),
            totals(),
            sums(),
            database(),
            settings(),
            options(),
            platform())
        .flatMap(cases -> cases);
  }

  /** Danger 2: what somebody else has made, and danger 3: what lies where ours would. */
  private static Stream<DeployCase> others() {
    return Stream.of(
            group(
                "danger 2: others' things",
                refused()
                    .with("functions/tallyroll-roll-up", "state=ACTIVE")
                    .says("tallyroll-roll-up: expected the mark of the deployment tallyroll"),
                refused()
                    .with("functions/tallyroll-on-shard-written", "tallyroll=other")
                    .says("found 'other'. It is somebody else's: take another NAME"),
                refused()
                    .with("topics/rollup", "x")
                    .says("pubsub topics rollup: expected the mark"),
                refused()
                    .with("jobs/tallyroll-run", "description=theirs")
                    .says("found 'theirs'. It is somebody else's: take another NAME"),
                refused()
                    .with(
                        "accounts/tallyroll-build@p.iam.gserviceaccount.com", "description=theirs")
                    .says("It is somebody else's: take another NAME"),
                refused()
                    .beside("tallyroll", "COUNTERS=other")
                    .says("NAME: expected one that no other deployment has")),
            group(
                "danger 3: others' documents",
                refused()
                    .documents("rollups", "tenants/t/rollups/a|")
                    .says("ROLLUPS_COLLECTION: expected documents of counters only"),
                refused()
                    .documents("rollups", "tenants/t/rollups/a|tenants/t/counters/b")
                    .says("found tenants/t/rollups/a. Name another collection"),
                refused()
                    .documents("increment_names", "polls/p/increment_names/x|")
                    .says("INCREMENTS_COLLECTION: expected documents of counters")),
            group(
                "danger 3: ours",
                passes()
                    .documents("rollups", "tenants/t/rollups/a|tenants/t/counters/a")
                    .documents("increment_names", "counters/a/increment_names/x|"),
                passes()
                    .documents("rollups", "rollups/a|counters/a")
                    .documents("increment_names", "rooms/r/counters/a/increment_names/x|"),
                passes().documents("rollups", "rollups/a|others/a")))
        .flatMap(cases -> cases);
  }

  /** Danger 3: indexes and policies, which fields of other collections may have. */
  private static Stream<DeployCase> indexes() {
    return Stream.of(
            group(
                "danger 3: others' indexes",
                refused().fields("rollups|as_of|2").says("found 2 indexes"),
                refused().fields("shards|count|0").says("SUM: expected an index on shards.count"),
                refused()
                    .fields("shards|count|0")
                    .says(
                        "update count --collection-group=shards --database='(default)' "
                            + "--clear-exemption --project=p"),
                refused()
                    .fields("shards|count|0", "__default__|*|0")
                    .says(
                        "update count --collection-group=shards --database='(default)' "
                            + "--index=order=ascending --project=p"),
                refused()
                    .fields("__default__|*|0")
                    .says("found an exemption of __default__.*, of a deployment that is gone"),
                refused()
                    .fields("shards|*|0", "__default__|*|4")
                    .says("found an exemption of shards.*,"),
                refused()
                    .settings("COUNT_FIELD=a.b.c")
                    .fields("shards|a.b.c|0")
                    .says(
                        "update a.b.c --collection-group=shards --database='(default)' "
                            + "--clear-exemption --project=p"),
                refused()
                    .settings("COUNT_FIELD=a.b.c")
                    .fields("shards|a.b|0", "shards|a|2")
                    .says("found an exemption of shards.a.b,"),
                refused()
                    .settings("COUNT_FIELD=a.b.c")
                    .fields("shards|a|0", "shards|*|2")
                    .says(
                        "update a.b.c --collection-group=shards --database='(default)' "
                            + "--index=order=ascending --project=p"),
                passes().fields("myshards|count|0")),
            group(
                "danger 3: nearer indexes",
                passes()
                    .settings("COUNT_FIELD=a.b.c")
                    .fields(
                        "shards|a.b.c|1",
                        "shards|a.b|0",
                        "shards|a|0",
                        "shards|*|0",
                        "__default__|*|0"),
                passes()
                    .settings("COUNT_FIELD=a.b.c")
                    .fields("shards|a|1", "shards|*|0", "__default__|*|0"),
                passes().fields("shards|*|1", "__default__|*|0")),
            group(
                "danger 3: other fields' indexes",
                passes()
                    .settings("COUNT_FIELD=a.b")
                    .fields(
                        "shards|a.b.c|0",
                        "shards|a.c|0",
                        "shards|a_b|0",
                        "parts|a|0",
                        "parts|*|0",
                        "__default__|*|4")),
            group(
                "danger 3: no index",
                passes().settings("COUNT_FIELD=").fields("shards|*|0", "__default__|*|0"),
                passes()
                    .settings("SUM=documents", "COUNT_FIELD=a.b")
                    .fields("shards|a|0")
                    .says("fields update a.b --collection-group=shards --disable-indexes")),
            group(
                "danger 3: others' policy",
                passes()
                    .with("ttls", "my_increment_names|expire_at")
                    .says("fields ttls update expire_at --collection-group=increment_names")))
        .flatMap(cases -> cases);
  }

  /** Danger 3: other deployments with the same counters, or beside them. */
  private static Stream<DeployCase> counters() {
    return Stream.of(
            group(
                "danger 3: same counters",
                refused()
                    .beside("other", "COUNTERS=counters")
                    .says("COUNTERS: expected counters that no other deployment has"),
                refused()
                    .beside("other", "COUNTERS={parent=**}/counters")
                    .says("COUNTERS: expected counters"),
                refused()
                    .settings("COUNTERS=rooms/{room}/counters")
                    .beside("other", "COUNTERS=rooms/a/counters")
                    .says("COUNTERS: expected counters"),
                refused()
                    .settings("POLL=PT1M")
                    .beside("other", "COUNTERS={parent=**}/counters")
                    .says(
                        "COUNTERS: expected counters that no other deployment has, or another "
                            + "ROLLUPS_COLLECTION, found counters, and {parent=**}/counters of "
                            + "other")),
            group(
                "danger 3: other counters",
                passes()
                    .settings("COUNTERS=rooms/{room}/counters")
                    .beside("a", "COUNTERS={parent=**}/likes")
                    .beside("b", "COUNTERS=halls/{hall}/counters"),
                passes()
                    .beside("a", "COUNTERS=rooms/{room}/counters")
                    .beside("b", "COUNTERS=counters", "FIRESTORE_DATABASE=another-database")),
            group(
                "danger 3: other rooms",
                passes()
                    .settings("COUNTERS=rooms/a/counters")
                    .beside("a", "COUNTERS=rooms/b/counters", "SHARDS_COLLECTION=shards")))
        .flatMap(cases -> cases);
  }

  /** Danger 3: a fold deletes shards, so it has its own. */
  private static Stream<DeployCase> folds() {
    return Stream.of(
            group(
                "danger 3: a fold's shards",
                refused()
                    .fold("SHARDS_COLLECTION=shards")
                    .beside("other", "COUNTERS=counters", "SHARDS_COLLECTION=shards")
                    .says(
                        "SHARDS_COLLECTION: expected one that is a fold's alone, found shards of "
                            + "other"),
                refused()
                    .settings("SHARDS_COLLECTION=parts")
                    .beside("other", "SHARDS_COLLECTION=parts", "FOLD=PT1S")
                    .says("SHARDS_COLLECTION: expected one that is a fold's alone"),
                refused()
                    .fold()
                    .beside("other", "SHARDS_COLLECTION=_counter_shards_", "FOLD=PT1S")
                    .says("SHARDS_COLLECTION: expected one that is a fold's alone")),
            group(
                "danger 3: other shards",
                passes()
                    .fold()
                    .beside("a", "COUNTERS=counters", "SHARDS_COLLECTION=shards")
                    .beside("b", "SHARDS_COLLECTION=parts", "FOLD=PT1S")
                    .beside(
                        "c",
                        "FIRESTORE_DATABASE=d",
                        "SHARDS_COLLECTION=_counter_shards_",
                        "FOLD=PT1S")),
            group(
                "danger 3: shards of counters",
                refused()
                    .fold("SHARDS_COLLECTION=shards")
                    .documents("shards", "pages/p/shards/0|")
                    .with(
                        "owners",
                        "\"name\": \"projects/p/databases/d/documents/pages/p\",",
                        "\"num_shards\": {")
                    .says(
                        "SHARDS_COLLECTION: expected no shards of sharded counters, which a fold "
                            + "would delete,"),
                passes()
                    .fold("SHARDS_COLLECTION=shards")
                    .documents("shards", "pages/p/shards/0|")
                    .with("owners", "\"name\": \"projects/p/databases/d/documents/pages/p\","),
                passes()
                    .fold("SHARDS_COLLECTION=shards")
                    .documents("shards", "pages/p/shards/a0|", "polls/p/shards/0|")
                    .with(
                        "owners",
                        "\"name\": \"projects/p/databases/d/documents/pages/p\",",
                        "\"num_shards\": {")))
        .flatMap(cases -> cases);
  }

  /** Danger 3: other deployments that write the same totals or fields. */
  private static Stream<DeployCase> totals() {
    return Stream.of(
            group(
                "danger 3: beside",
                passes()
                    .likes("TOTAL_FIELD=stats.likes")
                    .besideReviews("TOTAL_FIELD=stars")
                    .beside(
                        "b",
                        "COUNTERS=counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate",
                        "COUNT_FIELD=count",
                        "ROLLUPS_COLLECTION=rollups")
                    .says(",COUNTERS=posts,")),
            group(
                "danger 3: same totals",
                refused()
                    .likes("TOTAL_FIELD=stats.likes")
                    .beside(
                        "a",
                        "COUNTERS={parent=**}/posts",
                        "SHARDS_COLLECTION=reviews",
                        "SUM=aggregate",
                        "COUNT_FIELD=stars",
                        "ROLLUPS_COLLECTION=post_likes")
                    .says(
                        "COUNTERS: expected counters that no other deployment has, or another "
                            + "ROLLUPS_COLLECTION"),
                refused()
                    .settings(
                        "COUNTERS=rooms/{room}/posts",
                        "SHARDS_COLLECTION=likes",
                        "ROLLUPS_COLLECTION=sums")
                    .beside(
                        "a",
                        "COUNTERS=rooms/{hall}/posts",
                        "SHARDS_COLLECTION=reviews",
                        "SUM=aggregate",
                        "ROLLUPS_COLLECTION=sums")
                    .says(
                        "COUNTERS: expected counters that no other deployment has, or another "
                            + "ROLLUPS_COLLECTION, found rooms/{room}/posts, and "
                            + "rooms/{hall}/posts of a")),
            group(
                "danger 3: same field",
                refused()
                    .likes("TOTAL_FIELD=stats.likes")
                    .besideReviews("TOTAL_FIELD=stats.likes")
                    .says("TOTAL_FIELD: expected a field that no other deployment writes"),
                refused()
                    .likes("TOTAL_FIELD=stats.likes")
                    .besideReviews("TOTAL_FIELD=stats")
                    .says("found stats.likes, and stats for posts of a in us-east1"),
                refused()
                    .likes("TOTAL_FIELD=stats.likes")
                    .besideReviews("TOTAL_FIELD=stats.likes.all")
                    .says("TOTAL_FIELD: expected a field"),
                refused()
                    .likes("NUMBER_FIELD=likes")
                    .besideReviews("NUMBER_FIELD=likes")
                    .says(
                        "NUMBER_FIELD: expected a field that no other deployment writes, nor one "
                            + "on the way to it, found likes, and likes for posts of a in "
                            + "us-east1"),
                refused()
                    .likes("TOTAL_FIELD=s.likes")
                    .besideReviews(
                        "TOTAL_FIELD=stars", "NUMBER_FIELD=stars_number", "AVERAGE_FIELD=s")
                    .says(
                        "TOTAL_FIELD: expected a field that no other deployment writes, nor one "
                            + "on the way to it, found s.likes, and s for posts"),
                refused()
                    .likes("AVERAGE_FIELD=s")
                    .besideReviews("TOTAL_FIELD=s.stars")
                    .says(
                        "AVERAGE_FIELD: expected a field that no other deployment writes, nor one "
                            + "on the way to it, found s, and s.stars for posts"),
                refused()
                    .settings(
                        "COUNTERS={parent=**}/posts",
                        "SHARDS_COLLECTION=likes",
                        "ROLLUPS_COLLECTION=post_likes",
                        "NUMBER_FIELD=n")
                    .besideReviews("AVERAGE_FIELD=n")
                    .says("NUMBER_FIELD: expected a field that no other deployment writes")),
            group(
                "danger 3: other field",
                passes()
                    .likes("TOTAL_FIELD=stats.likes")
                    .besideReviews("TOTAL_FIELD=stats.like")
                    .beside(
                        "b",
                        "COUNTERS=pages",
                        "SHARDS_COLLECTION=parts",
                        "SUM=aggregate",
                        "COUNT_FIELD=n",
                        "ROLLUPS_COLLECTION=sums",
                        "TOTAL_FIELD=stats.likes")),
            group(
                "danger 3: other fields",
                passes()
                    .likes("COUNT_FIELD=", "TOTAL_FIELD=likes")
                    .besideReviews(
                        "TOTAL_FIELD=stars", "NUMBER_FIELD=ratings", "AVERAGE_FIELD=stars_average")
                    .beside(
                        "b",
                        "COUNTERS=pages",
                        "SHARDS_COLLECTION=likes",
                        "SUM=aggregate",
                        "ROLLUPS_COLLECTION=post_likes",
                        "TOTAL_FIELD=likes",
                        "NUMBER_FIELD=likes_number")
                    .says(",TOTAL_FIELD=likes,COUNT_FIELD=,")))
        .flatMap(cases -> cases);
  }

  /** Danger 3: other deployments that need other indexes of the same field. */
  private static Stream<DeployCase> sums() {
    return Stream.of(
            group(
                "danger 3: other sums",
                refused()
                    .settings("SUM=documents")
                    .beside(
                        "other",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate",
                        "COUNT_FIELD=count")
                    .says("SUM: expected aggregate, as other in us-east1 has for shards.count"),
                refused()
                    .beside(
                        "other",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=documents",
                        "COUNT_FIELD=count")
                    .says("SUM: expected documents, as other"),
                refused()
                    .settings("SUM=documents", "COUNT_FIELD=review")
                    .beside(
                        "other",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate",
                        "COUNT_FIELD=review.stars")
                    .says(
                        "SUM: expected aggregate, as other in us-east1 has for "
                            + "shards.review.stars"),
                refused()
                    .settings("COUNT_FIELD=review.stars")
                    .beside(
                        "other",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=documents",
                        "COUNT_FIELD=review")
                    .says("SUM: expected documents, as other in us-east1 has for shards.review,")),
            group(
                "danger 3: own sums",
                passes()
                    .settings("SUM=documents", "COUNT_FIELD=review.stars")
                    .beside(
                        "a",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate",
                        "COUNT_FIELD=review")
                    .beside(
                        "b",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate"),
                passes()
                    .settings("COUNT_FIELD=")
                    .beside(
                        "a",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=documents",
                        "COUNT_FIELD=count"),
                passes()
                    .settings("SUM=documents")
                    .beside(
                        "a",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=aggregate",
                        "COUNT_FIELD=Count")
                    .beside(
                        "b",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=parts",
                        "SUM=aggregate",
                        "COUNT_FIELD=count")
                    .beside(
                        "c",
                        "COUNTERS=rooms/{room}/counters",
                        "SHARDS_COLLECTION=shards",
                        "SUM=documents",
                        "COUNT_FIELD=count")))
        .flatMap(cases -> cases);
  }

  /** Danger 4: a database that is of no use. */
  private static Stream<DeployCase> database() {
    return Stream.of(
            group(
                "danger 4: database",
                refused()
                    .with("database", "us-central1|DATASTORE_MODE|STANDARD")
                    .says("expected native mode and the Standard edition, found DATASTORE_MODE"),
                refused()
                    .with("database", "us-central1|FIRESTORE_NATIVE|ENTERPRISE")
                    .says("Standard edition, found FIRESTORE_NATIVE, ENTERPRISE"),
                refused()
                    .with("fails", "*databases describe*|9|NOT_FOUND: no")
                    .says("expected a database, found none"),
                passes()
                    .with("database", "nam5|FIRESTORE_NATIVE|STANDARD")
                    .says("--trigger-location=nam5")))
        .flatMap(cases -> cases);
  }

  /** Settings that the functions, or the rules, would not do with. */
  private static Stream<DeployCase> settings() {
    return Stream.of(
            group(
                "settings",
                refused()
                    .settings("COUNTER=x")
                    .says(
                        "expected KEY=VALUE with a key of deploy/gcloud/settings.env, found "
                            + "'COUNTER=x'"),
                refused().settings("TICK").says("expected KEY=VALUE"),
                refused()
                    .settings("TICK=\"PT1S\"")
                    .says("TICK: expected an ISO-8601 duration such as PT1S, found '\"PT1S\"'"),
                refused().settings("NAME=$(reboot)").says("NAME: expected 2 to 13 small letters"),
                refused()
                    .settings("ROLLUPS_COLLECTION=shards")
                    .says("ROLLUPS_COLLECTION: expected a name that no other collection has"),
                refused()
                    .settings("SHARDS_COLLECTION=counters")
                    .says("expected a name that no other collection has, found 'counters'"),
                refused()
                    .settings("COUNTERS=")
                    .says("COUNTERS: expected a collection, such as counters,"),
                refused()
                    .settings("POLL=PT1M", "COUNTERS={parent=**}/counters")
                    .says("COUNTERS: expected a collection without variables if POLL is set,"),
                refused()
                    .settings("POLL=PT1M", "COUNTERS=rooms/{room}/counters")
                    .says("COUNTERS: expected a collection without variables if POLL is set,"),
                passes()
                    .settings("POLL=PT1M", "COUNTERS=rooms/r1/counters")
                    .says(",COUNTERS=rooms/r1/counters,POLL=PT1M,"),
                refused()
                    .settings("POLLED=hot")
                    .says("expected KEY=VALUE with a key of deploy/gcloud/settings.env, found"),
                refused()
                    .settings("SHARDS_COLLECTION=__parts__")
                    .says("SHARDS_COLLECTION: expected names other than __.*__, found '__parts__'"),
                refused()
                    .settings("COUNTERS=rooms/__r__/counters")
                    .says("COUNTERS: expected names other than __.*__"),
                refused()
                    .settings("COUNTERS=rollup_runs/r1/likes")
                    .says("COUNTERS: expected counters outside of rollup_runs"),
                refused()
                    .settings("COUNTERS=a/{x}/b/{x}/counters")
                    .says("COUNTERS: expected each variable once, found 'a/{x}/b/{x}/counters'"),
                refused()
                    .settings("TOTAL_FIELD=stats.__likes__")
                    .says("TOTAL_FIELD: expected names other than __.*__"),
                refused()
                    .settings("TOTAL_FIELD=num_shards")
                    .says("TOTAL_FIELD: expected a field other than those of the library"),
                refused()
                    .settings("COUNT_FIELD=review.__stars__")
                    .says("COUNT_FIELD: expected names other than __.*__"),
                refused()
                    .settings("COUNT_FIELD=", "SUM=documents")
                    .says("SUM: expected aggregate if COUNT_FIELD is empty, found documents"),
                refused()
                    .settings("TOTAL_FIELD=stats", "NUMBER_FIELD=stats.number")
                    .says(
                        "NUMBER_FIELD: expected a field other than TOTAL_FIELD, and none on the "
                            + "way to it, found 'stats.number' and 'stats'"),
                refused()
                    .settings("TOTAL_FIELD=stats.sum", "AVERAGE_FIELD=stats")
                    .says("AVERAGE_FIELD: expected a field other than TOTAL_FIELD, and none"),
                refused()
                    .settings("NUMBER_FIELD=stars", "AVERAGE_FIELD=stars")
                    .says("AVERAGE_FIELD: expected a field other than NUMBER_FIELD, and none"),
                passes()
                    .settings(
                        "TOTAL_FIELD=stars", "NUMBER_FIELD=stars_number", "AVERAGE_FIELD=s.stars")
                    .says(",TOTAL_FIELD=stars,NUMBER_FIELD=stars_number,AVERAGE_FIELD=s.stars,"),
                refused()
                    .fold("COUNT_FIELD=")
                    .says("COUNT_FIELD: expected a field's name with FOLD, found ''"),
                refused()
                    .fold("COUNT_FIELD=a.b")
                    .says("COUNT_FIELD: expected a field's name with FOLD, found 'a.b'"),
                refused()
                    .fold("NUMBER_FIELD=n")
                    .says("NUMBER_FIELD: expected nothing with FOLD, found 'n'"),
                refused()
                    .fold("AVERAGE_FIELD=n")
                    .says("AVERAGE_FIELD: expected nothing with FOLD, found 'n'"),
                refused().fold("POLL=PT1M").says("POLL: expected nothing with FOLD, found 'PT1M'"),
                refused()
                    .settings("PRECISION=2")
                    .says("PRECISION: expected a number from 0.0 to 0.999999, found '2'"),
                refused()
                    .settings("HOLD=PT0.9S")
                    .says("HOLD: expected PT0S, or a TICK to PT4M, found 'PT0.9S'"),
                refused()
                    .settings("HOLD=PT4M0.001S")
                    .says("HOLD: expected PT0S, or a TICK to PT4M"),
                refused()
                    .settings("FOLD_FIELDS=visits")
                    .says("FOLD_FIELDS: expected nothing without FOLD, found 'visits'"),
                refused()
                    .settings("FOLD_DOCUMENTS=pages/{page}")
                    .says("FOLD_DOCUMENTS: expected nothing without FOLD, found 'pages/{page}'"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages")
                    .says("FOLD_DOCUMENTS: expected documents' paths with a space between"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS={parent=**}/pages/{page}")
                    .says("FOLD_DOCUMENTS: expected documents' paths"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page} posts/x{post}")
                    .says("FOLD_DOCUMENTS: expected documents' paths"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=a/{x}/b/{x}")
                    .says("FOLD_DOCUMENTS: expected variables that differ within a path"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page} rooms/{room}/rollups/{any}")
                    .says(
                        "FOLD_DOCUMENTS: expected no collection of the functions, which rollups "
                            + "is"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=rollup_runs/{a}/live/{b}")
                    .says(
                        "FOLD_DOCUMENTS: expected no collection of the functions, which "
                            + "rollup_runs is"),
                refused()
                    .settings("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}/_counter_shards_/{shard}")
                    .says("FOLD_DOCUMENTS: expected no collection of the functions"),
                refused()
                    .settings("RULES_VARIANTS=make")
                    .says(
                        "RULES_VARIANTS: expected without FOLD some of once, down, list, more, "
                            + "with commas between, found 'make'"),
                refused()
                    .fold("RULES_VARIANTS=once")
                    .says("RULES_VARIANTS: expected with FOLD make, or nothing, found 'once'"),
                refused()
                    .settings("RULES=own")
                    .says(
                        "RULES_VALUES: expected with RULES=own the least and the most of count, "
                            + "such as 1..5, found none"),
                refused()
                    .settings("RULES=own", "RULES_VALUES=5..-1")
                    .says("RULES_VALUES: expected the least before the most, found '5..-1'"),
                refused()
                    .settings("RULES=own", "RULES_VALUES=1..1234567890123456")
                    .says(
                        "RULES_VALUES: expected two integers of at most 15 digits, such as 1..5, "
                            + "or nothing, found"),
                refused()
                    .settings("RULES_NUM_SHARDS=n.s")
                    .says(
                        "RULES_NUM_SHARDS: expected a field's name such as num_shards, found "
                            + "'n.s'"),
                refused()
                    .settings("RULES_NUM_SHARDS=n", "TOTAL_FIELD=n.x")
                    .says(
                        "TOTAL_FIELD: expected a field other than RULES_NUM_SHARDS, and none on "
                            + "the way to it, found 'n.x' and 'n'"),
                refused()
                    .settings("RULES_VALUES=1..5")
                    .says(
                        "RULES_VALUES: expected nothing without RULES=own and a COUNT_FIELD, "
                            + "found '1..5'"),
                refused()
                    .settings("RULES=own", "COUNT_FIELD=", "RULES_VALUES=1..5")
                    .says("RULES_VALUES: expected nothing without RULES=own and a COUNT_FIELD"),
                refused().fold("RULES=own").says("RULES: expected plain with FOLD, found own"),
                passes().settings("RULES=own", "COUNT_FIELD="),
                refused()
                    .settings("HANDLER_CPU=.333", "BILLING=instance")
                    .says("HANDLER_CPU: expected 1 with BILLING=instance, found .333"),
                passes()
                    .settings("HANDLER_CPU=.333")
                    .says("tallyroll-on-shard-written@p.iam.gserviceaccount.com --cpu=.333"),
                refused()
                    .settings("WORKERS=many")
                    .says("WORKERS: expected a number from 1 to 64, found 'many'"),
                refused().settings("BILLING=free").says("BILLING: expected request or instance")),
            group(
                "rules",
                refused()
                    .settings("COUNT_FIELD=")
                    .command("rules")
                    .says("COUNT_FIELD: expected a field's name with RULES=plain, found ''."),
                refused()
                    .settings("RULES=strict", "COUNT_FIELD=review.stars")
                    .command("rules")
                    .says(
                        "COUNT_FIELD: expected a field's name with RULES=strict, found "
                            + "'review.stars'."),
                refused()
                    .settings("RULES_VARIANTS=once")
                    .command("rules")
                    .says("RULES_VARIANTS: expected RULES=strict for once, found plain"),
                refused()
                    .settings("RULES=own", "COUNT_FIELD=", "RULES_VARIANTS=once")
                    .command("rules")
                    .says("RULES_VARIANTS: expected list or nothing with RULES=own, found 'once'"),
                refused()
                    .settings("RULES=own", "COUNT_FIELD=", "RULES_VARIANTS=list,down")
                    .command("rules")
                    .says(
                        "RULES_VARIANTS: expected list or nothing with RULES=own, found "
                            + "'list,down'"),
                refused()
                    .settings("RULES=own", "COUNT_FIELD=", "RULES_VARIANTS=more")
                    .command("rules")
                    .says("RULES_VARIANTS: expected list or nothing with RULES=own, found 'more'"),
                refused()
                    .settings("RULES=own", "COUNT_FIELD=", "COUNTERS={parent=**}/posts")
                    .command("rules")
                    .says("RULES: expected plain for counters under any parent, found own.")))
        .flatMap(cases -> cases);
  }

  /** Options of the command line. */
  private static Stream<DeployCase> options() {
    return Stream.of(
            group(
                "options",
                refused().command("deploy --tick=PT1S").says("found --tick"),
                refused().command("deploy --monitoring=me").says("expected an e-mail address"),
                refused().command("deploy --artifact=no.jar").says("--artifact: expected a file"),
                refused()
                    .with("own.jar", "dev/tallyroll/fold/OnShardCreated.class")
                    .says(
                        "--artifact: expected tallyroll.jar, with the class "
                            + "dev.tallyroll.functions.OnShardWritten, found another file"),
                refused()
                    .fold()
                    .with("own.jar", "dev/tallyroll/functions/OnShardWritten.class")
                    .says(
                        "--artifact: expected with FOLD tallyroll-fold.jar, with the class "
                            + "dev.tallyroll.fold.OnShardCreated, found another file"),
                refused().command("status --yes").says("found --yes"),
                refused().command("destroy --indexes").says("expected tallyroll as the answer")))
        .flatMap(cases -> cases);
  }

  /** Google's commands fail or warn; and a region without what others have. */
  private static Stream<DeployCase> platform() {
    return Stream.of(
            group(
                "no rights",
                fails()
                    .with(
                        "fails",
                        "*services enable*|99|PERMISSION_DENIED: Permission denied on resource")
                    .says("PERMISSION_DENIED"),
                fails()
                    .with("fails", "*pubsub topics create*|99|PERMISSION_DENIED: no")
                    .says("goes on from there")),
            group(
                "no network",
                fails()
                    .with(
                        "fails",
                        "*services enable*|99|Unable to find the server at "
                            + "serviceusage.googleapis.com")
                    .says("Unable to find the server"),
                fails()
                    .with("fails", "*firestore indexes fields list*|99|500 INTERNAL")
                    .says("500 INTERNAL"),
                fails()
                    .with(
                        "warns",
                        "regions were fully or partially unreachable for query: us-central1")
                    .says("unreachable")),
            group(
                "another region",
                passes()
                    .with(
                        "warns",
                        "regions were fully or partially unreachable for query: us-east1")),
            group(
                "fact 4: error that stays",
                fails()
                    .with("fails", "*functions deploy*|99|Validation failed for trigger x")
                    .says("try 30 of 30")),
            group(
                "fact 9: components",
                fails()
                    .with("fails", "*alpha*|99|You do not currently have this command group")
                    .command("deploy --monitoring=a@b.c")
                    .says("have this command group")))
        .flatMap(cases -> cases);
  }

  private static Stream<DeployCase> group(String name, DeployCase... cases) {
    return Arrays.stream(cases).map(each -> each.in(name));
  }
}
