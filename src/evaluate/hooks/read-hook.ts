/** Translates the JSON of a hook to an evaluation: the content of the event, its tool, session and user. */
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import { type EvaluateRequest, OpenObject } from "../../contract/guard/evaluate.ts";
import type { HookAgent } from "../../contract/guard/hook-agents.ts";
import type { CoveredText } from "../../evaluation.ts";
import { isObject } from "../../lib/json/json-object.ts";
import { readMemberTexts, skipBlank } from "../../lib/json/source-text.ts";
import type { EvaluationInput, EvaluationOrigin } from "../stages.ts";
import { toLabel } from "../to-label.ts";
import type { HookBody, HookEvent } from "./agent-hooks.ts";
import { findHookEvent, type ReceivedHook } from "./all.ts";

type HookInput = Pick<EvaluationInput, "request" | "text" | "approval_mode" | "covered" | "hook">;

/** `text` is the JSON that `value` was parsed from. */
export function readHook(
  agent: HookAgent,
  { value, text }: { value: unknown; text: string },
  { user }: EvaluationOrigin,
): HookInput {
  const body = decode(OpenObject, value, "invalid_request");
  // The `notify` program of Codex has a type instead.
  const name = toLabel(body.hook_event_name) ?? toLabel(body.type);
  if (name === undefined) {
    const problem = "hook_event_name: must be the name of the event. Send the JSON of a hook.";
    throw new AppError("invalid_request", problem);
  }
  const hook: ReceivedHook = { agent, name, body };
  const event = findHookEvent(hook);
  const payload = event ? createPayload(event, body) : {};
  const request: EvaluateRequest = {
    payload,
    ...(event && CONTEXT[event.kind]),
    session_id: firstLabel(body, ["session_id", "conversation_id", "thread-id"]),
    consumer_id: toLabel(user) ?? toLabel(body.user_email),
    attributes: {
      source: { application: agent },
      hook: { event: name },
      model: { name: toLabel(body.model) },
      tool: { name: event && toolName(event, body), command: event && readCommand(event, body) },
    },
  };
  const attributes = JSON.stringify(request.attributes);
  return {
    request,
    text: `{"payload":${writePayload(payload, event, text)},"attributes":${attributes}}`,
    // Where the agent has no dialog, an administrator approves, and the action is repeated unchanged.
    approval_mode: event?.deny && !event.ask ? "implicit" : "delegated",
    covered: describeCall(body),
    hook,
  };
}

/**
 * Returns what an approval covers beside the content: the same command may run another program in another folder, the
 * same prompt may publish another file, and the name of a tool is shortened for policies.
 */
const describeCall = (body: HookBody): CoveredText[] =>
  COVERED_MEMBERS.flatMap((name) => {
    const value = body[name];
    if (value === undefined) return [];
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return [{ pointer: `/request/${name}`, text }];
  });

/** Cursor sends folders of a prompt as `workspace_roots`, and paths of its files as `attachments`. */
const COVERED_MEMBERS = ["cwd", "workspace_roots", "tool_name", "attachments"];

const CONTEXT = {
  prompt: { direction: "input", protocol: "llm" },
  call: { direction: "input", protocol: "mcp" },
  shell: { direction: "input", protocol: "mcp" },
  result: { direction: "output", protocol: "mcp" },
  reply: { direction: "output", protocol: "llm" },
} as const satisfies Record<HookEvent["kind"], Pick<EvaluateRequest, "direction" | "protocol">>;

function createPayload(event: HookEvent, body: HookBody): Record<string, unknown> {
  const content = body[event.member] ?? "";
  switch (event.kind) {
    case "prompt":
      return { messages: [{ role: "user", content }] };
    case "reply":
      return { messages: [{ role: "assistant", content }] };
    case "call":
      return { name: toolName(event, body) ?? "", arguments: content };
    case "shell":
      return { name: event.tool, arguments: { command: content } };
    case "result":
      return { content };
  }
}

/** Members of a payload that contain what an agent can replace. */
export const REPLACEABLE: Partial<Record<HookEvent["kind"], string>> = {
  call: "arguments",
  result: "content",
};

/** Copies replaceable content from the text of the hook: parsing and serializing it would change large numbers. */
function writePayload(
  payload: Record<string, unknown>,
  event: HookEvent | undefined,
  text: string,
): string {
  const source = event && readMemberTexts(text, skipBlank(text, 0)).get(event.member);
  const copied = event && source !== undefined ? REPLACEABLE[event.kind] : undefined;
  const members = Object.entries(payload).map(
    ([name, value]) => `"${name}":${name === copied ? source : JSON.stringify(value)}`,
  );
  return `{${members.join(",")}}`;
}

/** Cursor adds a prefix to the tools of MCP servers. */
const toolName = ({ kind, tool }: HookEvent, { tool_name }: HookBody): string | undefined =>
  kind === "prompt" || kind === "reply"
    ? undefined
    : (tool ?? toLabel(tool_name)?.replace(/^MCP:/, ""));

/** Returns the command line of a shell call. */
function readCommand({ kind, member }: HookEvent, body: HookBody): string | undefined {
  const content = body[member];
  const command = kind === "call" && isObject(content) ? content.command : content;
  const isCall = kind === "call" || kind === "shell";
  return isCall && typeof command === "string" ? command : undefined;
}

const firstLabel = (body: HookBody, members: readonly string[]): string | undefined =>
  members.map((member) => toLabel(body[member])).find(Boolean);
