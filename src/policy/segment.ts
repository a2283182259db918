/** Segment: one text of a payload, with its source and its location. */

import type { TextOrigin } from "../contract/guard/actions.ts";
import type { PagePiece } from "../lib/documents/read-html-text.ts";
import type { TextSpan } from "./views/source-map.ts";

/** Author of text. Each detector declares which sources it inspects. */
export const SEGMENT_SOURCES = [
  "system",
  "user",
  "assistant",
  "tool_definition",
  "tool_arguments",
  "tool_result",
  "attachment",
] as const;
export type SegmentSource = (typeof SEGMENT_SOURCES)[number];

export interface Segment {
  text: string;
  source: SegmentSource;
  /** Role as written in the payload, or null. */
  role: string | null;
  /** JSON pointer (RFC 6901) into the payload: `/messages/0/content`. */
  pointer: string;
  /**
   * Pointer inside JSON that is embedded in a string, such as tool arguments. `pointer` then locates the string.
   */
  inner: string | null;
  /** True for the name of a member: inspected, never rewritten. */
  isName: boolean;
  /** True for a JSON number: inspected only by detectors with `numbers`, and masked by a string. */
  isNumber: boolean;
  /** True for the text of a text file inside the body. */
  isFile: boolean;
  /** Page of which this is the text that its source does not contain. Null for other text. */
  page: ReadPage | null;
  /** Encoding of the text in the payload, for writing it back. Null for plain text. */
  encoding: StringEncoding | null;
  /** Number of texts of the assistant and of tools before it in the payload. */
  turn: number;
  /** Message of which this is the part of one author; null for complete text. */
  part: { whole: Segment; start: number } | null;
  /** Results computed from this text, for all detectors of an evaluation. Undefined before the first. */
  memo: Map<unknown, unknown> | undefined;
}

/** HTML or XML, which readers show without its tags. */
export interface MarkupPage {
  source: Segment;
  /** The payload declares it as a file, or with its type. */
  isDeclared: boolean;
  /** The source is JSON, and its strings contain the pages. */
  isJson: boolean;
  /** The run of base64 or hex in the source that encodes the page. Null for a page that is not encoded. */
  run: EncodedPage | null;
}

/** A page that is encoded within another text. */
export interface EncodedPage extends TextSpan {
  text: string;
}

/** Page whose text was read. */
export interface ReadPage extends MarkupPage {
  /** In order. */
  pieces: readonly PagePiece[];
}

/** Encoding of text in a string of the payload. */
export interface StringEncoding {
  /** Data URL up to and including its comma, or empty. */
  prefix: string;
  alphabet: "base64" | "base64url" | "percent";
  /** The bytes are in another charset than UTF-8. */
  isRecoded?: boolean;
}

export const createSegment = (
  text: string,
  source: SegmentSource,
  location: {
    pointer: string;
    role?: string | null;
    inner?: string | null;
    isName?: boolean;
    isNumber?: boolean;
    isFile?: boolean;
    page?: ReadPage;
    encoding?: StringEncoding;
    turn?: number;
    part?: Segment["part"];
  },
): Segment => ({
  text,
  source,
  role: location.role ?? null,
  pointer: location.pointer,
  inner: location.inner ?? null,
  isName: location.isName ?? false,
  isNumber: location.isNumber ?? false,
  isFile: location.isFile ?? false,
  page: location.page ?? null,
  encoding: location.encoding ?? null,
  turn: location.turn ?? 0,
  part: location.part ?? null,
  memo: undefined,
});

const ORIGINS_BY_SOURCE: Readonly<Record<SegmentSource, readonly TextOrigin[]>> = {
  system: ["system"],
  user: ["user"],
  assistant: ["assistant", "assistant_text"],
  tool_definition: ["tool_definition"],
  tool_arguments: ["assistant"],
  tool_result: ["tool_result"],
  attachment: ["document"],
};

/** Returns the origins of text, by which rules select it. */
export const originsOf = (segment: Pick<Segment, "source" | "isFile">): readonly TextOrigin[] =>
  ORIGINS_BY_SOURCE[sourceByOrigin(segment)];

/**
 * Returns the source of text for detectors with `separatesFiles`: a text file in a message is an attachment, as a PDF
 * is. Files in the data of tools keep their source.
 */
export const sourceByOrigin = ({
  source,
  isFile,
}: Pick<Segment, "source" | "isFile">): SegmentSource =>
  isFile && MESSAGE_SOURCES.has(source) ? "attachment" : source;
const MESSAGE_SOURCES: ReadonlySet<SegmentSource> = new Set(["system", "user", "assistant"]);

/**
 * Returns a path for a search, or an empty text for a long one. The texts of an object share the text of its path, and a
 * search copies it for each: with paths of 64 MiB together, the search takes half a second and that much memory.
 */
export const toSearchablePath = (path: string): string =>
  path.length <= MAX_PATH_CHARACTERS ? path : "";
const MAX_PATH_CHARACTERS = 256;

/** Returns `compute(text, segment)`, memoized per segment with `compute` as the key. */
export function computeOnce<Result>(
  segment: Segment,
  compute: (text: string, segment: Segment) => Result,
): Result {
  segment.memo ??= new Map();
  const { memo } = segment;
  const known = memo.get(compute) as Result | undefined;
  if (known !== undefined) return known;
  const result = compute(segment.text, segment);
  memo.set(compute, result);
  return result;
}

/** As `computeOnce`, in steps that compute the same. */
export function* computeInSteps<Result>(
  segment: Segment,
  compute: (text: string, segment: Segment) => Result,
  listSteps: (segment: Segment) => Generator<number, Result>,
): Generator<number, Result> {
  const known = segment.memo?.get(compute) as Result | undefined;
  if (known !== undefined) return known;
  const result = yield* listSteps(segment);
  segment.memo ??= new Map();
  segment.memo.set(compute, result);
  return result;
}

/** Results take 1.5 KB or more per text, so those of many texts are computed again by each detector. */
const MAX_MEMOIZED_TEXTS = 1000;
export const isMemoized = (texts: readonly Segment[]): boolean =>
  texts.length <= MAX_MEMOIZED_TEXTS;
