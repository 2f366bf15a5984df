package dev.tallyroll.operator;

import dev.tallyroll.settings.OperatorSettings;
import java.util.List;
import java.util.stream.Stream;

/** What the resources of a deployment are called, and how they are told from others'. */
record ResourceNames(OperatorSettings settings) {
  private static final String HANDLER = "on-shard-written";
  private static final String ROLLER = "roll-up";

  String handler() {
    return settings.name() + "-" + HANDLER;
  }

  String roller() {
    return settings.name() + "-" + ROLLER;
  }

  /** The functions; without events only one. */
  List<String> functions() {
    return settings.hasTrigger() ? List.of(handler(), roller()) : List.of(roller());
  }

  /** The deployed functions that are ours. */
  List<DeployedFunction> deployed(List<DeployedFunction> functions) {
    return functions.stream()
        .filter(function -> function.deployment().equals(settings.name()))
        .filter(function -> function.region().equals(settings.region()))
        .toList();
  }

  String job() {
    return settings.name() + "-run";
  }

  /** The name of the exclusion in the log sink _Default. */
  String exclusion() {
    return settings.name() + "-request-logs";
  }

  /** Begins the description of a resource that has no labels. */
  String mark() {
    return "Tallyroll: " + settings.name() + ": ";
  }

  /**
   * The parts that have a service account: one builds, one delivers events, and each function has
   * one.
   */
  Stream<String> parts(boolean trigger) {
    return Stream.concat(
        Stream.of("build", "delivery"), trigger ? Stream.of(HANDLER, ROLLER) : Stream.of(ROLLER));
  }

  /** The address of a service account. */
  String account(String part) {
    return "%s-%s@%s.iam.gserviceaccount.com".formatted(settings.name(), part, settings.project());
  }

  /** The addresses of all that a deployment may have. */
  List<String> accounts() {
    return parts(/* trigger= */ true).map(this::account).toList();
  }

  /** The condition of the functions' role: this one database. */
  String expression() {
    return "resource.name==\"projects/%s/databases/%s\""
        .formatted(settings.project(), settings.database());
  }

  /** The roles by which a function reaches other databases than its own. */
  List<Roles.Role> otherDatabases(Roles roles, String part) {
    return roles.of(account(part)).stream()
        .filter(role -> role.role().equals("roles/datastore.user"))
        .filter(
            role ->
                !role.title().equals(settings.name()) || !role.expression().equals(expression()))
        .toList();
  }
}
