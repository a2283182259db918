/** Divides RTF into streams: text that a reader shows together, or not at all. */
import { RTF_DESTINATIONS } from "./rtf-destinations.ts";
import type { RtfLine, ShownPiece } from "./rtf-text.ts";

/** The body, or text beside it: a destination, such as a note, or hidden text. */
export interface RtfStream {
  /** Number of groups around the one that contains it; -1 for the body. */
  depth: number;
  /** The control word that begins it. */
  word: string;
  around: RtfStream | undefined;
  /** The body or note around it; undefined: it is one itself. */
  page: RtfStream | undefined;
  /** No reader shows it among the text of the page. */
  isHidden: boolean;
  /** Control words on which it depends whether a reader shows it there; the first ones of them. */
  choices: readonly string[];
  /** Readers that show it know all destinations in it. */
  isKnown: boolean;
  /** Text that no reader shows there is inside of the current line. */
  isInterrupted: boolean;
  line: RtfLine | undefined;
  /** The current line with the text about which readers disagree. */
  shown: ShownPiece[] | undefined;
}

/** Lines are read in all combinations of so many words. */
export const MAX_CHOICES = 3;

export const openBody = (): RtfStream => open(-1, "rtf", undefined, PAGE);

/** Opens a stream that some readers show where it is. `choice`: the same for words that readers treat alike. */
export function openChoice(
  depth: number,
  word: string,
  around: RtfStream,
  isKnown = around.isKnown,
  choice = word,
): RtfStream {
  const { page = around, choices } = around;
  const isMore = choices.length <= MAX_CHOICES && !choices.includes(choice);
  return open(depth, word, around, {
    page,
    isHidden: around.isHidden && !SHOWN_ANYWHERE.has(choice),
    choices: isMore ? [...choices, choice] : choices,
    isKnown,
  });
}

/** Opens a stream that no reader shows where it is. */
function openHidden(depth: number, word: string, around: RtfStream): RtfStream {
  const { page = around, choices } = around;
  page.isInterrupted = true;
  return open(depth, word, around, { page, isHidden: true, choices, isKnown: true });
}

function openNote(depth: number, word: string, around: RtfStream): RtfStream {
  (around.page ?? around).isInterrupted = true;
  return open(depth, word, around, PAGE);
}

/** Opens the stream of a destination. `isFirst`: nothing of the group is before the word. */
export function openDestination(
  depth: number,
  word: string,
  around: RtfStream,
  { isStarred, isFirst }: { isStarred: boolean; isFirst: boolean },
): RtfStream {
  const kind = RTF_DESTINATIONS.get(word);
  const choice = isStarred ? `*${word}` : word;
  const { around: outside } = around;
  if (outside && RESULTS.get(word) === around.word)
    return openChoice(depth, word, outside, around.isKnown, `${around.word} ${choice}`);
  const isKnown = isStarred || around.isKnown || FIRST_VERSION.has(word);
  if (isFirst && isKnown && kind === "note") return openNote(depth, word, around);
  if (isFirst && isKnown && kind === "data") return openHidden(depth, word, around);
  const isAlike = kind === "equation" || (kind === "container" && isKnown && word !== "pict");
  return openChoice(depth, word, around, isKnown, isAlike ? kind : (ALIKE.get(word) ?? choice));
}

/** Returns the stream of a group inside of another one. `isFallback`: some readers skip it after `\u`. */
export function enterGroup(depth: number, around: RtfStream, isFallback: boolean): RtfStream {
  if (TABLES.has(around.word)) return openHidden(depth, "", around);
  return isFallback ? openChoice(depth, "uc", around) : around;
}

const open = (
  depth: number,
  word: string,
  around: RtfStream | undefined,
  state: Pick<RtfStream, "page" | "isHidden" | "choices" | "isKnown">,
): RtfStream => ({
  depth,
  word,
  around,
  page: state.page,
  isHidden: state.isHidden,
  choices: state.choices,
  isKnown: state.isKnown,
  isInterrupted: false,
  line: undefined,
  shown: undefined,
});

const PAGE = { page: undefined, isHidden: false, choices: [], isKnown: false };
/** The containers of results. Some readers show a result and the text beside it, one of them, or none. */
const RESULTS = new Map([
  ["fldrslt", "field"],
  ["result", "object"],
  ["ud", "upr"],
]);
/** Choices for which LibreOffice shows text in any destination. */
const SHOWN_ANYWHERE = new Set(["container", "equation"]);
/** Words of shapes that readers treat alike. */
const ALIKE = new Map([
  ...["shpgrp", "shpinst", "sp"].map((word) => [word, "shp"] as const),
  ...["sn", "svb"].map((word) => [word, "sv"] as const),
]);
/** Destinations of the first version of RTF, which every reader knows. */
const FIRST_VERSION = new Set([
  ...["colortbl", "fonttbl", "info", "stylesheet", "footnote"],
  ...["header", "headerf", "headerl", "headerr", "footer", "footerf", "footerl", "footerr"],
]);
/** Containers whose groups are names. */
const TABLES = new Set(["revtbl", "stylesheet"]);
