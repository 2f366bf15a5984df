package dev.tallyroll.simulation;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mutants of folding. */
class FoldMutantsTest {
  /** At each build: whether each can be made is known before the build that plays them. */
  @Test
  void everyMutant_canBeMade(@TempDir Path folder) throws Exception {
    new Mutants("fold-mutants.txt", FoldSeeds.class, folder).checkTexts();
  }

  @Test
  @Tag("mutants")
  void everyMutant_isNoticed(@TempDir Path folder) throws Exception {
    new Mutants("fold-mutants.txt", FoldSeeds.class, folder).play();
  }
}
