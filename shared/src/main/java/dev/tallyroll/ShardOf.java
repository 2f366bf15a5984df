package dev.tallyroll;

/** Which shard a named increment goes to. Stateless. */
final class ShardOf {
  private ShardOf() {}

  /** The same for the same name and number of shards, on every machine. */
  static int name(String name, int shards) {
    return Math.floorMod(mix(name.hashCode()), shards);
  }

  /** The finalizer of MurmurHash3: names that differ in a digit go to shards that have no order. */
  private static int mix(int hash) {
    int mixed = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
    return mixed ^ (mixed >>> 16);
  }
}
