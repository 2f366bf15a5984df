package dev.tallyroll.deploy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One thing that a client tries. In every text, @C stands for a counter's id, @U for the client's
 * uid and @V for another user's: each run puts fresh ids in their place, so that no case sees what
 * another one left behind.
 *
 * @param allowed what the rules have to say
 * @param uid who tries; empty when signed out
 * @param given writes of an administrator beforehand
 */
record RulesCase(String name, boolean allowed, String uid, List<String> given, Call call) {

  /**
   * Returns the first case whose answer is not the right one, or nothing. What the cases need is
   * written in one commit, but for what must be fresh.
   *
   * @param run the number of the first case; each has its own
   */
  static Optional<RulesCase> firstToFail(RulesEmulator emulator, List<RulesCase> cases, int run)
      throws IOException, InterruptedException {
    List<String> writes = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      for (String write : cases.get(i).isTimed() ? List.<String>of() : cases.get(i).given()) {
        writes.add(fresh(write, run + i));
      }
    }
    emulator.prepare(Call.commit(writes));
    for (int i = 0; i < cases.size(); i++) {
      if (!cases.get(i).holds(emulator, run + i)) {
        return Optional.of(cases.get(i));
      }
    }
    return Optional.empty();
  }

  private boolean holds(RulesEmulator emulator, int run) throws IOException, InterruptedException {
    if (isTimed()) {
      emulator.prepare(Call.commit(given.stream().map(write -> fresh(write, run)).toList()));
    }
    Call tried = new Call(fresh(call.path(), run), fresh(call.body(), run));
    return emulator.allows(tried, fresh(uid, run)) == allowed;
  }

  private boolean isTimed() {
    return given.stream().anyMatch(write -> write.contains("REQUEST_TIME"));
  }

  private static String fresh(String text, int run) {
    return text.replace("@C", "c" + run).replace("@U", "u" + run).replace("@V", "v" + run);
  }

  @Override
  public String toString() {
    return (allowed ? "allowed: " : "denied: ") + name;
  }
}
