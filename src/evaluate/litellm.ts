/** Translates LiteLLM's generic guardrail API to an evaluation, and the verdict back. */
import type { EvaluateRequest } from "../contract/evaluate.ts";
import type { LitellmReply, LitellmRequest } from "../contract/litellm.ts";
import type { Evaluation } from "./stages.ts";

export function fromLitellm(sent: LitellmRequest): EvaluateRequest {
  const { texts, structured_messages, images, tools, tool_calls, model } = sent;
  const caller = sent.request_data ?? {};
  const named = (...members: string[]) =>
    members.map((member) => label(caller[`user_api_key_${member}`])).find(Boolean);
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
    session_id: label(sent.litellm_trace_id) ?? label(sent.litellm_call_id),
    consumer_id: named("end_user_id", "user_email", "user_id", "alias"),
    attributes: {
      source: { application: "litellm" },
      ...sent.additional_provider_specific_params,
      consumer: { name: named("alias"), tag: named("team_alias", "team_id") },
      model: { name: model ?? undefined },
    },
  };
}

/** Postgres stores no NUL, and Activity no longer names. */
const label = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value.replaceAll("\0", "").slice(0, 256) : undefined;

export function toLitellm(
  sent: LitellmRequest,
  { verdict, transformed }: Evaluation,
): LitellmReply {
  const { status, findings } = verdict;
  const found = findings
    .filter(({ outcome }) => outcome.action === status)
    .map(({ signal, source }) => `${signal.type} (${source.gate_name ?? source.detector_name})`)
    .join(", ");
  if (status === "block") return blocked(`Blocked by policy: ${found}.`);
  if (status === "ask") {
    const id = findings.map(({ evidence }) => evidence.approval_id).find(Boolean);
    const text = `Needs the approval of an administrator: ${found}.`;
    return blocked(
      id ? `${text} Approval ${id}.` : `${text} It could not be requested: try again.`,
    );
  }
  if (status !== "transform" || transformed === null) return { action: "NONE" };
  const rewritten: Rewritten = JSON.parse(transformed);
  const count = sent.structured_messages?.length ?? 0;
  const calls = rewritten.messages.slice(count);
  if (sent.tool_calls && isChanged(calls, [{ role: "assistant", tool_calls: sent.tool_calls }])) {
    return blocked(
      `Tool calls hold what must be masked, and LiteLLM cannot rewrite them: ${found}.`,
    );
  }
  const messages = rewritten.messages.slice(0, count);
  return {
    action: "GUARDRAIL_INTERVENED",
    ...(rewritten.texts && { texts: rewritten.texts }),
    ...(isChanged(messages, sent.structured_messages ?? []) && { structured_messages: messages }),
    ...(rewritten.tools && isChanged(rewritten.tools, sent.tools) && { tools: rewritten.tools }),
  };
}

/** The payload of `fromLitellm`, with texts changed. */
interface Rewritten {
  texts?: string[];
  messages: unknown[];
  tools?: unknown[];
}

const blocked = (blocked_reason: string): LitellmReply => ({ action: "BLOCKED", blocked_reason });

const isChanged = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) !== JSON.stringify(other);
