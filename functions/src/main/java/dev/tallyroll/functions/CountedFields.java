package dev.tallyroll.functions;

import com.google.firestore.v1.Value;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.DocumentEvents.WriteType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of a document that an entry reads: what is summed, what conditions are about, and what
 * says of which document it counts. An update that leaves these as they are needs no sum, and a
 * write of which neither version counts needs none: they are told by the event alone. Of documents
 * of up to a megabyte, it copies nothing but such a field. Immutable.
 */
record CountedFields(Layout layout, Set<FieldName> read) {
  /** No condition and no id is longer: both have at most 1,500 bytes. */
  private static final int MOST_BYTES = 2_000;

  // Field numbers of google.events.cloud.firestore.v1.
  private static final int DOCUMENT_FIELDS = tag(2);
  private static final int MAP_FIELDS = tag(1);
  private static final int KEY = tag(1);
  private static final int VALUE = tag(2);
  private static final int VALUE_MAP = tag(6);
  private static final int MASK_PATH = tag(1);

  private static int tag(int field) {
    return field << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  }

  static CountedFields of(Layout layout) {
    return new CountedFields(layout, layout.read());
  }

  /** Returns whether a write may change a total. If the event cannot be read, it may. */
  boolean mayChangeBy(DocumentWrite write) {
    if (write.type() != WriteType.UPDATE) {
      return true;
    }
    try {
      for (FieldName field : read) {
        if (mayChangeBy(write, field.names())) {
          return true;
        }
      }
      return false;
    } catch (IOException unreadable) {
      return true;
    }
  }

  /**
   * Returns the counter that a document belonged to before a write, and the one after it. Mostly
   * they are the same; there is none if the document does not count. If a condition's field cannot
   * be read, the document counts.
   */
  Set<CounterPath> counters(DocumentWrite write) {
    Set<CounterPath> counters = new LinkedHashSet<>();
    if (write.type() != WriteType.CREATE) {
      counter(write.path(), write.before()).ifPresent(counters::add);
    }
    if (write.type() != WriteType.DELETE) {
      counter(write.path(), write.after()).ifPresent(counters::add);
    }
    return counters;
  }

  private Optional<CounterPath> counter(String path, ByteString document) {
    boolean counts =
        layout.where().all().entrySet().stream()
            .allMatch(each -> mayHold(document, each.getKey(), each.getValue()));
    return counts ? layout.counterOfShard(path, field -> text(document, field)) : Optional.empty();
  }

  private static boolean mayHold(ByteString document, FieldName field, Optional<Object> expected) {
    try {
      return parsed(document, field).filter(found -> Conditions.holds(expected, found)).isPresent();
    } catch (IOException unreadable) {
      return true;
    }
  }

  private static Optional<String> text(ByteString document, FieldName field) {
    try {
      return parsed(document, field).filter(Value::hasStringValue).map(Value::getStringValue);
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  /** The value of a field; a long one, which is no condition's and no id, without its content. */
  private static Optional<Value> parsed(ByteString document, FieldName field) throws IOException {
    Optional<ByteString> found = value(document, field.names());
    if (found.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        found.get().size() > MOST_BYTES
            ? Value.getDefaultInstance()
            : Value.parseFrom(found.get()));
  }

  /**
   * The field that keeps a document from belonging to any counter, by a value that is no id. An
   * absent one, or null, is no mistake.
   */
  Optional<FieldName> stray(DocumentWrite write) {
    return layout.documentFields().values().stream()
        .filter(field -> isNoId(write.after(), field))
        .findFirst();
  }

  private static boolean isNoId(ByteString document, FieldName field) {
    try {
      return parsed(document, field)
          .filter(found -> !found.hasNullValue())
          .filter(found -> !Names.isDocumentId(found.getStringValue()))
          .isPresent();
    } catch (IOException unreadable) {
      return false;
    }
  }

  private static boolean mayChangeBy(DocumentWrite write, List<String> names) throws IOException {
    return isNamed(write.mask(), names)
        || !value(write.before(), names).equals(value(write.after(), names));
  }

  /** Whether a mask names the field, or what it is in, or what is in it. */
  private static boolean isNamed(ByteString mask, List<String> names) throws IOException {
    CodedInputStream in = input(mask);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag != MASK_PATH) {
        in.skipField(tag);
        continue;
      }
      List<String> path = unescaped(in.readStringRequireUtf8());
      int common = Math.min(path.size(), names.size());
      if (path.subList(0, common).equals(names.subList(0, common))) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of a value in a document; empty if it is not there. */
  private static Optional<ByteString> value(ByteString document, List<String> names)
      throws IOException {
    Optional<ByteString> found = entry(document, DOCUMENT_FIELDS, names.get(0));
    for (String name : names.subList(1, names.size())) {
      Optional<ByteString> map = found.isPresent() ? last(found.get(), VALUE_MAP) : found;
      found = map.isPresent() ? entry(map.get(), MAP_FIELDS, name) : map;
    }
    return found;
  }

  /** The value of a key among the entries of a map; of two, the last counts. */
  private static Optional<ByteString> entry(ByteString message, int entries, String name)
      throws IOException {
    ByteString key = ByteString.copyFromUtf8(name);
    Optional<ByteString> found = Optional.empty();
    CodedInputStream in = input(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag != entries) {
        in.skipField(tag);
        continue;
      }
      ByteString entry = in.readBytes();
      if (last(entry, KEY).orElse(ByteString.EMPTY).equals(key)) {
        found = Optional.of(last(entry, VALUE).orElse(ByteString.EMPTY));
      }
    }
    return found;
  }

  private static Optional<ByteString> last(ByteString message, int field) throws IOException {
    Optional<ByteString> found = Optional.empty();
    CodedInputStream in = input(message);
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == field) {
        found = Optional.of(in.readBytes());
      } else {
        in.skipField(tag);
      }
    }
    return found;
  }

  private static CodedInputStream input(ByteString message) {
    CodedInputStream in = message.newCodedInput();
    in.enableAliasing(true);
    return in;
  }

  /**
   * The names of a path as masks have it: a name that is no plain word stands between backticks,
   * with backslashes before backticks and backslashes.
   */
  static List<String> unescaped(String path) throws IOException {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < path.length(); i++) {
      char next = path.charAt(i);
      if (next == '`') {
        quoted = !quoted;
      } else if (next == '\\' && quoted && i + 1 < path.length()) {
        name.append(path.charAt(++i));
      } else if (next == '.' && !quoted) {
        names.add(name.toString());
        name.setLength(0);
      } else {
        name.append(next);
      }
    }
    if (quoted) {
      throw new IOException("a backtick without another: " + path);
    }
    names.add(name.toString());
    return names;
  }
}
