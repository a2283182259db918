/**
 * Returns the longest turn of the event loop, the result of the work, and the time of all turns. In milliseconds of
 * CPU time of this thread: on a busy machine, other processes delay a turn.
 */
export async function measureLongestTurn<T>(work: () => Promise<T>): Promise<[number, T, number]> {
  const began = readCpuMs();
  let longest = 0;
  let last = began;
  const measureTurn = () => {
    const now = readCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(measureTurn, 1);
  const result = await work();
  measureTurn();
  clearInterval(timer);
  return [longest, result, last - began];
}

function readCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
