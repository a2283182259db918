/** Detector that calls a custom detector over HTTP. */
import { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { HttpUrl, SecretHeaders } from "../../contract/http-shapes.ts";
import { defineDetector, type InspectionContext, type Match } from "../detector.ts";
import { SEGMENT_SOURCES, type Segment } from "../segment.ts";

const Settings = z.strictObject({
  url: HttpUrl.describe(
    "URL to which the texts are posted as `{direction, protocol, texts: [{index, source, role, text}]}`. It responds with `{matches: [{text, start, end, label, type, confidence}]}`, where `text` is the index and offsets are UTF-16 code units, or with `{flagged, label, type, confidence}` for all texts together.",
  ),
  headers: SecretHeaders,
  timeout_ms: z
    .int()
    .min(50)
    .max(10_000)
    .default(2000)
    .describe("Timeout for the response. A timeout counts as a failed detector."),
  allow_private: z
    .boolean()
    .default(false)
    .describe("Whether the URL may resolve to a private address."),
  mask_with: z
    .string()
    .max(64)
    .regex(/^[^\r\n]*$/, "must not contain a line break")
    .default("***")
    .describe("Replacement text for a match."),
});

/** Restricted to a slug, so that it cannot contain a matched value. */
const Slug = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, "must be at most 40 lower-case letters, digits and underscores");
const Confidence = z.number().min(0).max(1).default(1);
const TYPE = "http_detector";

const ReportedMatch = z.strictObject({
  text: z.int().min(0),
  start: z.int().min(0),
  end: z.int().min(1),
  label: Slug,
  type: Slug.default(TYPE),
  confidence: Confidence,
});
const MatchesResponse = z.strictObject({ matches: z.array(ReportedMatch).max(1000) });
const FlaggedResponse = z.strictObject({
  flagged: z.boolean(),
  label: Slug.default("flagged"),
  type: Slug.default(TYPE),
  confidence: Confidence,
});

/** Excludes attachments, which would have to be fetched. */
const TEXTS = SEGMENT_SOURCES.filter((source) => source !== "attachment");

export const http = defineDetector({
  kind: "http",
  title: "HTTP detector",
  summary: "Calls a custom detector over HTTP. Transform masks the matches it returns.",
  reads: { input: TEXTS, output: TEXTS },
  masks: true,
  remote: true,
  settings: Settings,
  secrets: ["headers.*"],
  prepare: ({ url, headers, timeout_ms, allow_private, mask_with }) => {
    return async (texts, context) => {
      if (texts.length === 0) return [];
      const body = toRequestBody(texts, context);
      const request = { url, headers, body, timeout_ms, allow_private };
      const response = await context.services.post(request);
      if (typeof response === "object" && response !== null && "matches" in response) {
        const { matches } = parseResponse(MatchesResponse, response);
        return matches.map((match) => toMatch(match, texts, mask_with));
      }
      const { flagged, label, type, confidence } = parseResponse(FlaggedResponse, response);
      return flagged ? [{ label, type, confidence }] : [];
    };
  },
});

const toRequestBody = (texts: readonly Segment[], { direction, protocol }: InspectionContext) => ({
  direction,
  protocol,
  texts: texts.map(({ source, role, text }, index) => ({ index, source, role, text })),
});

function parseResponse<Shape extends z.ZodType>(shape: Shape, response: unknown): z.output<Shape> {
  const parsed = shape.safeParse(response);
  if (parsed.success) return parsed.data;
  // Reports the location and the expected format, never the value.
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
  if (!segment) throw invalidResponse(`matches.text: no text with index ${index} was sent.`);
  const { text } = segment;
  if (start >= end || end > text.length || cutsPair(text, start) || cutsPair(text, end)) {
    throw invalidResponse(`matches: ${start} to ${end} is not a valid range of text ${index}.`);
  }
  return { label, type, confidence, at: { segment, start, end }, mask: { text: mask_with } };
}

/** Detects an offset inside a surrogate pair. */
const cutsPair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) && at > 0;

const invalidResponse = (reason: string) =>
  new AppError("upstream_failed", `The detector's response is invalid. ${reason}`);
