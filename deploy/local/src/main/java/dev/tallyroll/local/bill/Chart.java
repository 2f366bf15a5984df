package dev.tallyroll.local.bill;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** Draws lines over rates as SVG. Both axes have powers of ten. */
final class Chart {
  private static final int LEFT = 70;
  private static final int TOP = 20;
  private static final int WIDTH = 560;
  private static final int HEIGHT = 380;
  private static final int LEGEND = 210;

  /** Most colour-blind people can tell these colours apart; the last lines are also dashed. */
  private static final List<String> COLOURS =
      List.of("#0b57d0", "#80868b", "#e37400", "#188038", "#c5221f", "#a50e0e");

  private final List<Double> rates;
  private final List<String> names = new ArrayList<>();
  private final List<List<Double>> lines = new ArrayList<>();

  Chart(List<Double> rates) {
    this.rates = rates;
  }

  void add(String name, List<Double> dollars) {
    names.add(name);
    lines.add(dollars);
  }

  String svg() {
    int least = (int) Math.floor(Math.log10(all().min().orElse(1)));
    int most = (int) Math.ceil(Math.log10(all().max().orElse(1)));
    int first = (int) Math.floor(Math.log10(rates.get(0)) + 1e-9);
    int last = (int) Math.ceil(Math.log10(rates.get(rates.size() - 1)) - 1e-9);
    StringBuilder svg = new StringBuilder();
    put(
        svg,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'"
            + " font-size='12'>",
        LEFT + WIDTH + LEGEND,
        TOP + HEIGHT + 50);
    put(svg, "<title>Dollars for 30 days over increments a second</title>");
    put(svg, "<rect width='100%%' height='100%%' fill='white'/>");
    for (int power = first; power <= last; power++) {
      double x = x(power, first, last);
      put(svg, "<path d='M%.1f %dv%d' stroke='#dadce0'/>", x, TOP, HEIGHT);
      put(
          svg,
          "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>",
          x,
          TOP + HEIGHT + 18,
          ten(power));
    }
    for (int power = least; power <= most; power++) {
      double y = y(power, least, most);
      put(svg, "<path d='M%d %.1fh%d' stroke='#dadce0'/>", LEFT, y, WIDTH);
      put(svg, "<text x='%d' y='%.1f' text-anchor='end'>$%s</text>", LEFT - 6, y + 4, ten(power));
    }
    put(
        svg,
        "<text x='%d' y='%d' text-anchor='middle'>increments a second</text>",
        LEFT + WIDTH / 2,
        TOP + HEIGHT + 40);
    for (int i = 0; i < lines.size(); i++) {
      StringBuilder points = new StringBuilder();
      for (int j = 0; j < rates.size(); j++) {
        points.append(
            String.format(
                Locale.ROOT,
                "%.1f,%.1f ",
                x(Math.log10(rates.get(j)), first, last),
                y(Math.log10(Math.max(1e-9, lines.get(i).get(j))), least, most)));
      }
      String dashes = i < 2 ? "" : " stroke-dasharray='" + (12 - 2 * i) + " 3'";
      put(
          svg,
          "<polyline points='%s' fill='none' stroke='%s' stroke-width='%s'%s/>",
          points.toString().strip(),
          COLOURS.get(i),
          i == 0 ? "3" : "2",
          dashes);
      int y = TOP + 16 + 20 * i;
      int x = LEFT + WIDTH + 12;
      put(
          svg,
          "<path d='M%d %dh20' stroke='%s' stroke-width='3'%s/><text x='%d' y='%d'>%s</text>",
          x,
          y - 4,
          COLOURS.get(i),
          dashes,
          x + 26,
          y,
          names.get(i));
    }
    return svg.append("</svg>\n").toString();
  }

  private DoubleStream all() {
    return lines.stream().flatMap(List::stream).mapToDouble(Double::doubleValue);
  }

  private static void put(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private static double x(double power, int first, int last) {
    return LEFT + WIDTH * (power - first) / (last - first);
  }

  private static double y(double power, int least, int most) {
    return TOP + HEIGHT - HEIGHT * (power - least) / (most - least);
  }

  private static String ten(int power) {
    return power < 0
        ? String.format(Locale.ROOT, "%." + -power + "f", Math.pow(10, power))
        : String.format(Locale.ROOT, "%,.0f", Math.pow(10, power));
  }
}
