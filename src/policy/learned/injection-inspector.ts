/** Inspects text with both stages of the injection model, folded and deobfuscated. */
import { z } from "zod";
import type { InspectionContext, Inspector, Match } from "../detector.ts";
import { costOf, type InspectionSteps, runSteps } from "../inspect-texts.ts";
import {
  computeOnce,
  isMemoized,
  type Segment,
  type SegmentSource,
  sourceByOrigin,
} from "../segment.ts";
import { Level } from "../setting-schemas.ts";
import { foldLeetspeak, isLikelyLeetspeak } from "../views/fold-leetspeak.ts";
import { blankLetterIndexes } from "../views/letter-index.ts";
import { decodeViews, foldText, type View } from "../views/view.ts";
import { findOverridePhrase } from "./override-phrases.ts";
import type {
  Cascade,
  InjectionType,
  ModelOrigin,
  ScoredWindow,
  WindowScorer,
} from "./window-scorer.ts";

export const LearnedSettings = z.strictObject({
  level: Level.default("balanced").describe(
    "How much is reported: `permissive` accepts about 0.1 % false positives, `balanced` 1 %, `strict` 3 %, on text like that of the tests.",
  ),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("Minimum score, instead of a level. 0 reports every text with its score."),
});
export type LearnedSettings = z.output<typeof LearnedSettings>;

const ORIGINS: Readonly<Partial<Record<SegmentSource, ModelOrigin>>> = {
  user: "user",
  system: "system",
  tool_definition: "tool_definition",
  tool_result: "tool_result",
  attachment: "document",
};

/** Texts of one evaluation that stage 2 reads, those with the highest scores of stage 1: each takes about 8 ms. */
const MAX_ENCODED_TEXTS = 16;
/** Subtracted from the logit of text that stage 2 did not read, because it is clearly harmless. */
const HARMLESS_OFFSET = 1;
/** The highest of many scores is high by chance: factor of the logarithm of their number, which is subtracted. */
const COUNT_FACTOR = 1.2;
/** Padding must not hide an attack: further windows are not counted. */
const MAX_COUNTED_WINDOWS = 8;

/** Returns the window with the highest score of each text, reported from the threshold on. */
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
    const uncertain = found
      .filter(({ window }) => window.ids.length > 0 && window.logit > scorer.cascade.band)
      .sort((one, other) => other.window.logit - one.window.logit)
      .slice(0, MAX_ENCODED_TEXTS);
    const windows = uncertain.map(({ window, origin }) => ({ ids: window.ids, origin }));
    const encoded = windows.length > 0 ? await services.scoreWindows(windows) : [];
    const limit = await findThreshold(services);
    return found.map((text): Match => {
      const second = encoded[uncertain.indexOf(text)];
      const confidence = toScore(combine(text.window, second, scorer.cascade));
      const match = { label: type, type, confidence, at: text.at };
      return confidence < limit ? { ...match, reported: false } : match;
    });
  };
  return Object.assign(inspect, { findThreshold });
}

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

/** Caps the exempt windows of one text, because the text around each is scored again. */
const MAX_EXEMPT_WINDOWS = 8;

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
): InspectionSteps<FoundWindow[]> {
  const found: FoundWindow[] = [];
  for (const segment of texts) {
    const window = yield* findWindow(scorer, segment, isExempt);
    if (window) found.push(window);
    if (!isMemoized(texts)) segment.memo = undefined;
  }
  return found;
}

/** Returns the window of text with the highest score of stage 1. */
function* findWindow(
  scorer: WindowScorer,
  segment: Segment,
  isExempt: InspectionContext["isExempt"],
): InspectionSteps<FoundWindow | undefined> {
  const origin = ORIGINS[sourceByOrigin(segment)];
  const words = readJoinedWords(segment);
  const isPlainName = segment.isName && words === undefined && !IS_PROSE.test(segment.text);
  if (origin === undefined || isPlainName) return undefined;
  let best: FoundWindow | undefined;
  let exempted = 0;
  const readings = listReadings(segment);
  if (words !== undefined) readings.push({ text: words, toOriginal: () => wholeOf(segment) });
  yield costOf(segment);
  for (const reading of readings) {
    const window =
      findOverridePhrase(reading.text) ?? (yield* scorer.findHighest(reading.text, origin));
    if (!window || (best && window.logit <= best.window.logit)) continue;
    let at = { segment, ...reading.toOriginal(window.start, window.end) };
    if (isExempt?.({ at })) {
      exempted += 1;
      if (exempted <= MAX_EXEMPT_WINDOWS) {
        readings.push(...splitAround(reading, window));
        continue;
      }
      // Not exempt as a whole: copies of an exempt window must not hide what is left.
      at = { segment, ...wholeOf(segment) };
    }
    best = { window, origin, at };
  }
  return best;
}

const wholeOf = ({ text }: Segment) => ({ start: 0, end: text.length });

type Reading = Pick<View, "text" | "toOriginal">;

/** Returns the text before and after a window. */
const splitAround = ({ text, toOriginal }: Reading, { start, end }: ScoredWindow): Reading[] => [
  { text: text.slice(0, start), toOriginal },
  { text: text.slice(end), toOriginal: (from, to) => toOriginal(from + end, to + end) },
];

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
