/** A piece of text of a payload: what detectors look at, findings point to and Transform writes back to. */

/** Who wrote it, so that a detector looks only where it should. */
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
  /** As the payload names it; null where it names none. */
  role: string | null;
  /** JSON pointer (RFC 6901) into the payload: `/messages/0/content`. */
  pointer: string;
  /**
   * Where the payload holds JSON inside a string (tool arguments): the pointer inside that document.
   * `pointer` then leads to the string.
   */
  inner: string | null;
  /** The name of a member and not its value: looked at, and never rewritten. */
  isName: boolean;
  /** A number and not a string: looked at only by detectors that ask for numbers. A mask is a string in its place. */
  isNumber: boolean;
  /** Where the payload holds the text encoded: how changed text is written back. */
  encoding: StringEncoding | null;
  /** What was computed from this text already, shared by all detectors of an evaluation. */
  memo: Map<unknown, unknown>;
}

/** How a string of the payload encodes its text. */
export interface StringEncoding {
  /** Up to the comma of a data URL, or empty. */
  prefix: string;
  alphabet: "base64" | "base64url" | "percent";
}

export const createSegment = (
  text: string,
  source: SegmentSource,
  place: {
    pointer: string;
    role?: string | null;
    inner?: string | null;
    isName?: boolean;
    isNumber?: boolean;
    encoding?: StringEncoding;
  },
): Segment => ({
  text,
  source,
  role: place.role ?? null,
  pointer: place.pointer,
  inner: place.inner ?? null,
  isName: place.isName ?? false,
  isNumber: place.isNumber ?? false,
  encoding: place.encoding ?? null,
  memo: new Map(),
});

/** The result of `compute`, worked out once for each segment. `compute` itself is the key. */
export function computeOnce<Result>(
  of: Segment,
  compute: (text: string, segment: Segment) => Result,
): Result {
  if (of.memo.has(compute)) return of.memo.get(compute) as Result;
  const result = compute(of.text, of);
  of.memo.set(compute, result);
  return result;
}
