package dev.tallyroll.protocol;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How the live list is split: lanes spread its index, workers share the lanes.
 *
 * @param lanes how many lanes there are
 * @param workers how many workers share them
 */
public record Lanes(int lanes, int workers) {

  /** The worker that owns a lane; worker 0 takes every lane that should not be. */
  public int workerOf(int lane) {
    return lane >= 0 && lane < lanes ? lane % workers : 0;
  }

  /** The lanes that a worker owns. */
  public List<Integer> of(int worker) {
    return IntStream.range(0, lanes).filter(lane -> lane % workers == worker).boxed().toList();
  }
}
