/** Returns the longest turn of the event loop in milliseconds, and the result of the work. */
export async function measureLongestTurn<T>(work: () => Promise<T>): Promise<[number, T]> {
  let longest = 0;
  let last = performance.now();
  const measureTurn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measureTurn, 1);
  const result = await work();
  measureTurn();
  clearInterval(timer);
  return [longest, result];
}
