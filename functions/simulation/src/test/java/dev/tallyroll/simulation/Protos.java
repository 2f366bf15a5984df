package dev.tallyroll.simulation;

import com.google.firestore.v1.ArrayValue;
import com.google.firestore.v1.MapValue;
import com.google.firestore.v1.Value;
import com.google.protobuf.NullValue;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Values, times and fields of Firestore's protocol, and the same in Java. Pure. */
final class Protos {
  private Protos() {}

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  static Value value(@Nullable Object object) {
    Value.Builder value = Value.newBuilder();
    if (object == null) {
      return value.setNullValue(NullValue.NULL_VALUE).build();
    } else if (object instanceof Long whole) {
      return value.setIntegerValue(whole).build();
    } else if (object instanceof Double fraction) {
      return value.setDoubleValue(fraction).build();
    } else if (object instanceof String text) {
      return value.setStringValue(text).build();
    } else if (object instanceof Boolean flag) {
      return value.setBooleanValue(flag).build();
    } else if (object instanceof Instant time) {
      return value.setTimestampValue(timestamp(time)).build();
    } else if (object instanceof List<?> list) {
      List<Value> values = list.stream().map(Protos::value).toList();
      return value.setArrayValue(ArrayValue.newBuilder().addAllValues(values)).build();
    } else if (object instanceof Map<?, ?> map) {
      return value.setMapValue(MapValue.newBuilder().putAllFields(values(map))).build();
    }
    throw new IllegalArgumentException("expected a value of Firestore; found " + object.getClass());
  }

  static Map<String, Value> values(Map<?, ?> fields) {
    Map<String, Value> values = new TreeMap<>();
    fields.forEach((name, value) -> values.put((String) name, value(value)));
    return values;
  }

  static @Nullable Object object(Value value) {
    return switch (value.getValueTypeCase()) {
      case INTEGER_VALUE -> value.getIntegerValue();
      case DOUBLE_VALUE -> value.getDoubleValue();
      case STRING_VALUE -> value.getStringValue();
      case BOOLEAN_VALUE -> value.getBooleanValue();
      case TIMESTAMP_VALUE -> instant(value.getTimestampValue());
      case ARRAY_VALUE -> {
        List<Object> list = new ArrayList<>();
        value.getArrayValue().getValuesList().forEach(each -> list.add(object(each)));
        yield list;
      }
      case MAP_VALUE -> objects(value.getMapValue().getFieldsMap());
      case NULL_VALUE -> null;
      default -> throw new IllegalArgumentException("no value of these worlds: " + value);
    };
  }

  static Map<String, Object> objects(Map<String, Value> fields) {
    Map<String, Object> objects = new TreeMap<>();
    fields.forEach((name, value) -> objects.put(name, object(value)));
    return objects;
  }

  /** The names on the way to a field, of a path as the protocol has it: {@code a.`b c`}. */
  static List<String> names(String path) {
    List<String> names = new ArrayList<>();
    StringBuilder name = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < path.length(); i++) {
      char letter = path.charAt(i);
      if (letter == '\\' && quoted) {
        name.append(path.charAt(++i));
      } else if (letter == '`') {
        quoted = !quoted;
      } else if (letter == '.' && !quoted) {
        names.add(name.toString());
        name.setLength(0);
      } else {
        name.append(letter);
      }
    }
    names.add(name.toString());
    return names;
  }

  /** The value of a field; null if there is none. */
  static @Nullable Value get(Map<String, Value> fields, List<String> names) {
    Value value = fields.get(names.get(0));
    return names.size() == 1 || value == null
        ? value
        : get(value.getMapValue().getFieldsMap(), names.subList(1, names.size()));
  }

  /** Sets a field, or removes it; what else is on the way and no map is replaced by one. */
  static void put(Map<String, Value> fields, List<String> names, @Nullable Value value) {
    String first = names.get(0);
    if (names.size() > 1) {
      Value old = fields.get(first);
      if (value == null && (old == null || !old.hasMapValue())) {
        return;
      }
      Map<String, Value> inner =
          new TreeMap<>(old == null ? Map.of() : old.getMapValue().getFieldsMap());
      put(inner, names.subList(1, names.size()), value);
      fields.put(
          first, Value.newBuilder().setMapValue(MapValue.newBuilder().putAllFields(inner)).build());
    } else if (value == null) {
      fields.remove(first);
    } else {
      fields.put(first, value);
    }
  }
}
