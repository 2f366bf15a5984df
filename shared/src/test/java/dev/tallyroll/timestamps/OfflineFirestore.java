package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A client that queries are built with and that is never connected. For one test class. */
final class OfflineFirestore implements ParameterResolver, AfterAllCallback {
  private final Firestore firestore =
      FirestoreOptions.newBuilder()
          .setProjectId("offline")
          .setEmulatorHost("127.0.0.1:1")
          .build()
          .getService();

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Firestore.class;
  }

  @Override
  public Firestore resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return firestore;
  }

  @Override
  public void afterAll(ExtensionContext context) throws Exception {
    firestore.close();
  }
}
