/** Where any of many short texts occur in a long one, found in one pass (Aho-Corasick). */

/** Calls `found` with the index of a needle and the place where it ends, from left to right. */
export type FindNeedles = (text: string, found: (needle: number, end: number) => void) => void;

const WIDTH = 128;

/** Needles are ASCII. */
export function findNeedles(needles: readonly string[]): FindNeedles {
  const { next, ends } = automaton(needles);
  return (text, found) => {
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      state = unit < WIDTH ? (next[state * WIDTH + unit] ?? 0) : 0;
      const here = ends[state];
      if (here !== undefined) for (const needle of here) found(needle, at + 1);
    }
  };
}

/** `ends[state]`: the needles that end there, those that end inside a longer one included. */
function automaton(needles: readonly string[]) {
  const size = 1 + needles.reduce((sum, needle) => sum + needle.length, 0);
  const next = new Int32Array(size * WIDTH);
  const ends: (number[] | undefined)[] = [undefined];
  needles.forEach((needle, index) => {
    let state = 0;
    for (let at = 0; at < needle.length; at++) {
      const step = state * WIDTH + needle.charCodeAt(at);
      if (!next[step]) next[step] = ends.push(undefined) - 1;
      state = next[step] ?? 0;
    }
    ends[state] = [...(ends[state] ?? []), index];
  });

  const fallback = new Int32Array(ends.length);
  const queue: number[] = [0];
  for (const state of queue) {
    const shorter = fallback[state] ?? 0;
    const inherited = ends[shorter];
    if (state !== 0 && inherited) ends[state] = [...(ends[state] ?? []), ...inherited];
    for (let unit = 0; unit < WIDTH; unit++) {
      const step = state * WIDTH + unit;
      const detour = state === 0 ? 0 : (next[shorter * WIDTH + unit] ?? 0);
      const target = next[step] ?? 0;
      if (target === 0) next[step] = detour;
      else {
        fallback[target] = detour;
        queue.push(target);
      }
    }
  }
  return { next, ends };
}
