/** Translates LiteLLM's generic guardrail API to an evaluation, and the verdict back. */
import { AppError } from "../contract/errors.ts";
import type { EvaluateRequest } from "../contract/guard/evaluate.ts";
import type { LitellmReply, LitellmRequest } from "../contract/guard/litellm.ts";
import type { Evaluation } from "../evaluation.ts";
import { isObject } from "../lib/json/json-object.ts";
import { readMemberTexts, skipBlank } from "../lib/json/source-text.ts";
import { describeApproval, describeFindings } from "./describe-findings.ts";
import { toLabel } from "./to-label.ts";

/** Rejects the first item of a list that is not text: the schema would describe each of a million. */
export function checkTexts(body: unknown): void {
  if (!isObject(body)) return;
  for (const name of ["texts", "images"]) {
    const list = body[name];
    const at = Array.isArray(list) ? list.findIndex((each) => typeof each !== "string") : -1;
    if (at >= 0) throw new AppError("invalid_request", `${name}[${at}]: must be a string`);
  }
}

export function fromLitellm(sent: LitellmRequest): EvaluateRequest {
  const { texts, structured_messages, images, tools, tool_calls, model } = sent;
  const caller = sent.request_data ?? {};
  const firstLabel = (...members: string[]) =>
    members.map((member) => toLabel(caller[`user_api_key_${member}`])).find(Boolean);
  return {
    payload: {
      ...(texts && { texts }),
      messages: [
        ...(structured_messages ?? []),
        ...(tool_calls ? [{ role: "assistant", tool_calls }] : []),
      ],
      ...(images && { images }),
      ...(tools && { tools }),
    },
    direction: sent.input_type === "request" ? "input" : "output",
    protocol: "llm",
    session_id: toLabel(sent.litellm_trace_id) ?? toLabel(sent.litellm_call_id),
    consumer_id: firstLabel("end_user_id", "user_email", "user_id", "alias"),
    attributes: {
      source: { application: "litellm" },
      ...sent.additional_provider_specific_params,
      consumer: { name: firstLabel("alias"), tag: firstLabel("team_alias", "team_id") },
      model: { name: model ?? undefined },
    },
  };
}

/** Writes the JSON text of `request` with values of `text`, LiteLLM's body: parsing them would round large numbers. */
export function writeLitellmText({ attributes = {} }: EvaluateRequest, text: string): string {
  const sent = readMemberTexts(text, skipBlank(text, 0));
  const textOf = (name: string) => (sent.get(name) === "null" ? undefined : sent.get(name));
  const calls = textOf("tool_calls");
  const messages = [
    textOf("structured_messages")?.slice(1, -1).trim(),
    calls && `{"role":"assistant","tool_calls":${calls}}`,
  ].filter(Boolean);
  const payload = [
    ["texts", textOf("texts")],
    ["messages", `[${messages.join(",")}]`],
    ["images", textOf("images")],
    ["tools", textOf("tools")],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`"${name}":${value}`]));
  const params = readMemberTexts(textOf("additional_provider_specific_params") ?? "{}", 0);
  // Set by fromLitellm.
  for (const name of ["consumer", "model"]) params.delete(name);
  const described = Object.entries(attributes).map(
    ([name, value]) => `${JSON.stringify(name)}:${params.get(name) ?? JSON.stringify(value)}`,
  );
  return `{"payload":{${payload.join(",")}},"attributes":{${described.join(",")}}}`;
}

export function toLitellm(
  sent: LitellmRequest,
  { verdict, transformed }: Evaluation,
): LitellmReply {
  const { status } = verdict;
  const reasons = describeFindings(verdict);
  if (status === "block") return createBlocked(`Blocked by policy: ${reasons}.`);
  if (status === "ask") return createBlocked(describeApproval(verdict));
  const held = sent.input_type === "response" && sent.texts && holdBack(sent.texts);
  if (status !== "transform" || transformed === null) return { action: "NONE", ...held };
  const rewritten: RewrittenPayload = JSON.parse(transformed);
  const count = sent.structured_messages?.length ?? 0;
  const calls = rewritten.messages.slice(count);
  if (sent.tool_calls && isChanged(calls, [{ role: "assistant", tool_calls: sent.tool_calls }])) {
    return createBlocked(
      `Tool calls contain text that must be masked, and LiteLLM cannot rewrite tool calls: ${reasons}.`,
    );
  }
  if (sent.images && isChanged(rewritten.images, sent.images)) {
    return createBlocked(
      `Images contain text that must be masked, and LiteLLM cannot rewrite images: ${reasons}.`,
    );
  }
  const messages = rewritten.messages.slice(0, count);
  return {
    action: "GUARDRAIL_INTERVENED",
    ...held,
    ...(rewritten.texts && { texts: rewritten.texts }),
    ...(isChanged(messages, sent.structured_messages ?? []) && { structured_messages: messages }),
    ...(rewritten.tools && isChanged(rewritten.tools, sent.tools) && { tools: rewritten.tools }),
  };
}

/** The payload that `fromLitellm` created, after rewriting. */
interface RewrittenPayload {
  texts?: string[];
  messages: unknown[];
  images?: string[];
  tools?: unknown[];
}

/** Lets LiteLLM hold back the end of each text: it evaluates a stream again as it grows, and cannot mask what it has sent. */
const holdBack = (texts: readonly string[]) => ({
  stream_holdback_chars: texts.map(() => HELD_CHARACTERS),
});
/** Longer than cards, accounts, addresses and most keys. */
const HELD_CHARACTERS = 256;

const createBlocked = (blocked_reason: string): LitellmReply => ({
  action: "BLOCKED",
  blocked_reason,
});

const isChanged = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);
