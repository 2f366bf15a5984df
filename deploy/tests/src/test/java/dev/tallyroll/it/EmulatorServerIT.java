package dev.tallyroll.it;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.local.Answers;
import dev.tallyroll.simulation.ServerContract;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The official emulator passes {@link ServerContract}, as the simulated server does. */
@On(Site.SHARED)
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
  protected <T> T get(ApiFuture<T> call) {
    try {
      return Answers.get(call);
    } catch (InterruptedException | ExecutionException | TimeoutException failure) {
      throw new AssertionError(failure);
    }
  }

  @Override
  protected String code(ApiFuture<?> call) {
    try {
      throw new AssertionError("expected a failure; found " + Answers.get(call));
    } catch (ExecutionException failure) {
      return Failures.code(failure.getCause()).name();
    } catch (InterruptedException | TimeoutException failure) {
      throw new AssertionError(failure);
    }
  }
}
