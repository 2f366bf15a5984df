package dev.tallyroll.clients;

import dev.tallyroll.it.Lab;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every language's increments, on a stack that counts its sample's field. */
@Execution(ExecutionMode.CONCURRENT)
final class WireFormatsIT {
  @Nested
  @On(Site.SHARED)
  final class WithCount extends WireFormats {
    WithCount(Lab lab) {
      super(lab);
    }
  }

  @Nested
  @On(Site.LONE)
  final class WithCapitalCount extends WireFormats {
    WithCapitalCount(Lab lab) {
      super(lab);
    }
  }

  @Nested
  @On(Site.RENAMED)
  final class WithCnt extends WireFormats {
    WithCnt(Lab lab) {
      super(lab);
    }
  }
}
