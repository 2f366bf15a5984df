package dev.tallyroll.timestamps;

import java.util.regex.Pattern;

/**
 * The two fields of a sharded timestamp; dots in their names lead into maps. Immutable.
 *
 * @param shard the field with a random shard value
 * @param timestamp the field that rises
 * @param kind what that holds
 */
record Fields(String shard, String timestamp, Kind kind) {
  /** Names that Firestore writes without quotes, so that they are compared as they stand. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*");

  static final Fields DEFAULT = new Fields("shard", "timestamp", Kind.TIMESTAMP);

  Fields {
    check("shard field", shard);
    check("timestamp field", timestamp);
    if (shard.equals(timestamp)) {
      throw new IllegalArgumentException("fields: expected two; found '" + shard + "' twice");
    }
  }

  private static void check(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          what + ": expected letters, digits, '_' and dots; found '" + name + "'");
    }
  }
}
