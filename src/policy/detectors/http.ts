/** Asks a detector of the user's own over HTTP. What it is sent and must answer stands in the two shapes below. */
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { HttpUrl, SecretHeaders } from "../../contract/http-shapes.ts";
import { defineDetector, type InspectionContext, type Match } from "../detector.ts";
import { SEGMENT_SOURCES, type Segment } from "../segment.ts";

const Settings = z.strictObject({
  url: HttpUrl.describe(
    "Where the texts are posted, as `{direction, protocol, texts: [{index, source, role, text}]}`. The answer is `{matches: [{text, start, end, label, type, confidence}]}`, with `text` the index and offsets in UTF-16 units, or `{flagged, label, type, confidence}` for all texts together.",
  ),
  headers: SecretHeaders,
  timeout_ms: z
    .int()
    .min(50)
    .max(10_000)
    .default(2000)
    .describe("Longest wait for the answer; later is a failed detector."),
  allow_private: z
    .boolean()
    .default(false)
    .describe("Whether the address may be one of a private network."),
  mask_with: z
    .string()
    .max(64)
    .regex(/^[^\r\n]*$/, "must be on one line: lines are counted by clients")
    .default("***")
    .describe("What Transform writes in place of a match."),
});

/** A word, so that no value can travel in it. */
const Word = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "must be a short word in lower case");
const Confidence = z.number().min(0).max(1).default(1);
const TYPE = "http_detector";

const ReportedMatch = z.strictObject({
  text: z.int().min(0),
  start: z.int().min(0),
  end: z.int().min(1),
  label: Word,
  type: Word.default(TYPE),
  confidence: Confidence,
});
const MatchesResponse = z.strictObject({ matches: z.array(ReportedMatch).max(1000) });
const FlaggedResponse = z.strictObject({
  flagged: z.boolean(),
  label: Word.default("flagged"),
  type: Word.default(TYPE),
  confidence: Confidence,
});

/** An attachment would have to be fetched for it; the texts of a payload are there already. */
const TEXTS = SEGMENT_SOURCES.filter((source) => source !== "attachment");

export const http = defineDetector({
  kind: "http",
  title: "HTTP detector",
  summary: "Asks a detector of your own; Transform masks what it points at.",
  reads: { input: TEXTS, output: TEXTS },
  masks: true,
  remote: true,
  settings: Settings,
  secrets: ["headers.*"],
  prepare: ({ url, headers, timeout_ms, allow_private, mask_with }) => {
    return async (texts, surroundings) => {
      if (texts.length === 0) return [];
      const body = toRequestBody(texts, surroundings);
      const asked = { url, headers, body, timeout_ms, allow_private };
      const answer = await surroundings.services.post(asked);
      if (typeof answer === "object" && answer !== null && "matches" in answer) {
        const { matches } = parseResponse(MatchesResponse, answer);
        return matches.map((match) => toMatch(match, texts, mask_with));
      }
      const { flagged, label, type, confidence } = parseResponse(FlaggedResponse, answer);
      return flagged ? [{ label, type, confidence }] : [];
    };
  },
});

const toRequestBody = (texts: readonly Segment[], { direction, protocol }: InspectionContext) => ({
  direction,
  protocol,
  texts: texts.map(({ source, role, text }, index) => ({ index, source, role, text })),
});

function parseResponse<Shape extends z.ZodType>(shape: Shape, answer: unknown): z.output<Shape> {
  const parsed = shape.safeParse(answer);
  if (parsed.success) return parsed.data;
  // Where it is wrong and what is expected there, never what stood there.
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys";
  throw invalidResponse(
    `${issue?.path.join(".") || "It"}: ${unknown ? "has unknown members" : issue?.message}.`,
  );
}

function toMatch(
  pointed: z.output<typeof ReportedMatch>,
  texts: readonly Segment[],
  mask_with: string,
): Match {
  const { text: index, start, end, label, type, confidence } = pointed;
  const segment = texts[index];
  if (!segment) throw invalidResponse(`There is no text ${index}.`);
  const { text } = segment;
  if (start >= end || end > text.length || cutsPair(text, start) || cutsPair(text, end)) {
    throw invalidResponse(`Text ${index} has no part from ${start} to ${end}.`);
  }
  return { label, type, confidence, at: { segment, start, end }, mask: { text: mask_with } };
}

/** Half a character cannot be written back. */
const cutsPair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;

const invalidResponse = (why: string) =>
  new AppError("upstream_failed", `The detector's answer is not of the documented form. ${why}`);
