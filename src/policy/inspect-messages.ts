/** Inspects texts, and the joints of consecutive user messages: a value may be split between two of them. */
import { type Inspector, inspectEach, type Match, type PartialInspection } from "./detector.ts";
import { createSegment, isMemoized, type Segment } from "./segment.ts";

type InspectText = (text: Segment) => readonly Match[];

export function inspectMessages(inspect: InspectText, partial?: PartialInspection): Inspector {
  const inspectTexts = inspectEach(inspect);
  const inspector: Inspector = (texts, context) => {
    const found = inspectTexts(texts, context);
    if (texts.length < 2 || found instanceof Promise) return found;
    const split = findSplitMatches(texts, inspect);
    return split.length === 0 ? found : [...found, ...split];
  };
  return partial ? Object.assign(inspector, { partial }) : inspector;
}

function findSplitMatches(texts: readonly Segment[], inspect: InspectText): readonly Match[] {
  const found: Match[] = [];
  const join = isMemoized(texts) ? joinSegmentsOnce : joinSegments;
  let before: Segment | undefined;
  for (const text of texts) {
    if (text.source !== "user" || text.isName || text.isNumber) continue;
    for (const joint of before ? join(before, text) : []) {
      const matches = inspect(joint.segment).flatMap((match) => locateParts(match, joint));
      found.push(...matches);
      if (matches.length > 0) break;
    }
    before = text;
  }
  return found;
}

/** End of one text and beginning of the next. */
interface Joint {
  segment: Segment;
  before: Segment;
  after: Segment;
  /** Offset in `before` at which the joint starts. */
  offset: number;
  /** Offsets in the joint between which the texts meet. */
  end: number;
  start: number;
}

/** Shared by all detectors of an evaluation. */
const knownJoints = new WeakMap<Segment, readonly Joint[]>();

function joinSegmentsOnce(before: Segment, after: Segment): readonly Joint[] {
  const known = knownJoints.get(after);
  if (known) return known;
  const joints = joinSegments(before, after);
  knownJoints.set(after, joints);
  return joints;
}

/** Returns the texts joined directly and, if no white space separates them, with a space. */
function joinSegments(before: Segment, after: Segment): readonly Joint[] {
  const gaps = /\s$/.test(before.text) || /^\s/.test(after.text) ? [""] : ["", " "];
  const isNewSentence =
    SENTENCE_END.test(before.text.slice(-MIN_CHARACTERS)) || SENTENCE_START.test(after.text);
  return isNewSentence ? [] : gaps.map((gap) => createJoint(before, after, gap));
}

function createJoint(before: Segment, after: Segment, gap: string): Joint {
  const offset = before.text.length - countEdge(before.text, (at) => before.text.length - 1 - at);
  const tail = before.text.slice(offset);
  const head = after.text.slice(
    0,
    countEdge(after.text, (at) => at),
  );
  const { pointer, role } = after;
  return {
    segment: createSegment(tail + gap + head, after.source, { pointer, role }),
    before,
    after,
    offset,
    end: tail.length,
    start: tail.length + gap.length,
  };
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
const SENTENCE_START = /^\s{0,9}\p{Lu}[\p{Ll}'’]*[\s,!?]/u;

/** Returns one match per text, or none if the match does not reach into both. */
function locateParts(match: Match, joint: Joint): Match[] {
  const { at, mask } = match;
  if (!at || at.start >= joint.end || at.end <= joint.start) return [];
  const first = {
    segment: joint.before,
    start: joint.offset + at.start,
    end: joint.before.text.length,
  };
  const second = { segment: joint.after, start: 0, end: at.end - joint.start };
  // A mask of the length of the match is divided; any other replaces each part.
  const isDivided = mask && "text" in mask && mask.text.length === at.end - at.start;
  if (!isDivided) return [first, second].map((part) => ({ ...match, at: part }));
  return [
    { ...match, at: first, mask: { text: mask.text.slice(0, first.end - first.start) } },
    { ...match, at: second, mask: { text: mask.text.slice(-second.end) } },
  ];
}
