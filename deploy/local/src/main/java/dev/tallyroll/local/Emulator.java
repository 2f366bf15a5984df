package dev.tallyroll.local;

import java.nio.file.Path;
import java.util.List;

/**
 * An official emulator, and where it may lie. Immutable.
 *
 * @param title for messages
 * @param jar its jar in a folder of jars
 * @param cached its jars in a cache, as the Firebase tools and {@link EmulatorCache} lay it out
 * @param inSdk its folder in the gcloud SDK
 * @param mainClass for a jar whose manifest names none
 * @param download where it is published
 */
record Emulator(
    String title,
    String jar,
    List<String> cached,
    Path inSdk,
    String mainClass,
    Download download) {
  Emulator {
    cached = List.copyOf(cached);
  }

  Emulator publishedAs(Download other) {
    return new Emulator(title, jar, cached, inSdk, mainClass, other);
  }
}
