package dev.tallyroll.timestamps;

import com.google.firestore.v1.StructuredQuery.CompositeFilter.Operator;
import com.google.firestore.v1.StructuredQuery.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A filter as Firestore carries it out: alternatives, each of which is a list of terms that hold
 * together. Pure.
 */
final class NormalForm {
  /** Source: Firestore's page on queries, "up to 30 disjunctions in disjunctive normal form". */
  static final int MAX_DISJUNCTIONS = 30;

  /** The terms of a query without a filter. */
  private static final List<List<Term>> ANY = List.of(List.of());

  private NormalForm() {}

  /** How many disjunctions a filter has; anything above the maximum is one above it. */
  static int disjunctions(Filter filter) {
    return switch (filter.getFilterTypeCase()) {
      case FILTERTYPE_NOT_SET -> 1;
      case COMPOSITE_FILTER -> composite(filter);
      default -> capped(Term.of(filter).alternatives());
    };
  }

  private static int composite(Filter filter) {
    boolean or = isOr(filter);
    int all = or ? 0 : 1;
    for (Filter part : parts(filter)) {
      int more = disjunctions(part);
      all = capped(or ? all + more : all * more);
    }
    return Math.max(1, all);
  }

  private static int capped(int count) {
    return Math.min(count, MAX_DISJUNCTIONS + 1);
  }

  /** The alternatives; only for a filter of no more disjunctions than allowed, which bounds it. */
  static List<List<Term>> of(Filter filter) {
    return switch (filter.getFilterTypeCase()) {
      case FILTERTYPE_NOT_SET -> ANY;
      case COMPOSITE_FILTER ->
          isOr(filter)
              ? parts(filter).stream().flatMap(part -> of(part).stream()).toList()
              : parts(filter).stream().map(NormalForm::of).reduce(ANY, NormalForm::product);
      default -> List.of(List.of(Term.of(filter)));
    };
  }

  private static List<List<Term>> product(List<List<Term>> left, List<List<Term>> right) {
    List<List<Term>> product = new ArrayList<>();
    for (List<Term> one : left) {
      for (List<Term> other : right) {
        product.add(Stream.concat(one.stream(), other.stream()).toList());
      }
    }
    return product;
  }

  /** All terms, in the order in which they were written. */
  static Stream<Term> terms(Filter filter) {
    return switch (filter.getFilterTypeCase()) {
      case FILTERTYPE_NOT_SET -> Stream.empty();
      case COMPOSITE_FILTER -> parts(filter).stream().flatMap(NormalForm::terms);
      default -> Stream.of(Term.of(filter));
    };
  }

  private static boolean isOr(Filter filter) {
    return filter.getCompositeFilter().getOp() == Operator.OR;
  }

  private static List<Filter> parts(Filter filter) {
    return filter.getCompositeFilter().getFiltersList();
  }
}
