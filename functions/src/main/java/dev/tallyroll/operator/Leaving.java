package dev.tallyroll.operator;

import java.util.Collection;
import java.util.List;

/** Service accounts of ours that go, and their roles in the project, as bash reads them. */
final class Leaving {
  private Leaving() {}

  /**
   * The lines {@code accounts_go} and {@code roles_go}.
   *
   * @param parts for whom the accounts are
   * @param accounts the addresses of those that are there, with our mark
   */
  static List<String> of(
      ResourceNames names, List<String> parts, Collection<String> accounts, Roles roles) {
    List<String> going =
        parts.stream().filter(part -> accounts.contains(names.account(part))).toList();
    return List.of(
        Shell.words("accounts_go", going),
        Shell.lines(
            "roles_go",
            going.stream()
                .flatMap(
                    part ->
                        roles.of(names.account(part)).stream()
                            .map(role -> part + "|" + role.role())
                            .distinct())
                .toList()));
  }
}
