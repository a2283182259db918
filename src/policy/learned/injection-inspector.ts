/** Inspects text with both stages of the injection model, folded and deobfuscated. */
import type { TextOrigin } from "../../contract/guard/actions.ts";
import type { DetectorServices, InspectionContext, Inspector, Match } from "../detector.ts";
import { costOf, finishSteps, type InspectionSteps, runSteps } from "../inspect-texts.ts";
import { BLANK_LINES } from "../passage.ts";
import {
  computeOnce,
  isMemoized,
  type Segment,
  type SegmentSource,
  sourceByOrigin,
} from "../segment.ts";
import type { LearnedSettings } from "../setting-schemas.ts";
import { foldLeetspeak, isLikelyLeetspeak } from "../views/fold-leetspeak.ts";
import { blankLetterIndexes } from "../views/letter-index.ts";
import type { TextSpan } from "../views/source-map.ts";
import { decodeViews, foldText, type View } from "../views/view.ts";
import { findOverridePhrases } from "./override-phrases.ts";
import {
  type Cascade,
  type InjectionType,
  MAX_WINDOWS,
  type ModelOrigin,
  type ScoredWindow,
  type WindowScorer,
} from "./window-scorer.ts";

/** Origins of text that may come from an attacker. The client's own software wrote the others. */
export const UNTRUSTED_ORIGINS: readonly TextOrigin[] = ["user", "tool_result", "document"];

const ORIGINS: Readonly<Partial<Record<SegmentSource, ModelOrigin>>> = {
  user: "user",
  system: "system",
  tool_definition: "tool_definition",
  tool_result: "tool_result",
  attachment: "document",
};

/**
 * Windows that stage 2 reads at once, those with the highest scores of stage 1. Each takes about 8 ms, unless it was read
 * before: conversations repeat their texts, and their verdicts must not depend on the texts beside them.
 */
const MAX_ENCODED_WINDOWS = 64;
/** Subtracted from the logit of text that stage 2 did not read, because it is clearly harmless. */
const HARMLESS_OFFSET = 1;
/** The highest of many scores is high by chance: factor of the logarithm of their number, which is subtracted. */
const COUNT_FACTOR = 1.2;
/** Padding must not hide an attack: further windows are not counted. */
const MAX_COUNTED_WINDOWS = 8;

/**
 * Returns the window with the highest score of each text, reported from the threshold on. Of reported texts it returns
 * the other windows as well, so that all of them can be withheld.
 */
export function createInjectionInspector(
  type: InjectionType,
  { level, threshold }: LearnedSettings,
): Inspector {
  const findThreshold: NonNullable<Inspector["findThreshold"]> = async ({ loadWindowScorer }) =>
    threshold ?? (await loadWindowScorer()).cascade.thresholds[type][level];
  const inspect: Inspector = async (texts, context) => {
    if (texts.length === 0) return [];
    const { services, isExempt } = context;
    const scorer = await services.loadWindowScorer();
    const found = await runSteps(findWindows(scorer, texts, isExempt), context);
    const limit = await findThreshold(services);
    const score = async (windows: readonly FoundWindow[]): Promise<Match[]> => {
      const confidences = await scoreWindows(windows, scorer.cascade, services);
      return windows.map(({ at }, index) => {
        const match = { label: type, type, confidence: confidences[index] ?? 0, at };
        return match.confidence < limit ? { ...match, reported: false } : match;
      });
    };
    const best = await score(found.flatMap(([first]) => first ?? []));
    // At 0, every text is reported with the score that a threshold is compared with, and no passage of it is looked for.
    if (limit === 0) return best;
    const isReported = (match: Match) => match.reported !== false;
    const others = found.flatMap(([first, ...rest], index) => {
      const match = best[index];
      return first && match && isReported(match) ? listOthers(first, rest) : [];
    });
    const more = others.length > 0 ? await score(others) : [];
    return [...best, ...more.filter(isReported)];
  };
  return Object.assign(inspect, { findThreshold });
}

/** Returns the scores of windows; stage 2 reads those that are not clearly harmless. */
async function scoreWindows(
  windows: readonly FoundWindow[],
  cascade: Cascade,
  services: Pick<DetectorServices, "scoreWindows">,
): Promise<number[]> {
  const uncertain = windows
    .filter(({ window }) => window.ids.length > 0 && window.logit > cascade.band)
    .sort((one, other) => other.window.logit - one.window.logit)
    .slice(0, MAX_ENCODED_WINDOWS);
  const inputs = uncertain.map(({ window, origin }) => ({ ids: window.ids, origin }));
  const encoded = inputs.length > 0 ? await services.scoreWindows(inputs) : [];
  const logits = new Map(uncertain.map((each, index) => [each, encoded[index]]));
  return windows.map((each) => toScore(combine(each.window, logits.get(each), cascade)));
}

/** Returns the other windows of a reported text, or the complete text if there may be more suspicious ones than are kept. */
function listOthers(first: FoundWindow, rest: readonly FoundWindow[]): FoundWindow[] {
  const last = rest[MAX_WINDOWS - 2];
  if (last && last.window.logit > 0) {
    return [{ ...first, at: { ...first.at, ...wholeOf(first.at.segment) } }];
  }
  return dropOverlapping([first, ...rest]).slice(1);
}

/** Drops windows that have text in common with one before them. */
function dropOverlapping(windows: readonly FoundWindow[]): FoundWindow[] {
  const kept: FoundWindow[] = [];
  for (const window of windows) {
    if (!kept.some(({ at }) => overlap(at, window.at))) kept.push(window);
  }
  return kept;
}

const overlap = (one: TextSpan, other: TextSpan): boolean =>
  one.start < other.end && other.start < one.end;

/** Returns the logit of text: that of its best window, lowered for long text. `second` is that of stage 2, if it read the window. */
function combine(window: ScoredWindow, second: number | undefined, cascade: Cascade): number {
  const count = Math.min(window.count, MAX_COUNTED_WINDOWS);
  return combineStages(window, second, cascade) - COUNT_FACTOR * Math.log(count);
}

function combineStages(
  { logit }: ScoredWindow,
  second: number | undefined,
  { share, band }: Cascade,
): number {
  if (logit <= band) return logit - HARMLESS_OFFSET;
  return share * logit + (1 - share) * (second ?? logit);
}

const toScore = (logit: number): number => 1 / (1 + Math.exp(-logit));

interface FoundWindow {
  window: ScoredWindow;
  origin: ModelOrigin;
  at: NonNullable<Match["at"]>;
}

/** Matches a name of several words, which may be an instruction. */
const IS_PROSE = /\S\s+\S+\s+\S/;
/**
 * The same for a name without spaces. Fewer words are read only if they override instructions: the model finds
 * `initialPromptTokenCount` suspicious.
 */
const IS_JOINED_PROSE =
  /^(?:\S+ ){5,}|\b(?:ignore|disregard|forget|override|bypass)\b.*\b(?:instructions?|prompts?|guidelines)\b/i;

/** Returns a name with spaces between its words: `ignore_allPrevious` as `ignore all Previous`. */
const spaceWords = (name: string): string =>
  name.replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|[^\p{L}\p{N}]+/gu, " ").trim();

/** Returns the words of a name that an MCP server lists; undefined if they cannot be an instruction. */
function readJoinedWords({ text, isName, source }: Segment): string | undefined {
  if (!isName || source !== "tool_definition") return undefined;
  const words = spaceWords(text);
  return IS_JOINED_PROSE.test(words) ? words : undefined;
}

function* findWindows(
  scorer: WindowScorer,
  texts: readonly Segment[],
  isExempt: InspectionContext["isExempt"],
): InspectionSteps<FoundWindow[][]> {
  const found: FoundWindow[][] = [];
  for (const segment of texts) {
    const windows = isExempt
      ? yield* findUnlessExempt(scorer, segment, isExempt)
      : yield* findWindowsOf(scorer, segment);
    if (windows.length > 0) found.push(windows);
    if (!isMemoized(texts)) segment.memo = undefined;
  }
  return found;
}

/** Returns the windows of the segment with the highest scores of stage 1, the highest first. */
function* findWindowsOf(scorer: WindowScorer, segment: Segment): InspectionSteps<FoundWindow[]> {
  const origin = ORIGINS[sourceByOrigin(segment)];
  const words = readJoinedWords(segment);
  const isPlainName = segment.isName && words === undefined && !IS_PROSE.test(segment.text);
  if (origin === undefined || isPlainName) return [];
  const found: FoundWindow[] = [];
  const readings = listReadings(segment);
  if (words !== undefined) readings.push({ text: words, toOriginal: () => wholeOf(segment) });
  yield costOf(segment);
  for (const { text, toOriginal } of readings) {
    const phrases = findOverridePhrases(text);
    const windows = yield* scorer.findHighest(text, origin);
    for (const window of [...phrases, ...windows]) {
      const span = toOriginal(window.start, window.end);
      found.push({ window, origin, at: { segment, ...narrow(scorer, segment, span, origin) } });
    }
  }
  return found.sort((one, other) => other.window.logit - one.window.logit);
}

/** Returns the paragraphs of a window that have the highest scores of their own: the window does not end with one. */
function narrow(
  { findHighest }: WindowScorer,
  { text }: Segment,
  window: TextSpan,
  origin: ModelOrigin,
): TextSpan {
  const parts: TextSpan[] = [];
  let { start } = window;
  for (const { 0: blank, index } of text.slice(window.start, window.end).matchAll(BLANK_LINES)) {
    parts.push({ start, end: window.start + index });
    start = window.start + index + blank.length;
  }
  if (parts.length === 0) return window;
  const scored = [...parts, { start, end: window.end }].map((part) => {
    const [best] = finishSteps(findHighest(text.slice(part.start, part.end), origin));
    return { ...part, logit: best?.logit ?? Number.NEGATIVE_INFINITY };
  });
  const limit = Math.min(0, Math.max(...scored.map(({ logit }) => logit)) - MAX_DIFFERENCE);
  const suspicious = scored.filter(({ logit }) => logit >= limit);
  const [first, last] = [suspicious[0], suspicious.at(-1)];
  return first && last ? { start: first.start, end: last.end } : window;
}
/** Of the logits of paragraphs that are taken together. Those above 0 are taken in any case. */
const MAX_DIFFERENCE = 2;

/** Times that the text of one segment is read again without its exempt windows. */
const MAX_EXEMPT_READINGS = 4;

/** Returns the windows that are not exempt: the rest of the text is read again, so that an exempt window hides nothing. */
function* findUnlessExempt(
  scorer: WindowScorer,
  segment: Segment,
  isExempt: NonNullable<InspectionContext["isExempt"]>,
): InspectionSteps<FoundWindow[]> {
  let windows = yield* findWindowsOf(scorer, segment);
  let { text } = segment;
  for (let count = 0; count < MAX_EXEMPT_READINGS; count++) {
    const exempt = windows.filter(({ at }) => isExempt({ at }));
    if (exempt.length === 0) return windows;
    for (const { at } of exempt) text = blankSpan(text, at);
    const rest = yield* findWindowsOf(scorer, { ...segment, text, memo: undefined });
    windows = rest.map((window) => ({ ...window, at: { ...window.at, segment } }));
  }
  const at = { segment, ...wholeOf(segment) };
  return windows.slice(0, 1).map((window) => ({ ...window, at }));
}

/** Keeps the positions of the other characters, and ends the paragraph before. */
const blankSpan = (text: string, { start, end }: TextSpan): string =>
  text.slice(0, start) + "\n".repeat(end - start) + text.slice(end);

const wholeOf = ({ text }: Segment) => ({ start: 0, end: text.length });

type Reading = Pick<View, "text" | "toOriginal">;

/**
 * Returns the folded text, its unescaped and decoded forms, and the words of leetspeak. The text in its own form is not
 * read: the model takes the rare characters of harmless text in bold or full-width letters for an attack.
 */
function listReadings(segment: Segment): Reading[] {
  const unescaped = computeOnce(segment, foldText);
  const [folded = unescaped, ...encoded] = computeOnce(segment, decodeViews);
  const others = [unescaped, ...encoded].filter(({ exact }) => exact !== folded.exact);
  const readings = [folded, ...others].map(({ exact, toOriginal }) => ({
    // The model takes single letters for words that are written apart.
    text: blankLetterIndexes(exact),
    toOriginal,
  }));
  // One reading of `1` is enough: the model does not depend on a single letter.
  if (isLikelyLeetspeak(unescaped.text)) readings.push(...foldLeetspeak(unescaped).slice(0, 1));
  return readings;
}
