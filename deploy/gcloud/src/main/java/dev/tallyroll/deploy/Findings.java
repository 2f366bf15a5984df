package dev.tallyroll.deploy;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The answers of a canary, and its report. Not thread-safe. */
final class Findings {
  private final Map<Question, String> answers = new EnumMap<>(Question.class);
  private final List<String> remarks = new ArrayList<>();

  Findings() {
    answers.put(Question.ENTERPRISE, "not determined: the commands refuse such a database");
  }

  void remark(String words) {
    remarks.add(words);
  }

  void answer(Question question, String answer) {
    answers.put(question, answer);
  }

  /** Answers a question, or says why there is no answer; others may still have one. */
  void ask(Question question, Supplier<String> answer) {
    try {
      answers.put(question, answer.get());
    } catch (Undetermined | CloudException | Console.Failure e) {
      answers.put(question, "not determined: " + words(e));
    }
  }

  static String words(Exception e) {
    if (e instanceof Console.Failure failure) {
      return failure.step.title() + ": " + failure.error.said();
    }
    boolean told = e instanceof Undetermined || e instanceof CloudException || e instanceof Refusal;
    return told ? String.valueOf(e.getMessage()) : e.toString();
  }

  /** The report in Markdown. Everybody may read it, so it does not name the project. */
  String report(Deployment ours) {
    List<String> lines = new ArrayList<>();
    lines.add("## A canary in a real project\n");
    lines.add("Trigger `%s` in %s.".formatted(ours.pattern(), ours.place()));
    lines.addAll(remarks);
    for (Question question : Question.values()) {
      String none = "not determined: it was not asked, see above";
      lines.add("\n### " + question.title + "\n");
      lines.add("- We say (%s): %s".formatted(question.place, question.claim));
      lines.add("- Asked: " + question.how);
      lines.add("- **Answer:** " + answers.getOrDefault(question, none));
    }
    String named = "(projects/|--project=)" + ours.project() + "\\b";
    return lines.stream()
        .map(line -> line.replaceAll(named, "$1PROJECT"))
        .collect(Collectors.joining("\n"));
  }
}
