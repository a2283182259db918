/** Types of detectors: a detector finds and locates matches; the rule decides what happens to them. */
import type { z } from "zod";
import type { TextOrigin } from "../contract/guard/actions.ts";
import type { Direction, Protocol, Uninspected } from "../contract/guard/evaluate.ts";
import type { EncoderInput } from "./learned/encoder.ts";
import type { ToxicityScorer } from "./learned/toxicity-scorer.ts";
import type { WindowScorer } from "./learned/window-scorer.ts";
import type { NameFinder } from "./names/name-finder.ts";
import type { Segment, SegmentSource } from "./segment.ts";
import type { TopicModel } from "./topics/fit-topics.ts";
import type { TextEmbedder } from "./topics/text-embedder.ts";
import type { TextSpan } from "./views/source-map.ts";

export interface Match {
  /** Specific kind of the match: `email`, `sql`, `aws_access_key`. */
  label: string;
  /** Signal type of the finding: `pii`, `secret`, `injection`, `code_injection`, `keyreg`, … */
  type: string;
  /** 0 to 1. */
  confidence: number;
  /**
   * UTF-16 offsets in the segment's original text. Absent if the match is not about text. `whole` is the complete match,
   * of which this is one line: the lines are found only together.
   */
  at?: TextSpan & { segment: Segment; whole?: TextSpan };
  /** Replacement written by Transform. A pseudonym is created per session and can be restored. */
  mask?: { text: string } | { pseudonym: string };
  /** false: below the threshold of a detector that scores. Not reported; its confidence counts for calibration. */
  reported?: false;
  /** Evidence of the finding: limits, thresholds, names. Never the matched value. */
  detail?: Readonly<Record<string, string | number | boolean>>;
}

/** Tool call of an assistant or an MCP client. */
export interface ToolCall {
  /** Without the prefix `mcp__server__`. */
  name: string;
  pointer: string;
  /** undefined if they are not valid JSON; NOT_RECORDED in a replay. */
  arguments: unknown;
}

/** Marks the arguments of a recorded call, of which only the texts are stored. */
export const NOT_RECORDED = Symbol("not recorded");

export interface ToolDefinition {
  name: string;
  pointer: string;
  /** JSON Schema of the arguments, as sent in the payload. */
  schema: unknown;
}

/** Facts about the evaluated payload, beside its texts. */
export interface InspectionContext {
  direction: Direction;
  protocol: Protocol;
  calls: readonly ToolCall[];
  definitions: readonly ToolDefinition[];
  /** In payload order. `problem` says why an attachment could not be read completely. */
  attachments: readonly { pointer: string; filename: string | null; problem: string | null }[];
  /** Parts of the payload that no text was extracted from. */
  uninspected: readonly Uninspected[];
  /** Size of the payload as it was sent. */
  payload_bytes: number;
  /** Texts of the system prompt that the output responds to. Empty if unknown, or if no rule compares it. */
  system_prompt: readonly string[];
  /** Matches of the rules before, also those that are not reported. Only for detectors that accumulate. */
  found?: readonly FoundMatch[];
  /**
   * Returns whether the policy does not report this location. Only for detectors that return one of several matches of a
   * text: an exempt match must not hide the others. Undefined: every match is reported.
   */
  isExempt?: ((match: Pick<Match, "at">) => boolean) | undefined;
  /** Lets other evaluations of this thread run, before the next part of a long inspection. Undefined: it must not pause. */
  waitForTurn?: (bytes: number) => Promise<void>;
  services: DetectorServices;
}

export interface FoundMatch {
  /** Kind of the detector. */
  kind: string;
  match: Match;
}

/** Models that run in the thread of the evaluation. Each is loaded once per thread. */
export interface LearnedModels {
  /** Loads the word vectors of the injection model. */
  loadTextEmbedder: () => Promise<TextEmbedder>;
  /** Loads the model of the built-in topics. */
  loadTopicModel: () => Promise<TopicModel>;
  /** Loads stage 1 of the injection model. */
  loadWindowScorer: () => Promise<WindowScorer>;
  loadToxicityScorer: () => Promise<ToxicityScorer>;
  loadNameFinder: () => Promise<NameFinder>;
}

/** Services that detectors may call. policy/ does no I/O: the evaluation passes them in. */
export interface DetectorServices extends LearnedModels {
  /** Posts JSON to a URL of the administrator and returns the response. */
  post: (request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: unknown;
    timeout_ms: number;
    allow_private: boolean;
  }) => Promise<unknown>;
  /** Sends a prompt to a model of a registry and returns the text of the response. */
  ask: (request: {
    registry_id: string;
    model: string;
    system: string;
    user: string;
    timeout_ms: number;
  }) => Promise<string>;
  /** Returns the logits of stage 2 of the injection model. */
  scoreWindows: (windows: readonly EncoderInput[]) => Promise<readonly number[]>;
  /**
   * Adds the risk of a turn to its session, and returns the sum, or undefined without a session. `scope` separates
   * detectors with other settings. A turn with the same texts as the one before it is not added again.
   */
  addRisk: (turn: {
    scope: string;
    score: number;
    texts: readonly string[];
    half_life_s: number;
  }) => Promise<{ risk: number; turns: number } | undefined>;
  /** Returns the original texts of this session's pseudonyms. Unknown pseudonyms are omitted. */
  restore: (pseudonyms: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Returns the matches in `texts`, the segments that the detector reads. Returns a promise if the detector loads a model, pauses or is remote. */
export interface Inspector {
  (
    texts: readonly Segment[],
    context: InspectionContext,
  ): readonly Match[] | Promise<readonly Match[]>;
  /** Inspection of text that arrives in parts. Undefined if the detector needs the complete text. */
  partial?: PartialInspection;
  /** Returns the threshold that is set, or that of the level. Undefined if the detector has no levels. */
  findThreshold?: (models: LearnedModels) => Promise<number>;
}

export interface PartialInspection {
  /**
   * Returns the first offset, at least `from`, at which more text may complete or change a match, or the length of the
   * text. The last word is always open, so it is ignored.
   */
  findOpenStart: (segment: Segment, from: number, context: InspectionContext) => number;
  /** Number of characters before a match that it depends on. */
  context: number;
  /**
   * Returns all matches of the segment, including those that the inspection drops because others cover them or an
   * allow-list exempts them: the matches next to them depend on them. Undefined: the inspection drops none.
   */
  findSpans?: (segment: Segment) => readonly TextSpan[];
  /**
   * For context beyond that: returns where the text before `cut` may be dropped, at or before `cut`, and what replaces
   * it.
   */
  keepContext?: (text: string, cut: number) => { cut: number; before: string };
}

/** For detectors whose matches contain no white space and depend on no text after them. */
export const findNothingOpen: PartialInspection["findOpenStart"] = ({ text }) => text.length;

export interface Detector {
  /** Slug in the catalog and in findings. */
  kind: string;
  title: string;
  summary: string;
  /** Sources it inspects. An empty list excludes the direction. */
  reads: Readonly<Record<Direction, readonly SegmentSource[]>>;
  /** Origins that its rules read unless they name others. Undefined: all. */
  origins?: readonly TextOrigin[];
  /** True if its matches have a mask, so that rules may transform. */
  masks: boolean;
  /** True if it reads text of a file in a message as an attachment, not as text of the message. */
  separatesFiles: boolean;
  /** True if it also inspects numbers in tool arguments and results. */
  numbers: boolean;
  /** True if it calls another server. Remote detectors run concurrently, after all others. */
  remote: boolean;
  /**
   * True if it scores every text from 0 to 1, and its setting `threshold` decides what is reported. Matches below the
   * threshold are returned as well.
   */
  scores: boolean;
  /** True if it reads the matches of the other rules. It runs after them, also when one of them blocks. */
  accumulates: boolean;
  /** True if it compares output with the system prompt of the request. */
  comparesSystemPrompt: boolean;
  settings: z.ZodType;
  /** Paths of secrets in the settings, in the notation of lib/json/secret-paths.ts. */
  secrets: readonly string[];
  /** Compiles the settings, once per saved version. */
  prepare: (settings: unknown) => Inspector;
}

/** Detector as defined in its file: `prepare` receives parsed settings, and some members have defaults. */
interface DetectorDefinition<Settings extends z.ZodType>
  extends Omit<Detector, DefaultedMember | "prepare">,
    Partial<Pick<Detector, DefaultedMember>> {
  settings: Settings;
  prepare: (settings: z.output<Settings>) => Inspector;
}

type DefaultedMember =
  | "secrets"
  | "remote"
  | "separatesFiles"
  | "numbers"
  | "scores"
  | "accumulates"
  | "comparesSystemPrompt";

export function defineDetector<Settings extends z.ZodType>(
  definition: DetectorDefinition<Settings>,
): Detector {
  const { settings, prepare } = definition;
  return {
    secrets: [],
    remote: false,
    separatesFiles: false,
    numbers: false,
    scores: false,
    accumulates: false,
    comparesSystemPrompt: false,
    ...definition,
    prepare: (stored) => prepare(settings.parse(stored)),
  };
}
