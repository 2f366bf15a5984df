package dev.tallyroll.local.bill;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Draws panels of lines over rates as one SVG. Both axes have powers of ten. */
record Chart(List<Double> rates, List<Panel> panels) {
  private static final int WIDTH = 360;
  private static final int HEIGHT = 330;
  private static final int LEFT = 66;
  private static final int TOP = 44;
  private static final int GAP = 56;
  private static final int LEGEND = TOP + HEIGHT + 80;

  /** Most people can tell these apart, on white and on black: a colour for each, and dashes. */
  private static final String STYLE =
      """
      <style>
      text { font: 13px system-ui, sans-serif; fill: #3c4043; }
      .title { font-weight: 600; }
      .page { fill: #ffffff; }
      .grid { stroke: #e3e6ea; }
      .line { fill: none; stroke-width: 2.2; stroke-linejoin: round; stroke-linecap: round; }
      .l0 { stroke: #0b57d0; stroke-width: 3.6; }
      .l1 { stroke: #00897b; }
      .l2 { stroke: #9334e6; stroke-dasharray: 7 5; }
      .l3 { stroke: #d93025; }
      .l4 { stroke: #80868b; stroke-dasharray: 1 5; }
      @media (prefers-color-scheme: dark) {
      text { fill: #d5dae1; }
      .page { fill: #0d1117; }
      .grid { stroke: #2b313a; }
      .l0 { stroke: #8ab4f8; }
      .l1 { stroke: #4dd0b5; }
      .l2 { stroke: #c58af9; }
      .l3 { stroke: #f28b82; }
      .l4 { stroke: #9aa0a6; }
      }
      </style>
      """;

  /** Lines over the rates, each a list of dollars. */
  record Panel(String title, List<Curve> curves) {}

  record Curve(String name, List<Double> dollars) {}

  /** A range of powers of ten. */
  private record Powers(int first, int last) {
    static Powers of(List<Double> values) {
      return new Powers(
          (int) Math.floor(Math.log10(values.stream().min(Double::compare).orElse(1.0)) + 1e-9),
          (int) Math.ceil(Math.log10(values.stream().max(Double::compare).orElse(1.0)) - 1e-9));
    }

    double part(double value) {
      return (Math.log10(Math.max(1e-9, value)) - first) / Math.max(1, last - first);
    }

    List<Double> values() {
      return IntStream.rangeClosed(first, last)
          .mapToObj(exponent -> StrictMath.pow(10, exponent))
          .toList();
    }
  }

  String svg() {
    StringBuilder svg = new StringBuilder();
    int width = LEFT + panels.size() * (WIDTH + GAP) - GAP / 2;
    put(svg, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d'>", width, LEGEND + 38);
    put(svg, "<title>Dollars for 30 days over increments a second</title>");
    svg.append(STYLE);
    put(svg, "<rect class='page' width='100%%' height='100%%' rx='8'/>");
    Powers dollars =
        Powers.of(
            panels.stream()
                .flatMap(panel -> panel.curves.stream())
                .flatMap(curve -> curve.dollars.stream())
                .filter(sum -> sum > 0)
                .toList());
    for (double each : dollars.values()) {
      text(svg, "end", LEFT - 8, y(dollars, each) + 4, "$" + number(each));
    }
    for (int i = 0; i < panels.size(); i++) {
      put(svg, "<g transform='translate(%d %d)'>", LEFT + i * (WIDTH + GAP), TOP);
      panel(svg, panels.get(i), dollars);
      put(svg, "</g>");
    }
    legend(svg, panels.get(0).curves);
    return svg.append("</svg>\n").toString();
  }

  private void panel(StringBuilder svg, Panel panel, Powers dollars) {
    Powers all = Powers.of(rates);
    put(svg, "<text class='title' x='0' y='-16'>%s</text>", panel.title);
    for (double each : all.values()) {
      put(svg, "<path class='grid' d='M%.1f 0v%d'/>", WIDTH * all.part(each), HEIGHT);
      text(svg, "middle", WIDTH * all.part(each), HEIGHT + 20, name(each));
    }
    for (double each : dollars.values()) {
      put(svg, "<path class='grid' d='M0 %.1fh%d'/>", y(dollars, each) - TOP, WIDTH);
    }
    text(svg, "middle", WIDTH / 2.0, HEIGHT + 42, "increments a second");
    for (int i = panel.curves.size() - 1; i >= 0; i--) {
      List<Double> values = panel.curves.get(i).dollars;
      String points =
          IntStream.range(0, rates.size())
              .mapToObj(
                  at ->
                      String.format(
                          Locale.ROOT,
                          "%.1f,%.1f",
                          WIDTH * all.part(rates.get(at)),
                          y(dollars, values.get(at)) - TOP))
              .collect(Collectors.joining(" "));
      put(svg, "<polyline class='line l%d' points='%s'/>", i, points);
    }
  }

  private static void legend(StringBuilder svg, List<Curve> curves) {
    int[] columns = {LEFT, LEFT + 200, LEFT + 460};
    for (int i = 0; i < curves.size(); i++) {
      int x = columns[i % columns.length];
      int y = LEGEND + 22 * (i / columns.length);
      put(svg, "<path class='line l%d' d='M%d %dh26'/>", i, x, y - 4);
      text(svg, "start", x + 34, y, curves.get(i).name);
    }
  }

  private static double y(Powers dollars, double value) {
    return TOP + HEIGHT * (1 - dollars.part(value));
  }

  private static void text(StringBuilder svg, String anchor, double x, double y, String text) {
    put(svg, "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>", x, y, anchor, text);
  }

  private static void put(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static String name(double rate) {
    return rate < 1 ? Double.toString(Math.rint(rate * 1e4) / 1e4) : number(rate);
  }

  /** Cents, or whole numbers. */
  private static String number(double value) {
    return String.format(Locale.ROOT, value < 1 ? "%.2f" : "%,.0f", value);
  }
}
