package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Which page is asked for. A page backwards is read in the other direction from where it ends, and
 * then turned round. Immutable.
 */
record PageRequest(int limit, Optional<PageToken> token) {

  PageRequest {
    check(limit);
  }

  static PageRequest first(int limit) {
    return new PageRequest(limit, Optional.empty());
  }

  static PageRequest from(int limit, PageToken token) {
    return new PageRequest(limit, Optional.of(token));
  }

  static void check(int limit) {
    if (limit < 1 || limit > ShardedQuery.MAX_LIMIT) {
      throw new IllegalArgumentException(
          "limit: expected 1 to " + ShardedQuery.MAX_LIMIT + "; found " + limit);
    }
  }

  /** One more than the page has, to see whether there are more. */
  int wanted() {
    return limit + 1;
  }

  private boolean backwards() {
    return token.map(PageToken::backwards).orElse(false);
  }

  Direction direction(Direction order) {
    if (!backwards()) {
      return order;
    }
    return order == Direction.ASCENDING ? Direction.DESCENDING : Direction.ASCENDING;
  }

  Query start(Query query) {
    return token.map(from -> start(query, from.position())).orElse(query);
  }

  private static Query start(Query query, Position position) {
    try {
      return position.after(query);
    } catch (IllegalArgumentException notInThisCollection) {
      throw Tokens.malformed(position.path());
    }
  }

  Page page(PageReader.Answer answer, String timestampField, Tokens tokens) {
    boolean more = answer.documents().size() > limit;
    List<QueryDocumentSnapshot> documents =
        new ArrayList<>(answer.documents().subList(0, Math.min(limit, answer.documents().size())));
    if (backwards()) {
      Collections.reverse(documents);
    }
    Ends ends = new Ends(documents, timestampField);
    return new Page(
        documents,
        ends.last(backwards() || more).map(PageToken::after).map(tokens::encode),
        ends.first(backwards() ? more : token.isPresent())
            .map(PageToken::before)
            .map(tokens::encode),
        answer.readTime(),
        answer.documentsRead());
  }

  /** The ends of a page; an empty page has none, and so no tokens. */
  private record Ends(List<QueryDocumentSnapshot> documents, String timestampField) {
    Optional<Position> first(boolean leadsOn) {
      return position(0, leadsOn);
    }

    Optional<Position> last(boolean leadsOn) {
      return position(documents.size() - 1, leadsOn);
    }

    private Optional<Position> position(int index, boolean leadsOn) {
      return leadsOn && !documents.isEmpty()
          ? Optional.of(Position.of(documents.get(index), timestampField))
          : Optional.empty();
    }
  }
}
