/** Collects the text of an RTF document, and once more what some readers show of it. */
import { MAX_CHOICES, type RtfStream } from "./rtf-streams.ts";

/** Pieces of text. A reading that is undefined is the same as `all`. */
export interface RtfLine {
  all: string[];
  /** For other readers. */
  others?: string[];
  /** With line ends around groups: some destinations contain a list of values. Not in the body. */
  parted?: string[];
  /** The group of the last piece. */
  group: object;
}

export interface ShownPiece {
  text: string;
  other: string;
  /** The words on which it depends whether a reader shows it. */
  choices: readonly string[];
}

export interface RtfText {
  /** Adds text of a group. `other`: the same for other readers. */
  add: (group: { stream: RtfStream }, text: string, other: string) => void;
  endLine: (stream: RtfStream) => void;
  join: () => string;
  /** Returns whether readers disagree about more kinds of text in a line than are read in all combinations. */
  isAmbiguous: () => boolean;
}

/**
 * All text is in the order of the file. Lines follow once more as readers show them if they are beside the body, are
 * parted by such text, or are different for other readers. Text about which readers disagree is in some of these
 * lines: in all combinations of the words that it depends on. `maxLength`: longer text is not read completely.
 */
export function createRtfText(maxLength: number): RtfText {
  const pieces: string[] = [];
  const readings: string[] = [];
  let length = 0;
  let isAmbiguous = false;

  const addReading = (reading: string) => {
    readings.push("\n", reading);
    length += reading.length;
  };
  const addCombinations = (shown: ShownPiece[], isInText: boolean) => {
    const bits = assignBits(shown);
    if (bits.size > MAX_CHOICES) {
      isAmbiguous = true;
      return;
    }
    const hasOthers = shown.some(({ text, other }) => text !== other);
    // Text in the order of the file has all of them.
    const count = isInText && !hasOthers ? 2 ** bits.size - 1 : 2 ** bits.size;
    if (count <= 1) return;
    const masks = shown.map(({ choices }) =>
      choices.reduce((mask, word) => mask | (bits.get(word) ?? NO_READER), 0),
    );
    for (let chosen = 1; chosen < count; chosen++) {
      if (length > maxLength) return;
      const picked = shown.filter((_, at) => ((masks[at] ?? 0) & ~chosen) === 0);
      addReading(picked.map(({ text }) => text).join(""));
      if (hasOthers) addReading(picked.map(({ other }) => other).join(""));
    }
  };
  return {
    add(group, text, other) {
      if (text === "") return;
      pieces.push(text);
      length += text.length;
      const { stream } = group;
      stream.line ??= { all: [], group };
      const { line } = stream;
      if (line.group !== group && stream.depth >= 0) {
        line.parted ??= [...line.all];
        line.parted.push("\n");
        line.group = group;
      }
      if (text !== other) line.others ??= [...line.all];
      line.all.push(text);
      line.others?.push(other);
      line.parted?.push(text);
      const { page = stream, choices } = stream;
      if (stream.isHidden) return;
      if (page !== stream) page.shown ??= toPieces(page.line);
      page.shown?.push({ text, other, choices });
    },
    endLine(stream) {
      const { line, shown, isInterrupted, depth } = stream;
      stream.line = stream.shown = undefined;
      stream.isInterrupted = false;
      const isInText = depth < 0 && !isInterrupted;
      const all = isInText && !shown ? undefined : line?.all;
      for (const reading of [all, line?.others, line?.parted])
        if (reading) addReading(reading.join(""));
      if (shown) addCombinations(shown, isInText);
    },
    join: () => pieces.join("") + readings.join(""),
    isAmbiguous: () => isAmbiguous,
  };
}

const toPieces = (line: RtfLine | undefined): ShownPiece[] =>
  (line?.all ?? []).map((text, at) => ({ text, other: line?.others?.[at] ?? text, choices: [] }));

/** Assigns a bit to each of the first words on which text depends. */
function assignBits(shown: readonly ShownPiece[]): Map<string, number> {
  const bits = new Map<string, number>();
  for (const { text, choices } of shown)
    for (const word of choices)
      if (!bits.has(word) && bits.size <= MAX_CHOICES && WORD.test(text))
        bits.set(word, 1 << bits.size);
  return bits;
}

/** Other text, such as the `;` after an entry of a table, is in no combination. */
const WORD = /[\p{L}\p{N} ]/u;
const NO_READER = 1 << 30;
