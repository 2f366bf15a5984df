package dev.tallyroll.functions;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.DocumentEvents.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is counted of a document. Its updates that leave this as it is need no sum: they are told by
 * the event alone. Of documents of up to a megabyte, it copies nothing. Immutable.
 *
 * @param field the field whose number counts; empty if each document counts one
 */
record CountedValue(Optional<FieldName> field) {
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

  /** Whether a write may change a total. What cannot be read may. */
  boolean mayChangeBy(DocumentWrite write) {
    if (write.kind() != Kind.UPDATE) {
      return true;
    }
    try {
      return field.isPresent() && mayChangeBy(write, field.get().names());
    } catch (IOException unreadable) {
      return true;
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
