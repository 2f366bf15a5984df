package dev.tallyroll.functions;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.UnknownFieldSet.Field;
import java.util.Random;
import java.util.function.Supplier;

/** A document event, encoded in any way that its schema allows, and in some that it does not. */
final class RandomEvent {
  private static final String[] NAMES = {
    "counters/likes/shards/3", "counters/other/shards/0", "rooms/r/counters/c/shards/1", "rollups/x"
  };

  private final Random random;

  RandomEvent(long seed) {
    this.random = new Random(seed);
  }

  byte[] body() {
    ByteString body = some(3, () -> message(1 + random.nextInt(3), some(6, this::documentField)));
    boolean whole = random.nextInt(10) > 0 || body.isEmpty();
    return (whole ? body : body.substring(0, random.nextInt(body.size()))).toByteArray();
  }

  private ByteString documentField() {
    return switch (random.nextInt(5)) {
      case 0, 1 -> message(1, ByteString.copyFromUtf8(name()));
      case 2 -> message(2, message(1, ByteString.copyFromUtf8("field")));
      default -> message(3 + random.nextInt(2), some(2, this::timePart));
    };
  }

  private String name() {
    return random.nextInt(20) == 0 ? "" : Events.DOCUMENTS + NAMES[random.nextInt(NAMES.length)];
  }

  private ByteString timePart() {
    return random.nextBoolean()
        ? number(1, random.nextInt(20) == 0 ? Long.MAX_VALUE : random.nextInt())
        : number(2, random.nextInt(1_100_000_000));
  }

  /** Up to {@code most} parts, with a stray one among them now and then. */
  private ByteString some(int most, Supplier<ByteString> part) {
    ByteString all = ByteString.EMPTY;
    for (int count = random.nextInt(most + 1); count >= 0; count--) {
      all = all.concat(random.nextInt(8) == 0 ? stray() : part.get());
    }
    return all;
  }

  private ByteString stray() {
    int field = 1 + random.nextInt(random.nextBoolean() ? 5 : 100);
    return switch (random.nextInt(5)) {
      case 0 -> number(field, random.nextLong());
      case 1 -> encoded(field, Field.newBuilder().addFixed64(random.nextLong()));
      case 2 -> encoded(field, Field.newBuilder().addFixed32(random.nextInt()));
      case 3 -> encoded(field, Field.newBuilder().addGroup(UnknownFieldSet.getDefaultInstance()));
      default -> message(field, ByteString.copyFromUtf8("stray"));
    };
  }

  private static ByteString number(int field, long value) {
    return encoded(field, Field.newBuilder().addVarint(value));
  }

  private static ByteString message(int field, ByteString content) {
    return encoded(field, Field.newBuilder().addLengthDelimited(content));
  }

  private static ByteString encoded(int field, Field.Builder value) {
    return UnknownFieldSet.newBuilder().addField(field, value.build()).build().toByteString();
  }
}
