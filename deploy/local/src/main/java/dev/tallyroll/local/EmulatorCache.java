package dev.tallyroll.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Our own folder of downloaded emulators. What lies in it is complete and was checked: files and
 * folders appear under their names in one step, also when several processes fetch at once.
 * Thread-safe.
 */
record EmulatorCache(Path folder, Downloader downloader) {
  private static final String ZIP = ".zip";
  private static final String HELP =
      """
      The %s emulator was not found on this machine, and could not be downloaded: %s.
      This helps: gcloud components install cloud-firestore-emulator pubsub-emulator
      Or set %s to a folder that holds the emulators' jars.""";

  static EmulatorCache below(Path home, Downloader downloader) {
    return new EmulatorCache(home.resolve(Path.of(".cache", "tallyroll", "emulators")), downloader);
  }

  /** Downloads an emulator into the folder; a zip is unpacked into a folder of its name. */
  void fetch(Emulator emulator) {
    try {
      Files.createDirectories(folder);
      var file = downloader.fetch(emulator.download(), folder);
      var name = emulator.download().fileName();
      if (name.endsWith(ZIP)) {
        Unzip.into(file, folder.resolve(name.substring(0, name.length() - ZIP.length())));
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      var reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new LocalCloudException(
          HELP.formatted(emulator.title(), reason, EmulatorFinder.FOLDER_SETTING), e);
    }
  }
}
