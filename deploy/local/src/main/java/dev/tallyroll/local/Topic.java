package dev.tallyroll.local;

/** A Pub/Sub topic of a project. Immutable. */
record Topic(String project, String id) {
  /** As the REST interface names it. */
  String name() {
    return "projects/%s/topics/%s".formatted(project, id);
  }

  /** As a CloudEvent from it names it. */
  String source() {
    return "//pubsub.googleapis.com/" + name();
  }
}
