/** Reads a Gemini response. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { isCutOff } from "../check-events.ts";
import { defined } from "../defined.ts";
import {
  asCount,
  asList,
  asObject,
  asText,
  invalidResponse,
  quoteName,
  unknownContent,
} from "../invalid-response.ts";
import type { NeutralResponse, OutputPart, StopReason, Usage } from "../neutral.ts";
import { type CollectedCall, createCallCollector } from "./collect-calls.ts";

export function readGenerateContentResponse(body: JsonObject): NeutralResponse {
  const parts: OutputPart[] = [];
  const candidate = asObject(asList(body.candidates)[0]);
  const reader = createPartReader(body);
  for (const value of asList(asObject(candidate.content).parts)) {
    for (const part of reader.read(asObject(value))) addPart(parts, part);
  }
  const stop_reason = readStopReason(body, parts.some(isCall)) ?? "end";
  reader.end(stop_reason);
  return defined({
    id: asText(body.responseId) || undefined,
    parts,
    stop_reason,
    usage: readUsage(body.usageMetadata),
  });
}

/** Parts of one kind that follow each other are one part, as in a stream. A signature ends a thought. */
function addPart(parts: OutputPart[], part: OutputPart): void {
  const last = parts.at(-1);
  if (!last || !continues(last, part)) parts.push(part);
  else if (last.type !== "tool_call" && part.type !== "tool_call") {
    parts[parts.length - 1] = { ...last, ...part, text: last.text + part.text };
  }
}

export const continues = (open: OutputPart, part: OutputPart): boolean =>
  open.type === part.type &&
  open.type !== "tool_call" &&
  !(open.type === "thinking" && open.signature);

const isCall = ({ type }: OutputPart): boolean => type === "tool_call";

/** Gemini sends ids of calls only sometimes; results are matched by them in other formats. */
function createCallIds({ responseId }: JsonObject): () => string {
  const prefix = asText(responseId) || Bun.randomUUIDv7();
  let count = 0;
  return () => `call_${prefix}_${count++}`;
}

/** Reads the parts of a response, or of all its chunks, whose first one is `body`. */
export function createPartReader(body: JsonObject) {
  const createCallId = createCallIds(body);
  const calls = createCallCollector();
  return {
    read(part: JsonObject): OutputPart[] {
      if (part.functionCall !== undefined) {
        const call = calls.add(part);
        return call ? [toCallPart(call, createCallId)] : [];
      }
      const read = readOutputPart(part);
      if (read.length > 0 && calls.isOpen()) {
        throw invalidResponse("has other content inside of a function call");
      }
      return read;
    },
    /** Throws if the last call is not complete. A response that reached a limit ends without it. */
    end(reason: StopReason): void {
      if (!calls.isOpen() || isCutOff(reason)) return;
      throw invalidResponse("ended inside of a function call");
    },
  };
}

export type PartReader = ReturnType<typeof createPartReader>;

function toCallPart(call: CollectedCall, createCallId: () => string): OutputPart {
  const { id, name, args, thoughtSignature } = call;
  return {
    type: "tool_call",
    id: id || createCallId(),
    name,
    arguments: JSON.stringify(args),
    ...readSignature(thoughtSignature),
  };
}

const readSignature = (value: string) =>
  value ? { signature: { dialect: "generate_content" as const, value } } : undefined;

/** A signature of text becomes a thought without text, because text has no place for it. */
function readOutputPart(part: JsonObject): OutputPart[] {
  const { text, thoughtSignature } = part;
  const signature = readSignature(asText(thoughtSignature));
  if (text !== undefined) {
    if (part.thought === true) return [{ type: "thinking", text: asText(text), ...signature }];
    const content: OutputPart[] = text === "" ? [] : [{ type: "text", text: asText(text) }];
    return signature ? [...content, { type: "thinking", text: "", ...signature }] : content;
  }
  const unknown = Object.keys(part).find((name) => !ANNOTATIONS.has(name));
  if (unknown !== undefined) throw unknownContent(unknown);
  return signature ? [{ type: "thinking", text: "", ...signature }] : [];
}

/** Members of a part that are not content. */
const ANNOTATIONS: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "partMetadata"]);

/** Reasons other than those that mean a filter. */
const STOP_REASONS = new Map<string, StopReason>([
  ["STOP", "end"],
  ["FINISH_REASON_UNSPECIFIED", "end"],
  ["MAX_TOKENS", "max_tokens"],
]);
/** The model generated something that the API could not read. */
const FAILURES = /^(MALFORMED_|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)/;

/** Returns undefined if the response has no reason, as chunks before the last one. */
export function readStopReason(
  { candidates, promptFeedback }: JsonObject,
  hasCalls: boolean,
): StopReason | undefined {
  const [first] = asList(candidates);
  const reason = asText(asObject(first).finishReason);
  // Without finishMessage: it quotes the model, and the guard does not evaluate errors of the gateway.
  if (FAILURES.test(reason)) throw invalidResponse(`ended with ${quoteName(reason)}`);
  if (asText(asObject(promptFeedback).blockReason)) return "content_filter";
  if (first === undefined) throw invalidResponse("has no candidates");
  if (reason === "") return undefined;
  const stop = STOP_REASONS.get(reason) ?? "content_filter";
  return stop === "end" && hasCalls ? "tool_calls" : stop;
}

export function readUsage(value: unknown): Usage | undefined {
  const usage = asObject(value);
  const prompt = asCount(usage.promptTokenCount);
  if (prompt === undefined) return undefined;
  const thoughts = asCount(usage.thoughtsTokenCount);
  return defined({
    input_tokens: prompt + (asCount(usage.toolUsePromptTokenCount) ?? 0),
    cached_tokens: asCount(usage.cachedContentTokenCount),
    output_tokens: (asCount(usage.candidatesTokenCount) ?? 0) + (thoughts ?? 0),
    reasoning_tokens: thoughts,
  });
}
