/** A wall clock that runs in real time and that a test can advance. */
export interface TestClock {
  now: () => Date;
  advance: (ms: number) => void;
}

export function createTestClock(): TestClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance: (ms) => {
      offset += ms;
    },
  };
}
