/** Counts event-loop turns, to verify that other work can run. */
export function countEventLoopTurns(): { stop: () => number } {
  let turns = 0;
  const other = () => {
    turns += 1;
    next = setImmediate(other);
  };
  let next = setImmediate(other);
  return {
    stop() {
      clearImmediate(next);
      return turns;
    },
  };
}
