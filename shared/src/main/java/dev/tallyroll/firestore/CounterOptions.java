package dev.tallyroll.firestore;

import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Where counters are in Firestore, and how they are summed and observed. Immutable. */
public final class CounterOptions {
  /** The least of {@link Builder#namesKept}: a minute. */
  public static final Duration SHORTEST_NAMES_KEPT = Duration.ofMinutes(1);

  /** The most of {@link Builder#namesKept}: ten years. */
  public static final Duration LONGEST_NAMES_KEPT = Duration.ofDays(3650);

  /** The names of Google's page on distributed counters; increments' names are kept for 7 days. */
  public static final CounterOptions DEFAULT = builder().build();

  private final Layout layout;
  private final String shardsField;
  private final String namesCollection;
  private final Duration namesKept;
  private final SumMode sum;
  private final CallObserver observer;

  private CounterOptions(Builder builder) {
    layout =
        builder
            .document
            .map(
                document ->
                    new Layout(builder.of, document, builder.rollupsCollection, builder.countField))
            .orElseGet(() -> new Layout(builder.of, builder.rollupsCollection, builder.countField));
    requireName(layout.countField());
    shardsField = Names.requireId("shards field", builder.shardsField);
    namesCollection = Names.requireId("names collection", builder.namesCollection);
    namesKept =
        Arguments.between("names kept", SHORTEST_NAMES_KEPT, LONGEST_NAMES_KEPT, builder.namesKept);
    sum = Arguments.present("sum", builder.sum);
    observer = Arguments.present("observer", builder.observer);
    List<String> taken =
        List.of(layout.countersCollection(), layout.shards(), layout.rollups(), Layout.RUNS);
    if (taken.contains(namesCollection)) {
      throw new IllegalArgumentException(
          "names collection: expected a name other than " + taken + "; found " + namesCollection);
    }
  }

  /** Begins with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  Layout layout() {
    return layout;
  }

  /** A path is for documents of users', which nobody adds to here. */
  private static void requireName(String field) {
    if (Names.requireId("count field", field).contains(".")) {
      throw Names.refusal("count field", "a field's name without dots", field);
    }
  }

  String shardsField() {
    return shardsField;
  }

  String namesCollection() {
    return namesCollection;
  }

  Duration namesKept() {
    return namesKept;
  }

  SumMode sum() {
    return sum;
  }

  CallObserver observer() {
    return observer;
  }

  /**
   * Makes options. Where counters are and what their documents hold must equal the functions'
   * settings, which are named here. Not for use by many threads at once.
   */
  public static final class Builder {
    private String of = Layout.DEFAULT.of();
    private Optional<String> document = Optional.empty();
    private String rollupsCollection = Layout.DEFAULT.rollups();
    private String countField = Layout.DEFAULT.countField();
    private String shardsField = "num_shards";
    private String namesCollection = Layout.INCREMENT_NAMES;
    private Duration namesKept = Duration.ofDays(7);
    private SumMode sum = SumMode.AGGREGATE;
    private CallObserver observer = (call, took, failure) -> {};

    private Builder() {}

    /**
     * The collections whose documents are summed: {@code of} of their entry in the file of totals,
     * such as {@code rooms/{room}/counters/{counter}/shards}; by default, {@code shards} below
     * {@code counters} under any parent.
     */
    public Builder of(String pattern) {
      of = pattern;
      return this;
    }

    /**
     * The documents that totals are of: {@code document} of their entry; by default, those above
     * {@code of}. With documents elsewhere, call {@code reader} only: shards that clients increment
     * are below their own counter.
     */
    public Builder document(String pattern) {
      document = Optional.of(pattern);
      return this;
    }

    /** The roll-ups' collection, beside these documents: {@code rollups} of their entry. */
    public Builder rollupsCollection(String name) {
      rollupsCollection = name;
      return this;
    }

    /** The field of a shard that clients increment: {@code sum} of their entry. */
    public Builder countField(String name) {
      countField = name;
      return this;
    }

    /**
     * The field of the counter's document that holds the number of shards; {@code num_shards} and
     * {@code numShards} are also read. The security rules need another name than these by {@code
     * --num-shards}.
     */
    public Builder shardsField(String name) {
      shardsField = name;
      return this;
    }

    /** The collection of the named increments, below each counter. */
    public Builder namesCollection(String name) {
      namesCollection = name;
      return this;
    }

    /**
     * How long an increment's name is kept, during which it counts once: at least as long as a
     * caller may try again; {@link #SHORTEST_NAMES_KEPT} to {@link #LONGEST_NAMES_KEPT}. Firestore
     * removes names later by a TTL policy on {@code expire_at}.
     */
    public Builder namesKept(Duration time) {
      namesKept = time;
      return this;
    }

    /** How shards are summed; {@link SumMode#DOCUMENTS} if the count field is not indexed. */
    public Builder sum(SumMode mode) {
      sum = mode;
      return this;
    }

    /** The observer of calls, for metrics; none by default. */
    public Builder observer(CallObserver hearsOfCalls) {
      observer = hearsOfCalls;
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if Firestore would refuse a name, if two collections share
     *     one, if a pattern is invalid, or if names are kept for too short or too long a time
     */
    public CounterOptions build() {
      return new CounterOptions(this);
    }
  }
}
