package dev.tallyroll.it;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.local.Answers;
import dev.tallyroll.store.ServerContract;
import java.util.UUID;
import org.junit.jupiter.api.Tag;

/** The official emulator passes {@link ServerContract}, as the simulated server does. */
@On(Site.SHARED)
@Tag("core")
final class EmulatorServerIT extends ServerContract {
  private final String name = "contract-" + UUID.randomUUID();
  private final Firestore firestore;

  EmulatorServerIT(TestCloud cloud) {
    this.firestore = cloud.firestore();
  }

  @Override
  protected Firestore firestore() {
    return firestore;
  }

  @Override
  protected String name() {
    return name;
  }

  @Override
  protected <T> T answer(ApiFuture<T> call) throws Exception {
    return Answers.get(call);
  }
}
