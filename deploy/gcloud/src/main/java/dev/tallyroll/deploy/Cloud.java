package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import java.util.List;

/** The platform: gcloud's commands, and the REST calls that gcloud has no command for. */
interface Cloud {

  /**
   * The answer to a command.
   *
   * @param unreachable the places that a list leaves out, since they did not answer
   */
  record Answer(JsonElement json, List<String> unreachable) {}

  /**
   * Runs a gcloud command.
   *
   * @throws CloudException if it fails, or gcloud cannot be run
   */
  Answer gcloud(List<String> words);

  /**
   * Calls a REST API as the account that gcloud is signed in with.
   *
   * @param body JSON, or empty
   * @throws CloudException if it is answered with an error, or not at all
   */
  JsonElement http(String method, String url, String body);

  /**
   * Posts as a client to which nobody is signed in.
   *
   * @throws CloudException as http does
   */
  JsonElement asAnybody(String url, String body);
}
