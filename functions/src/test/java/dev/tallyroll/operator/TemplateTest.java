package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTest {
  private static final Template TEXT = new Template("a <b>c\n\n  if d\n    <e>;\n\n  <e>\n\nf\n");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          ''            | a <b>c//  if d;//f/
          && e          | a <b>c//  if d/    && e;//  && e//f/
          && e/  && $1/ | a <b>c//  if d/    && e/      && $1;//  && e/    && $1//f/
          """)
  void partAloneOnItsLine_isSomeLinesOrNone(String part, String filled) {
    String lines = part.replace("''", "").replace('/', '\n');

    assertThat(TEXT.with("e", lines).with("b", "<b>").text().replaceAll("\n{3,}", "\n\n"))
        .isEqualTo(filled.replace('/', '\n'));
  }

  @Test
  void partInALine_mayHaveParts() {
    assertThat(new Template("a <b>c, <b>\n").with("b", "<d> ").with("d", "x").filled())
        .isEqualTo("a x c, x \n");
  }

  @Test
  void missingPart_isNamed() {
    assertThatIllegalStateException()
        .isThrownBy(() -> TEXT.with("e", "").filled())
        .withMessage("expected all parts, found none for <b>");
  }
}
