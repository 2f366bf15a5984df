package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class OperationsLogTest {
  private final OperationsLog log = new OperationsLog();

  @Test
  void lastLineOfEachProcess_counts() {
    var first = log.newProcess();
    var second = log.newProcess();

    first.accept(line("{'message':'operations','reads':1,'sums':1,'writes':1,'deletes':0}"));
    first.accept(line("{'message':'operations','reads':5,'sums':4,'writes':3,'deletes':1}"));
    second.accept(line("{'message':'operations','reads':10,'sums':0,'writes':0,'deletes':0}"));

    assertThat(log.total()).isEqualTo(new Operations(15, 4, 3, 1));
  }

  @Test
  void otherLines_countNothing() {
    log.newProcess().accept(line("{'message':'tick','reads':1}"));

    assertThat(log.total()).isEqualTo(Operations.NONE);
  }

  @Test
  void missingNumber_isZero() {
    log.newProcess().accept(line("{'message':'operations','reads':'many','writes':2}"));

    assertThat(log.total()).isEqualTo(new Operations(0, 0, 2, 0));
  }

  private static LogLine line(String json) {
    return LogLine.parse(json.replace('\'', '"')).orElseThrow();
  }
}
