package dev.tallyroll.simulation;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mutants of folding. */
class FoldMutantsTest {
  @Test
  @Tag("mutants")
  void everyMutant_isNoticed(@TempDir Path folder) throws Exception {
    new Mutants("fold-mutants.txt", FoldSeeds.class, folder).play();
  }
}
