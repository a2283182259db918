/** Collects the text of an RTF document, and once more what some readers show of it. */

/** The body, or text beside it: a destination, such as a note, or hidden text. */
export interface RtfStream {
  /** Number of groups around the one that contains it; -1 for the body. */
  depth: number;
  /** The control word that begins it. */
  word: string;
  /** Another stream, or text for other readers only, is inside of the current line. */
  isInterrupted: boolean;
  line: Line | undefined;
}

/** Pieces of text. A reading that is undefined is the same as `all`. */
interface Line {
  all: string[];
  /** For other readers. */
  others?: string[];
  /** With line ends around groups: some destinations contain a list of values. Not in the body. */
  parted?: string[];
  /** The group of the last piece. */
  group: object;
}

export interface RtfText {
  /** Adds text of a group. `other`: the same for other readers. */
  add: (group: { stream: RtfStream }, text: string, other: string) => void;
  endLine: (stream: RtfStream) => void;
  join: () => string;
}

export const openStream = (depth: number, word: string): RtfStream => ({
  depth,
  word,
  isInterrupted: false,
  line: undefined,
});

/**
 * All text is in the order of the file. Lines follow once more as readers show them if they are beside the body, are
 * parted by such text, or are different for other readers.
 */
export function createRtfText(): RtfText {
  const pieces: string[] = [];
  const readings: string[] = [];
  return {
    add(group, text, other) {
      if (text === "" && other === "") return;
      pieces.push(text || other);
      const { stream } = group;
      stream.line ??= { all: [], group };
      const { line } = stream;
      if (line.group !== group && stream.depth >= 0) {
        line.parted ??= [...line.all];
        line.parted.push("\n");
        line.group = group;
      }
      if (text !== other) line.others ??= [...line.all];
      stream.isInterrupted ||= text === "";
      line.all.push(text);
      line.others?.push(other);
      line.parted?.push(text);
    },
    endLine(stream) {
      const { line, isInterrupted, depth } = stream;
      stream.line = undefined;
      stream.isInterrupted = false;
      if (!line) return;
      const { all, others, parted } = line;
      const isInText = depth < 0 && !isInterrupted;
      for (const reading of [isInText ? undefined : all, others, parted])
        if (reading) readings.push("\n", reading.join(""));
    },
    join: () => pieces.join("") + readings.join(""),
  };
}
