/** Finds every occurrence of many keywords in one pass (Aho-Corasick). */

/**
 * Calls `found` from left to right with the index of the keyword and the offset of its end. Returns the length of the
 * longest beginning of a keyword that the text ends with.
 */
export type FindKeywords = (text: string, found: (keyword: number, end: number) => void) => number;

const UNITS = 65_536;
/** 16 MiB: with Chinese keywords, a row for each state of a long list would take gigabytes. */
const MAX_CELLS = 4 * 1024 * 1024;

/** Keywords must be distinct. With `ignore_case` they must be in lower case, and the text is lowered. */
export function createKeywordFinder(
  keywords: readonly string[],
  options: { ignore_case?: boolean } = {},
): FindKeywords {
  // Lazy: the built-in keyword lists are large and would delay the start.
  let built: ReturnType<typeof buildAutomaton> | undefined;

  return (text, found) => {
    built ??= buildAutomaton(keywords, classify(keywords, options.ignore_case ?? false));
    const { classOf, moves, stateOf, deeper, keywordAt, shorter, depths } = built;
    let row = 0;
    for (let at = 0; at < text.length; at++) {
      row = moves[row + (classOf[text.charCodeAt(at)] ?? 0)] ?? 0;
      if (row >= 0) continue;
      for (row = ~row; ; row = deeper(row, classOf[text.charCodeAt(++at)] ?? 0)) {
        for (let ended = stateOf(row); ended > 0; ended = shorter[ended] ?? 0) {
          const keyword = keywordAt[ended] ?? -1;
          if (keyword >= 0) found(keyword, at + 1);
        }
        if (row < moves.length || at + 1 === text.length) break;
      }
    }
    return depths[stateOf(row)] ?? 0;
  };
}

interface Classes {
  classOf: Uint16Array;
  width: number;
}

/**
 * Assigns class 0 to all characters that no keyword contains, and low classes to frequent ones: the cells that ordinary
 * text reads are in few cache lines.
 */
function classify(keywords: readonly string[], ignoreCase: boolean): Classes {
  const counts = new Map<number, number>();
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at++) {
      const unit = keyword.charCodeAt(at);
      counts.set(unit, (counts.get(unit) ?? 0) + 1);
    }
  }
  const classOf = new Uint16Array(UNITS);
  const units = [...counts].sort(([, one], [, other]) => other - one).map(([unit]) => unit);
  for (const [index, unit] of units.entries()) {
    classOf[unit] = index + 1;
    if (ignoreCase) classOf[toUpperCaseUnit(unit)] = index + 1;
  }
  return { classOf, width: units.length + 1 };
}

/** Returns the upper-case form where it is one code unit, else the unit itself (`ß`). */
function toUpperCaseUnit(unit: number): number {
  const letter = String.fromCharCode(unit);
  const upper = letter.toUpperCase();
  return upper.length === 1 && upper.toLowerCase() === letter ? upper.charCodeAt(0) : unit;
}

/**
 * A state is identified by the offset of its row in `moves`, which contains the row of the next state by class.
 * States beyond the last row are numbered after it. A move is bit-inverted where a keyword ends or no row follows.
 */
function buildAutomaton(keywords: readonly string[], { classOf, width }: Classes) {
  const { edges, parents, units, keywordAt } = buildTrie(keywords, classOf);
  const states = parents.length;
  /** By state: the longest suffix of its text that is a prefix of a keyword; the longest that is a keyword. */
  const fallback = new Int32Array(states);
  const depths = new Int32Array(states);
  const shorter = new Int32Array(states);
  const after = (state: number, unit: number): number => {
    for (let from = state; ; from = fallback[from] ?? 0) {
      const to = edges.get(from * UNITS + unit);
      if (to !== undefined) return to;
      if (from === 0) return 0;
    }
  };
  for (let state = 1; state < states; state++) {
    const parent = parents[state] ?? 0;
    const detour = parent === 0 ? 0 : after(fallback[parent] ?? 0, units[state] ?? 0);
    fallback[state] = detour;
    depths[state] = (depths[parent] ?? 0) + 1;
    shorter[state] = (keywordAt[detour] ?? -1) >= 0 ? detour : (shorter[detour] ?? 0);
  }

  const rows = Math.min(states, Math.floor(MAX_CELLS / width));
  const moves = new Int32Array(rows * width);
  const rowOf = (state: number) => (state < rows ? state * width : state - rows + moves.length);
  const stateOf = (row: number) => (row < moves.length ? row / width : row - moves.length + rows);
  const isPlain = (state: number) =>
    state < rows && shorter[state] === 0 && (keywordAt[state] ?? -1) < 0;
  // A state without an edge for a class moves as its fallback does, whose row is complete by then.
  const byParent = Map.groupBy(parents.keys().drop(1), (state) => parents[state] ?? 0);
  for (let state = 0; state < rows; state++) {
    const detour = (fallback[state] ?? 0) * width;
    moves.copyWithin(state * width, detour, detour + width);
    for (const child of byParent.get(state) ?? []) {
      moves[state * width + (units[child] ?? 0)] = isPlain(child) ? rowOf(child) : ~rowOf(child);
    }
  }
  const deeper = (row: number, unit: number) => rowOf(after(stateOf(row), unit));
  return { classOf, moves, stateOf, deeper, keywordAt, shorter, depths };
}

/**
 * States are numbered by depth, so that the states that ordinary text reaches share cache lines. State 0 is the root.
 */
function buildTrie(keywords: readonly string[], classOf: Uint16Array) {
  /** Keyed by state * UNITS + class of the next character. */
  const edges = new Map<number, number>();
  /** By state: its parent, and the class that leads to it. */
  const parents = [0];
  const units = [0];
  const reached = new Int32Array(keywords.length);
  let open = [...keywords.keys()];
  for (let depth = 0; open.length > 0; depth++) {
    open = open.filter((index) => depth < (keywords[index]?.length ?? 0));
    for (const index of open) {
      const from = reached[index] ?? 0;
      const unit = classOf[keywords[index]?.charCodeAt(depth) ?? 0] ?? 0;
      const edge = from * UNITS + unit;
      const to = edges.get(edge) ?? parents.push(from) - 1;
      if (to === units.length) {
        units.push(unit);
        edges.set(edge, to);
      }
      reached[index] = to;
    }
  }
  const keywordAt = new Int32Array(parents.length).fill(-1);
  for (const [index, state] of reached.entries()) keywordAt[state] = index;
  return { edges, parents, units, keywordAt };
}
