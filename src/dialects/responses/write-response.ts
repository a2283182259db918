/** Writes a response object in the responses format: settings of the request, output items, status and usage. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { packCallId, packSignature } from "../carry-signature.ts";
import type { ReplyContext } from "../dialect.ts";
import type {
  NeutralResponse,
  OutputPart,
  PartSignature,
  StopReason,
  TextPart,
  ToolCallPart,
  Usage,
} from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";
import { type ClientTool, listClientTools, readCustomInput } from "./read-tools.ts";

export function writeResponsesResponse(response: NeutralResponse, reply: ReplyContext): JsonObject {
  const tools = listClientTools(reply.request);
  const output = response.parts.map((part, index) =>
    writeItem(part, createItemId(part, reply, index), tools),
  );
  return {
    ...writeOutcome(reply, output, response),
    ...repeatSettings(reply),
  };
}

/** Returns the members that change while the response is generated. */
export function writeProgress(reply: ReplyContext, status: string): JsonObject {
  return {
    id: `resp_${reply.id}`,
    object: "response",
    created_at: reply.created,
    status,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
  };
}

/** Returns the members that describe the complete response. */
export function writeOutcome(
  reply: ReplyContext,
  output: JsonObject[],
  { stop_reason, usage, parts }: Pick<NeutralResponse, "stop_reason" | "usage" | "parts">,
): JsonObject {
  const reason = getIncompleteReason(stop_reason, parts);
  return {
    ...writeProgress(reply, reason ? "incomplete" : "completed"),
    incomplete_details: reason ? { reason } : null,
    output,
    usage: usage ? writeUsage(usage) : null,
  };
}

/** Returns undefined if the response is complete. A refusal without an explanation is a filtered response. */
function getIncompleteReason(
  stop_reason: StopReason,
  parts: readonly OutputPart[],
): string | undefined {
  if (stop_reason === "max_tokens" || stop_reason === "context_window") return "max_output_tokens";
  const isFiltered =
    stop_reason === "content_filter" || (stop_reason === "refusal" && !parts.some(isRefusal));
  return isFiltered ? "content_filter" : undefined;
}

const isRefusal = (part: OutputPart): boolean => part.type === "text" && part.is_refusal === true;

/** Returns the settings of the request, as OpenAI repeats them; nothing is stored. */
export function repeatSettings({ request, model }: ReplyContext): JsonObject {
  const text = isObject(request.text) ? request.text : {};
  const reasoning = isObject(request.reasoning) ? request.reasoning : {};
  return {
    model,
    background: false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: request.prompt_cache_key ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: "default",
    store: false,
    temperature: request.temperature ?? 1,
    text: { ...text, format: text.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_logprobs: 0,
    top_p: request.top_p ?? 1,
    truncation: "disabled",
    user: request.user ?? null,
  };
}

function writeUsage(usage: Usage): JsonObject {
  const { input_tokens, output_tokens } = usage;
  return {
    input_tokens,
    input_tokens_details: {
      cached_tokens: usage.cached_tokens ?? 0,
      ...(usage.cache_write_tokens === undefined
        ? {}
        : { cache_write_tokens: usage.cache_write_tokens }),
    },
    output_tokens,
    output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    total_tokens: input_tokens + output_tokens,
  };
}

const ID_PREFIXES = { text: "msg", thinking: "rs", tool_call: "fc" };

export const createItemId = ({ type }: OutputPart, { id }: ReplyContext, index: number): string =>
  `${ID_PREFIXES[type]}_${id}_${index}`;

/** Returns whether `createItemId` may have created an id. Upstreams create no such ids. */
export const isOwnItemId = (id: string): boolean => OWN_ITEM_ID.test(id);
const OWN_ITEM_ID = /^(?:msg|rs|fc)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}_\d+$/;

/** Writes the output item of a complete part. */
export function writeItem(
  part: OutputPart,
  id: string,
  tools: ReadonlyMap<string, ClientTool>,
): JsonObject {
  switch (part.type) {
    case "text":
      return {
        id,
        type: "message",
        status: "completed",
        role: "assistant",
        content: [writeContent(part)],
      };
    case "thinking":
      return writeReasoningItem(id, part.text, part.signature);
    case "tool_call":
      return writeCallItem(id, part, tools.get(part.name));
  }
}

export const writeContent = ({ text, is_refusal }: TextPart): JsonObject =>
  is_refusal
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [], logprobs: [] };

function writeReasoningItem(
  id: string,
  text: string,
  signature: PartSignature | undefined,
): JsonObject {
  return {
    id,
    type: "reasoning",
    summary: text ? [{ type: "summary_text", text }] : [],
    ...(signature && { encrypted_content: packSignature(signature, "responses") }),
  };
}

function writeCallItem(id: string, part: ToolCallPart, tool: ClientTool | undefined): JsonObject {
  const item = { id, status: "completed", call_id: packCallId(part.id, part.signature) };
  if (tool?.type === "tool_search") {
    // Text that is not JSON is returned as it is: the client's search reports the error.
    const args = parseArguments(part.arguments) ?? part.arguments;
    return { ...item, type: "tool_search_call", execution: "client", arguments: args };
  }
  const call = {
    ...item,
    name: tool?.name ?? part.name,
    ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
  };
  return tool?.type === "custom"
    ? { ...call, type: "custom_tool_call", input: readCustomInput(part.arguments) }
    : { ...call, type: "function_call", arguments: part.arguments || "{}" };
}
