/** A wall clock and a monotonic clock that run in real time and that a test can advance. */
export interface TestClock {
  now: () => Date;
  elapsedMs: () => number;
  advance: (ms: number) => void;
}

export function createTestClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    elapsedMs: () => performance.now() + offset,
    advance: (ms) => {
      offset += ms;
    },
  };
}
