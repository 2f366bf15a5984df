package dev.tallyroll.local;

import dev.tallyroll.local.JvmCommand.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds the official emulators: in the folder that {@code TALLYROLL_EMULATORS} names, in an
 * installed gcloud SDK, in the Firebase tools' cache, and else in our own cache, which downloads
 * what it lacks. Each emulator is looked for on its own, so they may come from different places.
 * Thread-safe.
 */
final class EmulatorFinder {
  static final String FOLDER_SETTING = "TALLYROLL_EMULATORS";
  private static final String FIREBASE_SETTING = "FIREBASE_EMULATORS_PATH";

  /** Both emulators, ready to be started. */
  record EmulatorPrograms(Program firestore, Program pubSub) {}

  private final Map<String, String> environment;
  private final Path home;
  private final EmulatorCache cache;
  private final Emulators emulators;

  /**
   * @param environment the launcher's
   * @param home the user's home folder
   */
  EmulatorFinder(
      Map<String, String> environment, Path home, EmulatorCache cache, Emulators emulators) {
    this.environment = Map.copyOf(environment);
    this.home = home;
    this.cache = cache;
    this.emulators = emulators;
  }

  /** For this machine's user: the places that the launcher's environment leads to. */
  static EmulatorFinder ofUser(Map<String, String> environment, Consumer<String> progress) {
    var home = Path.of(System.getProperty("user.home"));
    var cache = EmulatorCache.below(home, new Downloader(progress));
    return new EmulatorFinder(environment, home, cache, Emulators.OFFICIAL);
  }

  /** Both emulators' programs; what lies on this machine is never fetched. */
  EmulatorPrograms find() {
    var folder = setting(FOLDER_SETTING);
    if (folder.isPresent()) {
      return new EmulatorPrograms(
          inFolder(emulators.firestore(), folder.get()),
          inFolder(emulators.pubSub(), folder.get()));
    }
    var sdk = GcloudSdk.root(environment);
    return new EmulatorPrograms(
        findOne(emulators.firestore(), sdk), findOne(emulators.pubSub(), sdk));
  }

  /** The one emulator only: the other need not be there. */
  Program findFirestore() {
    return setting(FOLDER_SETTING)
        .map(folder -> inFolder(emulators.firestore(), folder))
        .orElseGet(() -> findOne(emulators.firestore(), GcloudSdk.root(environment)));
  }

  /** A folder that was named is meant: nothing else is taken in its stead. */
  private static Program inFolder(Emulator emulator, Path folder) {
    return program(emulator, Jars.matching(folder, emulator.jar()))
        .or(() -> inCache(emulator, folder))
        .orElseThrow(
            () ->
                new LocalCloudException(
                    "expected %s to hold the %s emulator as %s, found no such file in %s"
                        .formatted(FOLDER_SETTING, emulator.title(), emulator.jar(), folder)));
  }

  private Program findOne(Emulator emulator, Optional<Path> sdk) {
    return sdk.flatMap(
            root ->
                program(emulator, Jars.matching(root.resolve(emulator.inSdk()), emulator.jar())))
        .or(() -> inCache(emulator, firebaseCache()))
        .or(() -> inCache(emulator, cache.folder()))
        .orElseGet(() -> fetched(emulator));
  }

  private Program fetched(Emulator emulator) {
    cache.fetch(emulator);
    return inCache(emulator, cache.folder())
        .orElseThrow(
            () ->
                new LocalCloudException(
                    "expected %s to hold %s, found no such file"
                        .formatted(emulator.download().source(), emulator.cached())));
  }

  private static Optional<Program> inCache(Emulator emulator, Path folder) {
    return emulator.cached().stream()
        .flatMap(glob -> program(emulator, Jars.matching(folder, glob)).stream())
        .findFirst();
  }

  private static Optional<Program> program(Emulator emulator, List<Path> jars) {
    return Optional.of(jars)
        .filter(found -> !found.isEmpty())
        .map(found -> Jars.program(found, emulator.mainClass()));
  }

  private Path firebaseCache() {
    return setting(FIREBASE_SETTING)
        .orElse(home.resolve(Path.of(".cache", "firebase", "emulators")));
  }

  private Optional<Path> setting(String name) {
    return Optional.ofNullable(environment.get(name))
        .filter(value -> !value.isBlank())
        .map(Path::of);
  }
}
