package dev.tallyroll.clients;

import dev.tallyroll.it.Lab;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The same clients on each of the spellings that Google's samples use. */
@Execution(ExecutionMode.CONCURRENT)
final class MixedClientsIT {
  @Nested
  @On(Site.SHARED)
  final class WithCount extends MixedClients {
    WithCount(Lab lab) {
      super(lab, "num_shards");
    }
  }

  /** As in the sample for Go. */
  @Nested
  @On(Site.LONE)
  final class WithCapitalCount extends MixedClients {
    WithCapitalCount(Lab lab) {
      super(lab, "numShards");
    }
  }

  /** As in the sample for PHP; the collections and the database have other names too. */
  @Nested
  @On(Site.RENAMED)
  final class WithCnt extends MixedClients {
    WithCnt(Lab lab) {
      super(lab, "numShards");
    }
  }
}
