/**
 * Masks text that arrives in parts, with the same result as one evaluation of the whole.
 *
 * After each part, the rules inspect the text that was not sent yet, with the text before it as context. Text is sent
 * once nothing that follows can change the matches in it: every detector reports where its matches are still open.
 */
import type { WorkMeter } from "../../lib/concurrency/fair-turns.ts";
import { isAscii } from "../../lib/text/fold-name.ts";
import { createGrowingText, type GrowingText } from "../../lib/text/growing-text.ts";
import type { CompiledRule } from "../compile-policy.ts";
import type { InspectionContext, Match, PartialInspection } from "../detector.ts";
import { type CreatePseudonym, isJsonText, maskSpans } from "../masking/apply-masks.ts";
import type { PolicyRunInput } from "../policy-run.ts";
import { computeOnce, createSegment, type Segment } from "../segment.ts";
import { findOpenInViews } from "../views/find-open-in-views.ts";
import { findUndecidedWord, hasForeignLetter } from "../views/fold-letters.ts";
import type { TextSpan } from "../views/source-map.ts";
import { decodeViews } from "../views/view.ts";
import { findOpenWord } from "./find-open-word.ts";

/** A rule that masks or blocks, and whose detector can inspect text that is not complete. */
export interface StreamRule extends Pick<CompiledRule, "detector" | "inspect"> {
  action: "transform" | "block";
  partial: PartialInspection;
}

export interface TextStreamOptions {
  /** Location of the text in the complete response. */
  pointer: string;
  context: InspectionContext;
  createPseudonym: CreatePseudonym;
  isExempt: PolicyRunInput["isExempt"];
  /** Counts the time of the inspections, so that other requests have their turns. */
  work: Pick<WorkMeter, "yieldIfDue" | "exclude">;
}

export interface MaskedPart {
  /** Text to send; may be empty. */
  text: string;
  /** True: a rule blocks the response after this text. Nothing more may be sent. */
  blocked: boolean;
  /** Unsent rest of text that is too long to be inspected here, at its end: the caller evaluates the complete text. */
  held?: string;
}

/** Longer open text is not inspected again for every part, which would take quadratic time. */
const MAX_FREQUENT_CHARACTERS = 2048;
/** Longer parts are inspected in slices, with turns of other requests between them: a megabyte would block other requests for seconds. */
const MAX_SLICE_CHARACTERS = 2048;
/** Longer open text is held to its end and evaluated elsewhere: each inspection would block other requests for 0.1 s or more. */
const MAX_OPEN_CHARACTERS = 64 * 1024;
/** Keeps the last word that was sent, and a few before it. */
const MIN_CONTEXT = 64;
const NOTHING: MaskedPart = { text: "", blocked: false };

export function createTextStream(rules: readonly StreamRule[], options: TextStreamOptions) {
  const contextLength = Math.max(MIN_CONTEXT, ...rules.map(({ partial }) => partial.context));
  const keepContext = rules.find(({ partial }) => partial.keepContext)?.partial.keepContext;
  /** Context, and then the text that was not sent yet. */
  let text = "";
  let sent = 0;
  let inspected = 0;
  let isBlocked = false;
  /** True if the open text is too long to be inspected. */
  let isHeld = false;
  /** True if the text contains encoded content: it is decoded as a whole, so all of it is context. */
  let isEncoded = false;
  /** True if the text has used a foreign script. */
  let isForeign = false;
  /** The complete text while it may be a JSON document, in which a mask must be escaped. */
  let json: GrowingText | undefined = createGrowingText();
  /** True if a character other than white space has arrived, which decides whether the text may be JSON. */
  let hasStarted = false;

  return {
    async push(part: string): Promise<MaskedPart> {
      let masked = "";
      for (let at = 0; ; ) {
        // Open text is inspected again with the next slice, so that slices of constant size would take quadratic time.
        const next = at + Math.max(MAX_SLICE_CHARACTERS, countOpen());
        masked += (await pushSlice(part.slice(at, next))).text;
        if (isBlocked || next >= part.length) return { text: masked, blocked: isBlocked };
        at = next;
      }
    },
    async end(): Promise<MaskedPart> {
      if (isHeld) return { ...NOTHING, held: text.slice(sent) };
      return isBlocked ? NOTHING : await inspect(true);
    },
  };

  function countOpen(): number {
    return isEncoded ? text.length : text.length - sent;
  }

  function pushSlice(slice: string): Promise<MaskedPart> {
    text += slice;
    collectJson(slice);
    const open = countOpen();
    isHeld ||= open > MAX_OPEN_CHARACTERS;
    if (isHeld) json = undefined;
    const isFrequent = text.length - inspected < open / 8;
    if (isBlocked || isHeld || (open > MAX_FREQUENT_CHARACTERS && isFrequent)) {
      return Promise.resolve(NOTHING);
    }
    return inspect(false);
  }

  function collectJson(part: string): void {
    json?.add(part);
    if (hasStarted || !/\S/.test(part)) return;
    hasStarted = true;
    if (!/^\s*[[{]/.test(part)) json = undefined;
  }

  async function inspect(isEnd: boolean): Promise<MaskedPart> {
    inspected = text.length;
    const segment = toSegment(text);
    const { found, masked, blocked } = await findMatches(segment);
    const spans = listSpans(segment, found);
    isEncoded ||= computeOnce(segment, decodeViews).length > 1;
    const end = isEnd ? text.length : await findEnd(segment, found, spans);
    const block = Math.min(...blocked.filter((at) => at.end <= end).map(({ start }) => start));
    isBlocked = block <= text.length;
    const stop = isBlocked ? excludeSpans(spans, block) : end;
    const part = maskPart(masked, stop);
    sent = Math.max(sent, stop);
    if (!isBlocked) trimContext(spans);
    return { text: part, blocked: isBlocked };
  }

  function toSegment(content: string): Segment {
    return createSegment(content, "assistant", { pointer: options.pointer, role: "assistant" });
  }

  /** Returns all spans, also in the context and exempt ones, and those to mask and to block. */
  async function findMatches(segment: Segment) {
    const found: MatchSpan[] = [];
    const masked: MatchSpan[] = [];
    const blocked: MatchSpan[] = [];
    for (const { action, detector, inspect: find } of rules) {
      const turn = options.work.yieldIfDue();
      if (turn) await turn;
      const matches = find([segment], options.context);
      const isPending = matches instanceof Promise;
      for (const match of isPending ? await options.work.exclude(() => matches) : matches) {
        const { at, mask, reported } = match;
        if (reported === false || !at) continue;
        const span = { ...at, mask };
        found.push(span);
        if (at.end <= sent || options.isExempt?.(detector.id, match)) continue;
        if (action === "block") blocked.push(span);
        else if (mask) masked.push(span);
      }
    }
    return { found, masked, blocked };
  }

  /** Adds the matches that the detectors do not return, and joins the lines of each. */
  function listSpans(segment: Segment, found: readonly MatchSpan[]): readonly TextSpan[] {
    const others = rules.flatMap(({ partial }) => partial.findSpans?.(segment) ?? []);
    return [...found.map((span) => span.whole ?? span), ...others];
  }

  /** Returns the offset before which nothing can change. */
  async function findEnd(
    segment: Segment,
    found: readonly MatchSpan[],
    spans: readonly TextSpan[],
  ): Promise<number> {
    // How a mask is written depends on whether the complete text is JSON.
    const limit = Math.min(text.length, ...(json ? found.map(({ start }) => start) : []));
    if (limit <= sent) return sent;
    isForeign ||= hasForeignLetter(text);
    const word = findWord(segment);
    const stable = UNSTABLE.test(text.slice(word)) ? dropWord(word) : segment;
    let open = Math.min(
      word,
      stable.text.length,
      isForeign || isAscii(text) ? text.length : findUndecidedWord(text),
      limit,
    );
    for (const { partial } of rules) {
      const turn = options.work.yieldIfDue();
      if (turn) await turn;
      open = Math.min(open, partial.findOpenStart(stable, sent, options.context));
    }
    // A mask in JSON replaces the complete number.
    const end = json === undefined ? open : findNumberStart(text, open);
    return Math.max(sent, excludeSpans(spans, end));
  }

  /**
   * Returns the text without its last word, which may be read as anything once it is complete, and without letters
   * written apart that it may continue then.
   */
  function dropWord(word: number): Segment {
    const before = toSegment(text.slice(0, word));
    const start = findWord(before);
    return start === word ? before : toSegment(text.slice(0, start));
  }

  function maskPart(masked: readonly MatchSpan[], stop: number): string {
    if (stop <= sent) return "";
    // Text that may be JSON has a match here only when it is complete.
    const whole = json?.read() ?? text;
    const shift = whole.length - text.length;
    const spans = masked.flatMap(({ start, end, mask }) =>
      mask && end <= stop ? [{ start: shift + Math.max(start, sent), end: shift + end, mask }] : [],
    );
    if (spans.length === 0) return text.slice(sent, stop);
    const isJson = json !== undefined && isJsonText(whole);
    const complete = maskSpans(whole, spans, isJson, options.createPseudonym);
    return complete.slice(shift + sent, complete.length - (text.length - stop));
  }

  /** Drops text that was sent and that no detector needs as context. */
  function trimContext(spans: readonly TextSpan[]): void {
    if (isEncoded || sent < 2 * contextLength) return;
    let last = sent - contextLength;
    while (last > sent - 2 * contextLength && !/\s/.test(text.charAt(last - 1))) last--;
    const { cut, before } = findCut(spans, last);
    const kept = before + text.slice(cut);
    // The look-alikes in the kept text must be read as in the whole text.
    const mark = isForeign && !hasForeignLetter(kept) ? FOREIGN_MARK : "";
    text = mark + kept;
    sent += mark.length + before.length - cut;
    inspected = text.length;
  }

  /** Returns where to cut the context: inside no match, because the rest of one may be found as another. */
  function findCut(spans: readonly TextSpan[], last: number): { cut: number; before: string } {
    const at = excludeSpans(spans, last);
    const kept = keepContext?.(text, at) ?? { cut: at, before: "" };
    return kept.cut === at ? kept : findCut(spans, kept.cut);
  }
}

/** Returns the start of the JSON number that may contain the offset, or the offset. */
function findNumberStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && /[-+.\deE]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** Returns the start of the last word, which is longer in a view in which it has letters written apart. */
const findWord = (segment: Segment): number =>
  Math.min(
    findOpenWord(segment.text),
    findOpenInViews(segment, 0, ({ exact }) => findOpenWord(exact)),
  );
/** Matches a word with an escape, with a character that is folded, or with letters written apart. */
const UNSTABLE = /[%&\\]|[^\x21-\x7e]|(?:^|\W)\S[.*_|~-]/;
const FOREIGN_MARK = "я\n";

interface MatchSpan extends TextSpan {
  /** The complete match, if this is one line of it. */
  whole?: TextSpan;
  mask: Match["mask"] | undefined;
}

/** Returns the last offset up to `end` that is inside no match, also not between two lines of one. */
function excludeSpans(spans: readonly TextSpan[], end: number): number {
  let limit = end;
  for (const span of spans.toSorted((one, other) => other.start - one.start)) {
    if (span.start < limit && span.end > limit) limit = span.start;
  }
  return limit;
}
