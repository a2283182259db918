/** tools/call: may this caller use this tool at this moment? Then the upstream answers it. */
import { type ProgressCallback, ProtocolError } from "@modelcontextprotocol/client";
import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
} from "@modelcontextprotocol/server";
import type { Install } from "../../contract/store-installs.ts";
import { measureValue } from "../../lib/json/measure-json.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { describeUpstreamError } from "../upstream/describe-upstream-error.ts";
import type { MissingInput } from "../upstream/resolve-target.ts";
import type { UpstreamTool } from "../upstream/tool-definition.ts";
import type { UpstreamToolCall } from "../upstream/upstreams.ts";
import { buildConnectMessage, buildConnectUrl } from "./connect-link.ts";
import { callConnectTool } from "./connect-tools.ts";
import { guardCall, guardProgress, guardResult } from "./guard-call.ts";
import type { CallerServer } from "./list-caller-servers.ts";
import { listOfferedTools } from "./list-offered-tools.ts";
import { isPrincipal, type McpSession } from "./session.ts";
import { callStoreTool } from "./store-tools.ts";
import { assignToolNames, readPrefix } from "./tool-names.ts";
import { errorResult } from "./tool-result.ts";

export interface ToolCallRequest {
  name: string;
  args: Record<string, unknown> | undefined;
  signal: AbortSignal;
  /** Undefined: the client did not ask. */
  onprogress: ProgressCallback | undefined;
  /** The client shows links of its own accord, and has not just been asked to. */
  opens_links: boolean;
}

export async function callTool(
  session: McpSession,
  asked: ToolCallRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const own =
    (isPrincipal(session) ? await callStoreTool(session, asked) : undefined) ??
    (await callConnectTool(session, asked.name));
  if (own) return own;

  const prefix = readPrefix(asked.name);
  const place = session.servers.find((one) => [one.prefix.long, one.prefix.short].includes(prefix));
  if (!place) return errorResult(unknownToolMessage(asked.name));
  if (place.suspended_because !== null) {
    return errorResult(`${place.instance.name} ${SUSPENDED[place.suspended_because]}`);
  }
  const { tool, missing, refusal } = await findTool(session, place, asked.name);
  if (missing) return toConnectResult(session, place, asked, missing);
  return tool ? await runGuardedCall(session, place, asked, tool) : errorResult(refusal ?? "");
}

const SUSPENDED: Record<NonNullable<Install["suspended_because"]>, string> = {
  access: "may not be used by you any more: your access was taken away.",
  instance_disabled: "was switched off by an administrator.",
  authorization_server_changed:
    "is suspended: it advertises another authorization server than before, which an administrator must confirm.",
  grant_ended: "was approved for a time that has ended: ask for it again with store_install.",
  not_in_catalog: "is not in the Store any more.",
};

interface ToolLookup {
  tool?: UpstreamTool;
  missing?: MissingInput;
  refusal?: string;
}

/** By what it is called here; else what stands in the way. */
async function findTool(
  session: McpSession,
  place: CallerServer,
  exposed: string,
): Promise<ToolLookup> {
  const { instance, prefix } = place;
  const { tools, names, withheld, notes, missing } = await listOfferedTools(session, place);
  if (missing) return { missing };
  const called = assignToolNames(prefix, names, instance.provider_options.tool_aliases);
  const found = tools.find(({ shown }) => called.get(shown.name) === exposed);
  if (found) return { tool: found.tool };
  const [, reason] = [...withheld].find(([name]) => called.get(name) === exposed) ?? [];
  if (reason) return { refusal: reason.refusal };
  const [note] = names.length === 0 ? notes : [];
  return {
    refusal: note
      ? `${instance.name} cannot be used right now. ${note}`
      : unknownToolMessage(exposed),
  };
}

const unknownToolMessage = (name: string): string =>
  `There is no tool "${name}" here: list the tools again.`;

async function runGuardedCall(
  session: McpSession,
  place: CallerServer,
  asked: ToolCallRequest,
  tool: UpstreamTool,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal } = asked;
  const onprogress = asked.onprogress && guardProgress(session, asked.onprogress);
  const call = { tool: tool.definition.name, server: place.instance.name, args: asked.args };
  const before = await guardCall(session, call);
  if ("refusal" in before) return before.refusal;
  const began = elapsedMs();
  const result = await callServer(session, place, {
    tool,
    args: before.pass,
    signal,
    onprogress,
    trace_headers: session.trace_headers,
  });
  if (typeof result === "string") return toConnectResult(session, place, asked, result);
  session.deps.log("tool_call", {
    trace_id: session.author.trace_id,
    caller: session.author.actor.name,
    gateway_id: place.instance.gateway_id,
    instance_id: place.instance.id,
    tool: call.tool,
    failed: result.isError === true,
    ms: Math.round(elapsedMs() - began),
  });
  session.memory.add(measureValue(result));
  const after = await guardResult(session, call, result);
  return "refusal" in after ? after.refusal : after.pass;
}

/** What goes wrong there is an answer too. */
async function callServer(
  session: McpSession,
  place: CallerServer,
  call: UpstreamToolCall,
): Promise<CallToolResult | MissingInput> {
  try {
    return await session.upstreams.call(place, call);
  } catch (thrown) {
    // What the server says of the arguments is for the caller to read.
    if (thrown instanceof ProtocolError) return errorResult(thrown.message);
    const trouble = describeUpstreamError(thrown);
    const { id, gateway_id, name } = place.instance;
    session.deps.log("tool_call_failed", { level: "warn", gateway_id, instance_id: id, trouble });
    return errorResult(`${name} did not answer. ${trouble}`);
  }
}

/** Few clients open links by themselves: the others get it as text. */
function toConnectResult(
  { origin }: McpSession,
  { instance, install }: CallerServer,
  { opens_links }: ToolCallRequest,
  missing: MissingInput,
): CallToolResult | InputRequiredResult {
  if (!install) return errorResult(`${instance.name} needs an account of a user.`);
  const url = buildConnectUrl(origin, install);
  const message = buildConnectMessage(instance.name, missing, url);
  if (!opens_links) return { ...errorResult(message), structuredContent: { connect_url: url } };
  return inputRequired({ inputRequests: { connect: inputRequired.elicitUrl({ message, url }) } });
}
