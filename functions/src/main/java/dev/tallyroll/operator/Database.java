package dev.tallyroll.operator;

import com.google.auth.Credentials;
import com.google.auth.oauth2.OAuth2CredentialsWithRefresh;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;

/** Opens the official client of a database. Stateless. */
final class Database {
  private static final List<String> GCLOUD = List.of("gcloud", "auth", "print-access-token");

  private Database() {}

  /**
   * Opens it as the account that gcloud is signed in with; or the emulator's, if {@code
   * FIRESTORE_EMULATOR_HOST} is set.
   *
   * @return a client that the caller closes
   * @throws IllegalArgumentException if gcloud has no token
   */
  static Firestore open(UnaryOperator<String> environment, String project, String database) {
    FirestoreOptions.Builder options =
        FirestoreOptions.newBuilder().setProjectId(project).setDatabaseId(database);
    String emulator = environment.apply("FIRESTORE_EMULATOR_HOST");
    if (emulator != null) {
      options.setEmulatorHost(emulator);
    } else {
      options.setCredentials(credentials(new Tokens(GCLOUD, InstantSource.system())));
    }
    return options.build().getService();
  }

  /**
   * Makes credentials that ask for the first token now: a person who is not signed in is told at
   * once.
   */
  private static Credentials credentials(Tokens tokens) {
    try {
      return OAuth2CredentialsWithRefresh.newBuilder()
          .setAccessToken(tokens.next())
          .setRefreshHandler(tokens::next)
          .build();
    } catch (IOException refused) {
      throw new IllegalArgumentException(refused.getMessage(), refused);
    }
  }
}
