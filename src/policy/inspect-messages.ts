/** Inspects texts, and the joints of those that a model reads in a row: a value may be split between them. */
import type { InspectionContext, Inspector, Match, PartialInspection } from "./detector.ts";
import {
  costOf,
  type InspectionSteps,
  inspectEach,
  listSteps,
  type PrepareText,
  runSteps,
} from "./inspect-texts.ts";
import {
  createSegment,
  isMemoized,
  type Segment,
  type SegmentSource,
  toSearchablePath,
} from "./segment.ts";

type InspectText = (text: Segment) => readonly Match[];

export function inspectMessages(
  inspect: InspectText,
  partial?: PartialInspection,
  prepare?: PrepareText,
): Inspector {
  const inspectTexts = inspectEach(inspect, undefined, prepare);
  const inspector: Inspector = (texts, context) =>
    // The parts of a streamed response are sent one after the other.
    texts.length < 2 || isStreamed(context)
      ? inspectTexts(texts, context)
      : runSteps(listMessageSteps(texts, inspect, prepare), context);
  return partial ? Object.assign(inspector, { partial }) : inspector;
}

const isStreamed = ({ direction, protocol }: InspectionContext): boolean =>
  direction === "output" && protocol !== "mcp";

function* listMessageSteps(
  texts: readonly Segment[],
  inspect: InspectText,
  prepare: PrepareText | undefined,
): InspectionSteps<readonly Match[]> {
  const found = yield* listSteps(texts, inspect, prepare);
  const split = yield* findSplitMatches(texts, inspect);
  return split.length === 0 ? found : [...found, ...split];
}

function* findSplitMatches(
  texts: readonly Segment[],
  inspect: InspectText,
): InspectionSteps<readonly Match[]> {
  const found: Match[] = [];
  const join = isMemoized(texts) ? joinSegmentsOnce : joinSegments;
  /** Texts of each author that the next one may continue. */
  const rows = new Map<SegmentSource, Segment[]>();
  for (const text of texts) {
    if (!isRead(text)) continue;
    const before = rows.get(text.source) ?? [];
    rows.set(text.source, before);
    before.splice(0, before.length - countContinued(before, text));
    for (const joint of before.length > 0 ? join(before, text) : []) {
      const matches = inspect(joint.segment).flatMap((match) => locateParts(match, joint));
      found.push(...matches);
      yield costOf(joint.segment);
      if (matches.length > 0) break;
    }
    before.push(text);
    dropDistant(before);
  }
  return found;
}

/** `/messages/0/content`, or a part of it: `/messages/0/content/1/text`. */
const MESSAGE = /^(.*)\/\d+\/(?:content|parts)(?:\/\d+)?(?:\/text)?$/;
/** A part of a system prompt or a tool result. Other lists of texts, such as words of a scan, are data. */
const TEXT_PART = /\/(?:content|parts|system|input|output)\/\d+\/text$/;
const PART = /\/\d+(?:\/text)?$/;
/** Beside the text of a part: its image, its cache control. */
const IN_PART = /\/(?:content|parts)\/\d+\//;

/** Returns whether a model reads this text as (part of) a message. Unknown formats are from the user. */
function isRead(text: Segment): boolean {
  const { source, role, inner, isName, isNumber } = text;
  if (isName || isNumber) return false;
  const pointer = toSearchablePath(text.pointer);
  if (inner === null && (TEXT_PART.test(pointer) || MESSAGE.test(pointer))) return true;
  return source === "user" && role === null && !IN_PART.test(pointer);
}

const NUMBER = /^[\d\s-]*$/;

/** Returns how many of the last texts this one may continue. */
function countContinued(before: readonly Segment[], text: Segment): number {
  const last = before.at(-1);
  if (!last || isNewSentence(last, text)) return 0;
  const isUser = text.source === "user";
  const isMessage = isUser || text.source === "system";
  if (isNextPart(last, text)) return before.length;
  // Numbers in responses to an assistant would often be a card together.
  if (areInOneList(last, text)) return isMessage && last.turn === text.turn ? before.length : 0;
  // So would numbers that are items of a list.
  const areNumbers = NUMBER.test(last.text) && NUMBER.test(text.text);
  return isUser && !areNumbers ? 1 : 0;
}

/** Returns whether two texts are parts of one message: `/content/0/text` and `/content/1/text`. */
function isNextPart(one: Segment, other: Segment): boolean {
  const [pointer, next] = [toSearchablePath(one.pointer), toSearchablePath(other.pointer)];
  if (!MESSAGE.test(pointer) && !TEXT_PART.test(pointer)) return false;
  const list = pointer.replace(PART, "");
  // Pages that are encoded in one text share its path.
  return list !== pointer && next !== pointer && list === next.replace(PART, "");
}

/** Returns whether two texts are of messages of one list. */
function areInOneList(one: Segment, other: Segment): boolean {
  const [, list] = MESSAGE.exec(toSearchablePath(one.pointer)) ?? [];
  const [, sameList] = MESSAGE.exec(toSearchablePath(other.pointer)) ?? [];
  return list !== undefined && list === sameList;
}

/** Keeps the last texts that fill the beginning of a joint. */
function dropDistant(texts: Segment[]): void {
  let characters = 0;
  const first = texts.findLastIndex(({ text }) => {
    characters += text.length;
    return characters >= MIN_CHARACTERS;
  });
  if (first > 0) texts.splice(0, first);
}

/** Ends of texts, and the beginning of the next. */
interface Joint {
  segment: Segment;
  pieces: readonly JointPiece[];
}

interface JointPiece {
  segment: Segment;
  /** Offset in the text at which the piece starts. */
  offset: number;
  /** Offsets in the joint. */
  start: number;
  end: number;
}

/** Shared by all detectors of an evaluation. */
const knownJoints = new WeakMap<Segment, readonly Joint[]>();

function joinSegmentsOnce(before: readonly Segment[], after: Segment): readonly Joint[] {
  const known = knownJoints.get(after);
  if (known) return known;
  const joints = joinSegments(before, after);
  knownJoints.set(after, joints);
  return joints;
}

/** Returns the texts joined directly and, if no white space separates them, with a space. */
function joinSegments(before: readonly Segment[], after: Segment): readonly Joint[] {
  const isSpaced = /\s$/.test(before.at(-1)?.text ?? "") || /^\s/.test(after.text);
  const gaps = isSpaced && before.length === 1 ? [""] : ["", " "];
  return gaps.map((gap) => createJoint(before, after, gap));
}

const isNewSentence = (before: Segment, after: Segment): boolean =>
  SENTENCE_END.test(before.text.slice(-MIN_CHARACTERS)) || SENTENCE_START.test(after.text);

function createJoint(before: readonly Segment[], after: Segment, gap: string): Joint {
  const pieces: JointPiece[] = [];
  let joined = "";
  const add = (segment: Segment, offset: number, text: string) => {
    if (joined !== "") joined += gap;
    pieces.push({ segment, offset, start: joined.length, end: joined.length + text.length });
    joined += text;
  };
  for (const segment of before) {
    const { text } = segment;
    const offset = text.length - countEdge(text, (at) => text.length - 1 - at);
    add(segment, offset, text.slice(offset));
  }
  const { text, pointer, role, source } = after;
  add(
    after,
    0,
    text.slice(
      0,
      countEdge(text, (at) => at),
    ),
  );
  return { segment: createSegment(joined, source, { pointer, role }), pieces };
}

/** Returns how much of a message is inspected: some words, and the last one completely if it is not too long. */
function countEdge(text: string, toOffset: (at: number) => number): number {
  let count = Math.min(text.length, MIN_CHARACTERS);
  const limit = Math.min(text.length, MAX_CHARACTERS);
  while (count < limit && /\S/.test(text.charAt(toOffset(count)))) count++;
  return count;
}

const MIN_CHARACTERS = 64;
/** Longer values, such as private keys, are not found if they are split. */
const MAX_CHARACTERS = 512;
/** A plain word at the end or the beginning of a sentence: no value continues in the next message. */
const SENTENCE_END = /(?:^|\s)[\p{L}'’]+[.!?]+["')]?\s*$/u;
const SENTENCE_START = /^\s{0,9}\p{Lu}[\p{Ll}'’]+[\s,!?]/u;

/** Returns one match per text, or none if the match does not reach from the last text into one before it. */
function locateParts(match: Match, { pieces }: Joint): Match[] {
  const { at, mask } = match;
  const last = pieces.at(-1);
  if (!at || !last || at.end <= last.start || at.start >= (pieces.at(-2)?.end ?? 0)) return [];
  // A mask of the length of the match is divided; any other replaces each part.
  const whole = mask && "text" in mask ? mask.text : undefined;
  const divided = whole?.length === at.end - at.start ? whole : undefined;
  return pieces.flatMap(({ segment, offset, start, end }) => {
    const [from, to] = [Math.max(at.start, start), Math.min(at.end, end)];
    if (from >= to) return [];
    const part = { segment, start: offset + from - start, end: offset + to - start };
    const text = divided?.slice(from - at.start, to - at.start);
    return [{ ...match, at: part, ...(text !== undefined && { mask: { text } }) }];
  });
}
