package dev.tallyroll.clients;

import java.util.Arrays;
import java.util.List;

/** A language, with its sample's spellings and its library's way to send an increment. */
enum Language {
  GO("Count", "", WireFormat.TRANSFORM_OF_EXISTING),
  GO_MERGING("Count", "", WireFormat.TRANSFORM),
  PHP("Cnt", "", WireFormat.TRANSFORM_OF_EXISTING),
  PYTHON("count", "", WireFormat.TRANSFORM_OF_EXISTING),
  CSHARP("count", "", WireFormat.TRANSFORM_OF_EXISTING),
  RUBY("count", "", WireFormat.TRANSFORM_OF_EXISTING),
  KOTLIN_AND_JAVA("count", "numShards", WireFormat.PATCH),
  SWIFT_AND_OBJECTIVE_C("count", "numShards", WireFormat.PATCH);

  private final String countField;

  /** Empty where the sample creates the shards only. */
  private final String shardsField;

  private final WireFormat format;

  Language(String countField, String shardsField, WireFormat format) {
    this.countField = countField;
    this.shardsField = shardsField;
    this.format = format;
  }

  static List<Language> spelling(String countField) {
    return Arrays.stream(values()).filter(one -> one.countField.equals(countField)).toList();
  }

  /** Writes that create the counter, where the sample does, and one shard. */
  List<String> creation(String counter, String shard) {
    var first = integer(shard, countField, 0);
    return shardsField.isEmpty()
        ? List.of(first)
        : List.of(integer(counter, shardsField, 1), first);
  }

  private static String integer(String document, String field, int value) {
    return """
    {"update": {"name": "%s", "fields": {"%s": {"integerValue": "%d"}}}}"""
        .formatted(document, field, value);
  }

  String increment(String shard) {
    return format.increment(shard, countField);
  }
}
