package dev.tallyroll.timestamps;

import static com.google.cloud.firestore.Filter.and;
import static com.google.cloud.firestore.Filter.arrayContains;
import static com.google.cloud.firestore.Filter.equalTo;
import static com.google.cloud.firestore.Filter.inArray;
import static com.google.cloud.firestore.Filter.or;

import com.google.cloud.firestore.Query;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Filters over the fields of {@link TwinCollections}, for both twins alike. Stateless. */
final class RandomFilter {
  private RandomFilter() {}

  static UnaryOperator<Query> draw(TwinCollections.Steps steps, Random random) {
    UnaryOperator<Query> fields = fields(random);
    int step = random.nextInt(TwinCollections.TIMES);
    Object from = steps.value(step, random);
    Object to = steps.value(step + random.nextInt(TwinCollections.TIMES), random);
    return switch (random.nextInt(4)) {
      case 0 -> query -> fields.apply(query).whereGreaterThan("timestamp", from);
      case 1 ->
          query ->
              fields
                  .apply(query)
                  .whereGreaterThanOrEqualTo("timestamp", from)
                  .whereLessThan("timestamp", to);
      default -> fields;
    };
  }

  private static UnaryOperator<Query> fields(Random random) {
    int one = random.nextInt(3);
    int other = random.nextInt(3);
    return switch (random.nextInt(8)) {
      case 0 -> query -> query.whereEqualTo("a", one);
      case 1 -> query -> query.whereEqualTo("a", one).whereEqualTo("b.c", other);
      case 2 -> query -> query.whereIn("a", List.of(one, other + 10, 20, 21, 22, 23, 24));
      case 3 -> query -> query.whereArrayContains("tags", one);
      case 4 -> query -> query.whereArrayContainsAny("tags", List.of(one, other + 1));
      case 5 -> query -> query.where(or(equalTo("a", one), equalTo("b.c", other)));
      case 6 ->
          query ->
              query.where(
                  or(
                      and(inArray("a", List.of(0, 1)), arrayContains("tags", other)),
                      equalTo("b.c", one)));
      default -> query -> query;
    };
  }
}
