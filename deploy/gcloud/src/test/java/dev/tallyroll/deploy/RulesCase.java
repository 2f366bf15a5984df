package dev.tallyroll.deploy;

import java.io.IOException;
import java.util.List;

/**
 * One thing that a client tries. In every text, @P stands for the project, @C for a counter's
 * id, @U for the client's uid and @V for another user's: each run puts fresh ids in their place, so
 * that no case sees what another one left behind. Immutable.
 *
 * @param allowed what the rules have to say
 * @param uid who tries
 * @param given writes of an administrator beforehand
 */
record RulesCase(String name, boolean allowed, String uid, List<String> given, Call call) {

  static final String SIGNED_OUT = "signed out";

  /** Plays the case under the rules of that project; has the answer been the right one? */
  boolean holds(RulesEmulator emulator, String project, int run)
      throws IOException, InterruptedException {
    if (!given.isEmpty()) {
      emulator.prepare(project, fresh(Call.commit(given), project, run));
    }
    return emulator.allows(project, fresh(call, project, run), fresh(uid, project, run)) == allowed;
  }

  private static Call fresh(Call call, String project, int run) {
    return new Call(fresh(call.path(), project, run), fresh(call.body(), project, run));
  }

  private static String fresh(String text, String project, int run) {
    return text.replace("@P", project)
        .replace("@C", "c" + run)
        .replace("@U", "u" + run)
        .replace("@V", "v" + run);
  }

  @Override
  public String toString() {
    return (allowed ? "allowed: " : "denied: ") + name;
  }
}
