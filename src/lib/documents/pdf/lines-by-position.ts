/** Reads the lines of a page that were drawn in another order than viewers show them. */
import type { TimeSlicer } from "../time-slicer.ts";
import { type Matrix, SPACE_FROM } from "./text-layout.ts";

/** Glyphs by their number in drawing order, without spaces. One list per member: a page may have two million. */
interface PlacedGlyphs {
  texts: string[];
  /** Positions along the line. */
  starts: number[];
  ends: number[];
  /** Whether no space is between it and the glyph before it: both are in one string. */
  follows: boolean[];
}

interface Baseline {
  /** Direction of the text, in steps. */
  turn: number;
  /** Position across the direction. */
  across: number;
  /** Of the letters. */
  height: number;
}

/** Glyphs that were drawn one after another on one baseline, none to the left of the one before it. */
interface Run extends Baseline {
  /** Numbers of its first glyph, and of the one after its last. */
  from: number;
  to: number;
}

/** `from` and `to` are measured along the text from the start of the string. */
type PlaceGlyph = (text: string, from: number, to: number) => void;

export interface LinesByPosition {
  /** `size` is negative if the text runs backward. */
  startString: (matrix: Matrix, size: number) => PlaceGlyph;
  /** Yields the lines from top to bottom. */
  iterateLines: (slicer: TimeSlicer) => AsyncGenerator<string>;
  /** Returns the number of glyphs that were not read by position. */
  countSkipped: () => number;
}

/** Steps of a full circle: text of about the same direction is on the same line. */
const TURNS = 72;
const TURN = (2 * Math.PI) / TURNS;
/** In letter heights: a superscript is on the line. */
const LINE_WITHIN = 0.7;
/** In letter heights: the same baseline. */
const BASELINE_WITHIN = 0.05;
/** Runs of a page, or glyphs of a line. Printed pages have a few thousand runs, and lines a few hundred glyphs. */
const MAX_SORTED = 20_000;
/** Glyphs of a page. A printed page has a few thousand. */
const MAX_GLYPHS = 200_000;

export function createLinesByPosition(): LinesByPosition {
  const glyphs: PlacedGlyphs = { texts: [], starts: [], ends: [], follows: [] };
  const runs: Run[] = [];
  let last: Run | undefined;
  let lastStart = 0;
  let placed = 0;
  let skipped = 0;
  return { startString, iterateLines, countSkipped: () => skipped };

  function startString(matrix: Matrix, size: number): PlaceGlyph {
    const sign = size < 0 ? -1 : 1;
    const angle = Math.atan2(matrix[1] * sign, matrix[0] * sign);
    const turn = (Math.round(angle / TURN) + TURNS) % TURNS;
    const [x, y] = [Math.cos(turn * TURN), Math.sin(turn * TURN)];
    const along = matrix[4] * x + matrix[5] * y;
    const across = matrix[5] * x - matrix[4] * y;
    const scale = matrix[0] * x + matrix[1] * y;
    const height = Math.abs(size * scale) || 1;
    if (last && !isOnBaseline(last, { turn, across, height })) last = undefined;
    let follows = false;
    return (text, from, to) => {
      const [start, end] = [along + from * scale, along + to * scale];
      if (text.trim() === "") follows = false;
      // No viewer shows a glyph at infinity, and it would spoil the order of the others.
      else if (Number.isFinite(start + end + across + height)) {
        if (!last || start < lastStart) last = addRun({ turn, across, height });
        if (last) addGlyph(last, text, start, end, follows);
        follows = true;
      }
    };
  }

  function addRun(baseline: Baseline): Run | undefined {
    if (runs.length === MAX_SORTED) {
      skipped++;
      return undefined;
    }
    const run = { ...baseline, from: placed, to: placed };
    runs.push(run);
    return run;
  }

  function addGlyph(run: Run, text: string, start: number, end: number, follows: boolean) {
    lastStart = start;
    run.to = ++placed;
    if (placed > MAX_GLYPHS) return;
    glyphs.texts.push(text);
    glyphs.starts.push(start);
    glyphs.ends.push(end);
    glyphs.follows.push(follows);
  }

  async function* iterateLines(slicer: TimeSlicer) {
    for (const line of groupRuns(runs)) {
      const count = line.reduce((total, { from, to }) => total + to - from, 0);
      if (slicer.isDue(line.length === 1 ? 1 : count / 8)) await slicer.yield();
      // A single run was drawn as it is shown.
      if (line.length === 1) continue;
      const isComplete = count <= MAX_SORTED && line.every(({ to }) => to <= MAX_GLYPHS);
      if (isComplete) yield* iterateMovedTexts(glyphs, line);
      else skipped += count;
    }
  }
}

const isOnBaseline = (run: Run, { turn, across, height }: Baseline): boolean =>
  run.turn === turn &&
  run.height === height &&
  Math.abs(run.across - across) <= BASELINE_WITHIN * height;

/** Yields the runs of one line at a time. */
function* groupRuns(runs: Run[]): Generator<Run[]> {
  let line: Run[] = [];
  for (const run of runs.sort((a, b) => a.turn - b.turn || b.across - a.across)) {
    const [first] = line;
    const isSame =
      first?.turn === run.turn &&
      first.across - run.across <= LINE_WITHIN * Math.min(first.height, run.height);
    if (isSame) {
      line.push(run);
      continue;
    }
    if (first) yield line;
    line = [run];
  }
  if (line.length > 0) yield line;
}

/** Yields the texts of a line that were not drawn as they are shown. */
function* iterateMovedTexts(glyphs: PlacedGlyphs, line: Run[]): Generator<string> {
  const shown = new Set(iterateMovedParts(splitCells(glyphs, line, false)));
  yield* shown;
  if (shown.size === 0) return;
  // pdfplumber returns a letter twice that is drawn twice, viewers show one.
  for (const text of iterateMovedParts(splitCells(glyphs, line, true))) {
    if (!shown.has(text)) yield text;
  }
}

/** Glyphs without a wide gap between them. */
interface Cell {
  text: string;
  /** Whether they were drawn in this order, with no other between them. */
  isDrawn: boolean;
  first: number;
  last: number;
}

/** In letter heights: wider than the space between words. */
const COLUMN_FROM = 1;
/** Bold text and shadows are drawn several times: in letter heights, and in widths of the glyph. */
const SHADOW_WITHIN = 0.1;
const SHADOW_WIDTHS = 0.3;

function splitCells(glyphs: PlacedGlyphs, line: Run[], withShadows: boolean): Cell[] {
  const { texts, starts, ends, follows } = glyphs;
  const startOf = (glyph: number) => starts[glyph] ?? 0;
  const endOf = (glyph: number) => ends[glyph] ?? 0;
  const cells: Cell[] = [];
  let cell: Cell | undefined;
  const { sorted, overlaps } = sortGlyphs(line, startOf);
  for (const { glyph, height } of sorted) {
    const text = texts[glyph] ?? "";
    if (cell && !withShadows && isShadow(cell.last, glyph, height)) continue;
    const isNext = cell !== undefined && glyph === cell.last + 1;
    // Spaced letters are one word, unless those of another string are between them.
    const isJoined = cell === undefined || (isNext && follows[glyph] && !overlaps);
    const gap = isJoined ? 0 : (startOf(glyph) - endOf(cell?.last ?? glyph)) / height;
    if (!cell || gap > COLUMN_FROM) {
      cell = { text, isDrawn: true, first: glyph, last: glyph };
      cells.push(cell);
      continue;
    }
    cell.text += gap > SPACE_FROM ? ` ${text}` : text;
    cell.isDrawn &&= isNext;
    cell.last = glyph;
  }
  return cells;

  function isShadow(of: number, glyph: number, height: number): boolean {
    if (texts[glyph] !== texts[of]) return false;
    const width = endOf(glyph) - startOf(glyph);
    const within = Math.min(SHADOW_WITHIN * height, SHADOW_WIDTHS * width);
    return startOf(glyph) - startOf(of) < within;
  }
}

/** Returns the glyphs of a line from left to right, and whether runs share a part of it. */
function sortGlyphs(line: Run[], startOf: (glyph: number) => number) {
  line.sort((a, b) => startOf(a.from) - startOf(b.from) || a.from - b.from);
  const sorted = line.flatMap(({ from, to, height }) =>
    Array.from({ length: to - from }, (_, index) => ({ glyph: from + index, height })),
  );
  const overlaps = line.some(({ from }, index) => {
    const before = line[index - 1];
    return before !== undefined && startOf(from) < startOf(before.to - 1);
  });
  if (overlaps) sorted.sort((a, b) => startOf(a.glyph) - startOf(b.glyph) || a.glyph - b.glyph);
  return { sorted, overlaps };
}

/** Yields the parts of a line, between the gaps of columns, that were not drawn as they are shown. */
function* iterateMovedParts(cells: readonly Cell[]): Generator<string> {
  let part: Cell | undefined;
  let left: Cell | undefined;
  for (const cell of cells) {
    if (part && left && !areColumns(left.text, cell.text)) {
      part.text += ` ${cell.text}`;
      part.isDrawn &&= cell.isDrawn && cell.first === part.last + 1;
      part.last = cell.last;
    } else {
      if (part && !part.isDrawn) yield part.text;
      part = { ...cell };
    }
    left = cell;
  }
  if (part && !part.isDrawn) yield part.text;
}

/** In characters, on each side of a gap: the cells of a table and the groups of a number are shorter. */
const MIN_COLUMN = 20;

const areColumns = (left: string, right: string): boolean =>
  Math.min(left.length, right.length) >= MIN_COLUMN && !(/\d$/.test(left) && /^\d/.test(right));
