package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import java.util.List;
import java.util.stream.StreamSupport;

/** Who has which role, from an answer of {@code get-iam-policy}. Immutable. */
record Roles(List<Role> all) {

  /**
   * One role of one member.
   *
   * @param title of its condition; empty without one
   * @param expression its condition; empty without one
   */
  record Role(String member, String role, String title, String expression) {
    /** The condition as gcloud's flag takes it. */
    String condition() {
      return expression.isEmpty() ? "None" : "expression=" + expression + ",title=" + title;
    }
  }

  static Roles of(JsonObject policy) {
    return new Roles(
        Answers.objects(policy, "bindings").stream()
            .flatMap(
                binding ->
                    StreamSupport.stream(
                            binding.getAsJsonArray("members").spliterator(), /* parallel= */ false)
                        .map(
                            member ->
                                new Role(
                                    member.getAsString(),
                                    Answers.text(binding, "role"),
                                    Answers.text(binding, "condition", "title"),
                                    Answers.text(binding, "condition", "expression"))))
            .toList());
  }

  /** The roles of a service account. */
  List<Role> of(String account) {
    return all.stream().filter(role -> role.member().equals("serviceAccount:" + account)).toList();
  }

  boolean has(String account, String role) {
    return of(account).stream().anyMatch(found -> found.role().equals("roles/" + role));
  }
}
