/** Reads a chat completion. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { defined } from "../defined.ts";
import { asList, asObject, asText, invalidResponse, unknownContent } from "../invalid-response.ts";
import type {
  NeutralResponse,
  OutputPart,
  PartSignature,
  TextPart,
  ThinkingPart,
} from "../neutral.ts";
import { REASONING_MEMBERS } from "./reasoning-members.ts";
import { readFinishReason } from "./stop-reasons.ts";
import { readChatUsage } from "./usage.ts";

export function readChatResponse(body: JsonObject): NeutralResponse {
  const [choice] = asList(body.choices);
  if (!choice) throw invalidResponse("has no choices");
  const { message, finish_reason } = asObject(choice);
  const said = asObject(message);
  const parts = [
    ...readReasoning(said),
    ...readContent(said.content),
    ...readRefusal(said.refusal),
    ...asList(said.tool_calls).map(readToolCall),
  ];
  rejectOtherContent(said);
  const calls = parts.some(({ type }) => type === "tool_call");
  return defined({
    id: asText(body.id) || undefined,
    parts,
    stop_reason: readFinishReason(finish_reason, { calls, refusal: Boolean(said.refusal) }),
    usage: readChatUsage(body.usage),
  });
}

/** Rejects content that has no neutral form, in a message or a delta. */
export function rejectOtherContent(said: JsonObject): void {
  for (const name of ["audio", "function_call"]) if (said[name]) throw unknownContent(name);
}

/** Returns the reasoning of a message or a delta, and the signature that names its member. */
export function findReasoning(
  said: JsonObject,
): { text: string; signature: PartSignature } | undefined {
  for (const value of REASONING_MEMBERS) {
    const text = asText(said[value]);
    if (text) return { text, signature: { dialect: "chat", value } };
  }
  return undefined;
}

function readReasoning(said: JsonObject): OutputPart[] {
  const reasoning = findReasoning(said);
  return reasoning ? [{ type: "thinking", ...reasoning }] : [];
}

/** A list is the format of Mistral, with thinking among its parts. */
export function readContent(content: unknown): (TextPart | ThinkingPart)[] {
  if (typeof content === "string") return content ? [{ type: "text", text: content }] : [];
  return asList(content).map((value) => {
    const part = asObject(value);
    if (part.type === "text") return { type: "text", text: asText(part.text) };
    if (part.type !== "thinking") throw unknownContent(part.type);
    const text = asList(part.thinking).map((inner) => asText(asObject(inner).text));
    return { type: "thinking", text: text.join("") };
  });
}

const readRefusal = (refusal: unknown): OutputPart[] =>
  refusal ? [{ type: "text", text: asText(refusal), is_refusal: true }] : [];

function readToolCall(value: unknown, index: number): OutputPart {
  const call = asObject(value);
  if (call.type !== undefined && call.type !== "function") throw unknownContent(call.type);
  const { name, arguments: text } = asObject(call.function);
  if (!asText(name)) throw invalidResponse("has a tool call without a name");
  return {
    type: "tool_call",
    id: asText(call.id) || `call_${index}`,
    name: asText(name),
    arguments: readArguments(text) || "{}",
  };
}

/** Some servers send the arguments as an object. */
export const readArguments = (value: unknown): string =>
  isObject(value) ? JSON.stringify(value) : asText(value);
