/** Finds every occurrence of any of many keywords in one pass over a text (Aho-Corasick). */

/** `found` hears the number of the keyword and where it ends, from left to right. */
export type FindKeywords = (text: string, found: (keyword: number, end: number) => void) => void;

const TABLE_SIZE = 65_536;

/** Keywords must differ. With `ignore_case` they are in lower case, and ASCII letters of the text are read so. */
export function keywordFinder(
  keywords: readonly string[],
  options: { ignore_case?: boolean } = {},
): FindKeywords {
  const build = () => {
    const { classOf, width } = classify(keywords, options.ignore_case ?? false);
    return { classOf, width, ...automaton(keywords, classOf, width) };
  };
  // With the first text: the built-in tables are large, and a start must not wait for them.
  let built: ReturnType<typeof build> | undefined;

  return (text, found) => {
    built ??= build();
    const { classOf, width, moves, keywordAt, shorter } = built;
    let row = 0;
    for (let at = 0; at < text.length; at++) {
      row = moves[row + (classOf[text.charCodeAt(at)] ?? 0)] ?? 0;
      if (row >= 0) continue;
      row = ~row;
      for (let ended = row / width; ended > 0; ended = shorter[ended] ?? 0) {
        const keyword = keywordAt[ended] ?? -1;
        if (keyword >= 0) found(keyword, at + 1);
      }
    }
  };
}

/** Characters that no keyword holds are all of class 0. */
function classify(keywords: readonly string[], ignoreCase: boolean) {
  const classOf = new Uint16Array(TABLE_SIZE);
  let width = 1;
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at++) {
      const unit = keyword.charCodeAt(at);
      if (!classOf[unit]) classOf[unit] = width++;
    }
  }
  if (ignoreCase) {
    for (let upper = 0x41; upper <= 0x5a; upper++) classOf[upper] = classOf[upper + 0x20] ?? 0;
  }
  return { classOf, width };
}

/** States are numbered by their depth: those that ordinary text leads to lie together in the processor's cache. */
function automaton(keywords: readonly string[], classOf: Uint16Array, width: number) {
  const { next, keywordAt, states } = trie(keywords, classOf, width);
  /** By state: the longest end of its text that is the start of a keyword; and the longest that is a keyword. */
  const fallback = new Int32Array(states);
  const shorter = new Int32Array(states);
  const queue = [0];
  for (const state of queue) {
    const detour = fallback[state] ?? 0;
    shorter[state] = (keywordAt[detour] ?? -1) >= 0 ? detour : (shorter[detour] ?? 0);
    for (let unit = 1; unit < width; unit++) {
      const step = state * width + unit;
      const around = state === 0 ? 0 : (next[detour * width + unit] ?? 0);
      const target = next[step] ?? 0;
      if (target === 0) next[step] = around;
      else {
        fallback[target] = around;
        queue.push(target);
      }
    }
  }

  const number = new Int32Array(states);
  for (const [index, state] of queue.entries()) number[state] = index;
  /** By state: where its row begins, with all bits turned if a keyword ends there. */
  const rows = number.map((index, state) => {
    const isEnd = (shorter[state] ?? 0) > 0 || (keywordAt[state] ?? -1) >= 0;
    return isEnd ? ~(index * width) : index * width;
  });
  /** By row and class: the row of the next state. */
  const moves = new Int32Array(states * width);
  for (const [index, state] of queue.entries()) {
    for (let unit = 0; unit < width; unit++) {
      moves[index * width + unit] = rows[next[state * width + unit] ?? 0] ?? 0;
    }
  }
  return {
    moves,
    keywordAt: Int32Array.from(queue, (state) => keywordAt[state] ?? -1),
    shorter: Int32Array.from(queue, (state) => number[shorter[state] ?? 0] ?? 0),
  };
}

/** `next` by state and class. State 0 is where every keyword begins, and stands for none. */
function trie(keywords: readonly string[], classOf: Uint16Array, width: number) {
  const most = 1 + keywords.reduce((sum, keyword) => sum + keyword.length, 0);
  const next = new Int32Array(most * width);
  const keywordAt = new Int32Array(most).fill(-1);
  let states = 1;
  for (const [index, keyword] of keywords.entries()) {
    let state = 0;
    for (let at = 0; at < keyword.length; at++) {
      const step = state * width + (classOf[keyword.charCodeAt(at)] ?? 0);
      if (!next[step]) next[step] = states++;
      state = next[step] ?? 0;
    }
    keywordAt[state] = index;
  }
  return { next, keywordAt, states };
}
