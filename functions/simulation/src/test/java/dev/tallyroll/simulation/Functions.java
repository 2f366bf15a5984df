package dev.tallyroll.simulation;

import dev.tallyroll.internal.Layout;
import java.util.List;

/**
 * Functions that are deployed together.
 *
 * @param deployment its name
 * @param layouts of its entries
 */
record Functions(String deployment, List<Layout> layouts) {
  /** The functions of one entry. */
  static Functions of(Layout layout) {
    return new Functions(ServerTotals.deploymentOf(layout), List.of(layout));
  }

  /** The only layout. */
  Layout only() {
    return layouts.get(0);
  }

  /** Path of its live list. */
  String liveList() {
    return Layout.liveList(deployment);
  }
}
