/**
 * Finds all matches of a program in linear time.
 *
 * An engine that searches from the left may read to the end of the text for each match, which is quadratic.
 * This one first reads the text once from its end and records at each position which steps can still lead to a
 * match. The walk from the left then never backtracks and never looks ahead.
 */

import { classifyCharacters, type Neighbor } from "./classify-characters.ts";
import type { RegexProgram } from "./compile-tree.ts";
import type { Assertion } from "./parse-pattern.ts";

export interface MatchRange {
  start: number;
  end: number;
}

/** State at a position, when the text is read from its end. */
interface State {
  /** `take` steps that accept the character after this position and lead to a match. */
  takes: readonly number[];
  after: Neighbor;
}

/** States of one block of the text, by position relative to `from`. */
interface Block {
  from: number;
  to: number;
  /** Rows of states. */
  rows: Int32Array;
  starts: Uint8Array;
}

/** Caps the cached states, so that no text can exhaust memory. Beyond it they are computed again. */
const MAX_STATES = 1000;
const BLOCK_LENGTH = 4096;
const END: State = { takes: [], after: "nothing" };

export function searchProgram({ steps, start }: RegexProgram) {
  const sets = steps.flatMap((step) => (step.kind === "take" ? [step.set] : []));
  const { classes, classOf, table, membersOf } = classifyCharacters(sets);
  const TEXT_START = classes.length;
  const width = classes.length + 1;
  const fits = steps.map((step) => (step.kind === "take" ? membersOf.get(step.set) : undefined));
  const checks = steps.some((step) => step.kind === "check");
  /** The steps that lead to a step: by taking a character, and without taking one. */
  const takesInto: number[][] = steps.map(() => []);
  const movesInto: number[][] = steps.map(() => []);
  for (const [index, step] of steps.entries()) {
    if (step.kind === "take") takesInto[step.next]?.push(index);
    if (step.kind === "check") movesInto[step.next]?.push(index);
    if (step.kind === "fork") movesInto[step.first]?.push(index);
    if (step.kind === "fork") movesInto[step.second]?.push(index);
  }

  let states: State[] = [];
  const rows = new Map<string, number>();
  /**
   * One row for each state, identified by its offset. By class: the row of the state to the left, times two, plus
   * one if a match starts between. 0: not computed yet.
   */
  let moves = new Int32Array(64 * width);
  const visited = new Float64Array(steps.length);
  const takeable = new Float64Array(steps.length);
  let round = 0;
  /** Row of the state at the end of every text. 0: not computed yet. */
  let endRow = 0;
  clearCache();

  return {
    test: (text: string) => readAll(text, true) !== undefined,
    findMatches,
  };

  function findMatches(text: string): MatchRange[] {
    const ends = readAll(text, false);
    if (!ends) return [];
    const found: MatchRange[] = [];
    let number = 0;
    let block = readBlock(text, 0, ends);
    const blockAt = (position: number) => {
      while (position > block.to) block = readBlock(text, ++number, ends);
      return block;
    };
    const stateAt = (position: number) => {
      const { rows: rowsAt, from } = blockAt(position);
      return stateOf(rowsAt[position - from] ?? 0);
    };
    for (let position = 0; position <= text.length; ) {
      const { starts, from } = blockAt(position);
      const end = starts[position - from] ? walk(text, position, stateAt) : position;
      if (end > position) found.push({ start: position, end });
      position = Math.max(end, position + 1);
    }
    return found;
  }

  /** Returns the states at the ends of all blocks; undefined when nothing matches. */
  function readAll(text: string, untilFound: boolean): readonly State[] | undefined {
    // A test that stops at a match leaves its states cached.
    if (states.length > MAX_STATES) clearCache();
    const ends: State[] = [];
    endRow ||= rowOf(END);
    let row = endRow;
    let found = 0;
    let position = text.length;
    for (let block = Math.floor(text.length / BLOCK_LENGTH); block >= 0; block--) {
      ends[block] = stateOf(row);
      const from = boundary(text, block);
      while (position > from) {
        const unit = text.charCodeAt(position - 1);
        let read = table[unit];
        position--;
        if (read === undefined) {
          const point = pointBefore(text, position + 1);
          read = classOf(point);
          if (point > 0xffff) position--;
        }
        const move = moves[row + read] || stepLeft(row, read);
        row = move >> 1;
        found |= move & 1;
      }
      if (found && untilFound) return ends;
      if (position === 0) found |= stepLeft(row, TEXT_START) & 1;
      if (states.length <= MAX_STATES) continue;
      const state = stateOf(row);
      clearCache();
      row = rowOf(state);
    }
    return found ? ends : undefined;
  }

  function readBlock(text: string, block: number, ends: readonly State[]): Block {
    if (states.length > MAX_STATES) clearCache();
    const [from, to] = [boundary(text, block), boundary(text, block + 1)];
    const rowsAt = new Int32Array(to - from + 1);
    const starts = new Uint8Array(to - from + 1);
    let row = rowOf(ends[block] ?? END);
    for (let position = to; position >= from; ) {
      const point = position === 0 ? 0 : pointBefore(text, position);
      const move = stepLeft(row, position === 0 ? TEXT_START : (table[point] ?? classOf(point)));
      rowsAt[position - from] = row;
      starts[position - from] = move & 1;
      row = move >> 1;
      position -= point > 0xffff ? 2 : 1;
    }
    return { from, to, rows: rowsAt, starts };
  }

  function stepLeft(row: number, read: number): number {
    const known = moves[row + read];
    if (known) return known;
    const { takes: leading, after } = stateOf(row);
    const before = classes[read]?.beside ?? "nothing";
    const takes: number[] = [];
    const open = [MATCH, ...leading];
    round++;
    for (const step of open) visited[step] = round;
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      for (const take of takesInto[step] ?? []) if (fits[take]?.[read]) takes.push(take);
      for (const move of movesInto[step] ?? []) {
        if (visited[move] === round || !passes(move, before, after)) continue;
        visited[move] = round;
        open.push(move);
      }
    }
    const starts = visited[start] === round ? 1 : 0;
    const left = rowOf({ takes, after: checks ? before : "other" });
    moves[row + read] = left * 2 + starts;
    return left * 2 + starts;
  }

  function rowOf(state: State): number {
    // Beyond the cap nothing is looked up: such a text rarely returns to a previous state.
    if (states.length > MAX_STATES) return add(state);
    const order = Uint16Array.from(state.takes).sort();
    const key = `${String.fromCharCode(...order)}${state.after}`;
    const known = rows.get(key);
    if (known) return known;
    const row = add(state);
    rows.set(key, row);
    return row;
  }

  function add(state: State): number {
    if ((states.length + 1) * width > moves.length) {
      const larger = new Int32Array(moves.length * 2);
      larger.set(moves);
      moves = larger;
    }
    return (states.push(state) - 1) * width;
  }

  function stateOf(row: number): State {
    return states[row / width] ?? END;
  }

  function clearCache() {
    // Row 0 represents no state.
    states = [END];
    endRow = 0;
    rows.clear();
    moves.fill(0);
  }

  /** Returns the end of the match that starts at `from`, with the preferences of the pattern. */
  function walk(text: string, from: number, stateAt: (position: number) => State) {
    let position = from;
    let step = start;
    for (;;) {
      const taken = nextTake(step, stateAt(position), besideBefore(text, position));
      if (taken?.kind !== "take") return position;
      step = taken.next;
      position += (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1;
    }
  }

  /** Returns the preferred step that takes the next character and leads to a match, or the match itself. */
  function nextTake(from: number, { takes, after }: State, before: Neighbor) {
    round++;
    for (const take of takes) takeable[take] = round;
    const open = [from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const step = steps[index];
      if (!step || visited[index] === round) continue;
      visited[index] = round;
      if (step.kind === "match" || (step.kind === "take" && takeable[index] === round)) return step;
      if (step.kind === "fork") open.push(step.second, step.first);
      if (step.kind === "check" && passes(index, before, after)) open.push(step.next);
    }
    return undefined;
  }

  function passes(index: number, before: Neighbor, after: Neighbor): boolean {
    const step = steps[index];
    return step?.kind !== "check" || holdsAt(step.assertion, before, after);
  }

  function besideBefore(text: string, position: number): Neighbor {
    if (!checks || position === 0) return "nothing";
    return classes[classOf(pointBefore(text, position))]?.beside ?? "other";
  }
}

/** `match` is always the first step of a program. */
const MATCH = 0;

function holdsAt(assertion: Assertion, before: Neighbor, after: Neighbor): boolean {
  switch (assertion) {
    case "start":
      return before === "nothing";
    case "end":
      return after === "nothing";
    case "line_start":
      return before === "nothing" || before === "newline";
    case "line_end":
      return after === "nothing" || after === "newline";
    case "edge":
      return (before === "word") !== (after === "word");
    case "no_edge":
      return (before === "word") === (after === "word");
  }
}

function pointBefore(text: string, position: number): number {
  const unit = text.charCodeAt(position - 1);
  if (unit < 0xdc00 || unit > 0xdfff || position < 2) return unit;
  const point = text.codePointAt(position - 2) ?? unit;
  return point > 0xffff ? point : unit;
}

/** Returns the start of a block, never between the halves of a surrogate pair. */
function boundary(text: string, block: number): number {
  const at = Math.min(block * BLOCK_LENGTH, text.length);
  return at > 0 && pointBefore(text, at + 1) > 0xffff ? at + 1 : at;
}
