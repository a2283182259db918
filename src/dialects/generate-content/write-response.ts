/** Writes a Gemini response. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { packSignature } from "../carry-signature.ts";
import { defined } from "../defined.ts";
import type { ReplyContext } from "../dialect.ts";
import { invalidResponse } from "../invalid-response.ts";
import type { NeutralResponse, OutputPart, PartSignature, StopReason, Usage } from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";

export function writeGenerateContentResponse(
  { id, parts, stop_reason, usage }: NeutralResponse,
  reply: ReplyContext,
): JsonObject {
  return defined({
    candidates: [writeCandidate(writeParts(parts, stop_reason), stop_reason)],
    usageMetadata: usage && writeUsage(usage),
    modelVersion: reply.model,
    responseId: id ?? reply.id,
  });
}

export const writeCandidate = (parts: JsonObject[], stop_reason?: StopReason): JsonObject =>
  defined({
    content: { role: "model", parts },
    finishReason: stop_reason && FINISH_REASONS[stop_reason],
    index: 0,
  });

const FINISH_REASONS: Record<StopReason, string> = {
  end: "STOP",
  stop_sequence: "STOP",
  tool_calls: "STOP",
  max_tokens: "MAX_TOKENS",
  context_window: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "SAFETY",
  pause: "OTHER",
};

/** Leaves out a call whose arguments are not complete because of a limit: the reason reports it. */
function writeParts(parts: readonly OutputPart[], stop_reason: StopReason): JsonObject[] {
  const isLimited = FINISH_REASONS[stop_reason] !== "STOP";
  return parts.flatMap((part) => {
    const written = writePart(part);
    if (written) return [written];
    if (isLimited) return [];
    throw invalidResponse("has a tool call whose arguments are not a JSON object");
  });
}

/** Returns undefined for a call whose arguments are not a JSON object. */
export function writePart(part: OutputPart): JsonObject | undefined {
  switch (part.type) {
    case "text":
      return { text: part.text };
    case "thinking":
      return { text: part.text, thought: true, ...writeSignature(part.signature) };
    case "tool_call": {
      const args = parseArguments(part.arguments);
      if (!args) return undefined;
      const { id, name, signature } = part;
      return { functionCall: { id, name, args }, ...writeSignature(signature) };
    }
  }
}

const writeSignature = (signature: PartSignature | undefined): JsonObject =>
  signature ? { thoughtSignature: packSignature(signature, "generate_content") } : {};

export function writeUsage(usage: Usage): JsonObject {
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage;
  return defined({
    promptTokenCount: input_tokens,
    cachedContentTokenCount: cached_tokens,
    candidatesTokenCount: Math.max(0, output_tokens - (reasoning_tokens ?? 0)),
    thoughtsTokenCount: reasoning_tokens,
    totalTokenCount: input_tokens + output_tokens,
  });
}
