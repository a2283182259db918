/** Writes a messages request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { writeThinking } from "../claude-thinking.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type { RequestTarget } from "../dialect.ts";
import type {
  CacheControl,
  ImagePart,
  NeutralMessage,
  NeutralRequest,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";
import { REDACTED } from "./redacted.ts";

export function writeMessagesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { tools, stop, temperature, output_format, user, stream } = request;
  if (temperature !== undefined && temperature > 1) {
    target.reject("temperature", "must be at most 1 for this model");
  }
  for (const member of ["presence_penalty", "frequency_penalty"] as const) {
    if (request[member]) target.reject(member, "must be 0 for this model");
  }
  if (output_format?.type === "json") {
    target.reject("output_format", "must have a JSON schema for this model");
  }
  const { thinking, effort, max_tokens } = writeThinking(request, target, "messages");
  const format = output_format && { type: "json_schema", schema: output_format.schema };
  const system = request.messages.flatMap(({ role, parts }) => (role === "system" ? parts : []));
  return defined({
    model: target.model,
    max_tokens,
    system: system.length > 0 ? system.flatMap((part) => writePart(part, "system")) : undefined,
    messages: writeTurns(request.messages),
    tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    tool_choice: writeToolChoice(request),
    temperature,
    top_p: request.top_p,
    top_k: request.top_k,
    stop_sequences: stop?.length ? stop : undefined,
    thinking,
    output_config: format || effort ? defined({ format, effort }) : undefined,
    metadata: user ? { user_id: user } : undefined,
    stream: stream || undefined,
  });
}

const writeCache = (cache: CacheControl | undefined) =>
  cache && { type: "ephemeral", ...(cache.ttl && { ttl: cache.ttl }) };

const writeTool = ({ name, description, schema, strict, cache }: NeutralRequest["tools"][number]) =>
  defined({ name, description, input_schema: schema, strict, cache_control: writeCache(cache) });

function writeToolChoice({ tools, tool_choice, parallel_tool_calls }: NeutralRequest) {
  if (tools.length === 0) return undefined;
  const isSingle = parallel_tool_calls === false;
  if (!tool_choice) return isSingle ? { type: "auto", disable_parallel_tool_use: true } : undefined;
  if (tool_choice.type === "none") return { type: "none" };
  const type = tool_choice.type === "required" ? "any" : tool_choice.type;
  const name = tool_choice.type === "tool" ? tool_choice.name : undefined;
  return defined({ type, name, disable_parallel_tool_use: isSingle || undefined });
}

/** Merges messages of the same role: all results of parallel tool calls must be in one message, at its start. */
function writeTurns(messages: NeutralMessage[]): JsonObject[] {
  const turns: { role: string; content: JsonObject[] }[] = [];
  for (const { role, parts, at } of messages) {
    if (role === "system") continue;
    const content = parts.flatMap((part) => writePart(part, at));
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  for (const turn of turns) {
    const isResult = ({ type }: JsonObject) => type === "tool_result";
    if (!turn.content.some(isResult)) continue;
    turn.content = [
      ...turn.content.filter(isResult),
      ...turn.content.filter((block) => !isResult(block)),
    ];
  }
  return turns;
}

/** Returns no block for parts that the API rejects: empty text, and thinking without its signature. */
function writePart(part: Part, at: string): JsonObject[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [withCache(part, { type: "text", text: part.text })];
    case "image":
      return [withCache(part, { type: "image", source: writeSource(part.source) })];
    case "document": {
      const { source, name: title } = part;
      return [
        withCache(part, defined({ type: "document", source: writeDocument(source, at), title })),
      ];
    }
    case "audio":
      throw memberError(at, "this model does not accept audio");
    case "thinking":
      return writeThinkingBlock(part);
    case "tool_call":
      return [withCache(part, writeToolCall(part, at))];
    case "tool_result":
      return [withCache(part, writeResult(part, at))];
  }
}

const withCache = ({ cache }: { cache?: CacheControl }, block: JsonObject): JsonObject =>
  cache ? { ...block, cache_control: writeCache(cache) } : block;

type Source = ImagePart["source"];

const writeSource = (source: Source): JsonObject =>
  "url" in source ? { type: "url", ...source } : { type: "base64", ...source };

function writeDocument(source: Source, at: string): JsonObject {
  if ("url" in source || source.media_type === "application/pdf") return writeSource(source);
  if (source.media_type !== "text/plain") {
    throw memberError(at, "documents must be application/pdf or text/plain for this model");
  }
  const data = Buffer.from(source.data, "base64").toString();
  return { type: "text", media_type: "text/plain", data };
}

function writeThinkingBlock({ text, signature }: ThinkingPart): JsonObject[] {
  if (signature?.dialect !== "messages") return [];
  const { value } = signature;
  if (value.startsWith(REDACTED)) {
    return [{ type: "redacted_thinking", data: value.slice(REDACTED.length) }];
  }
  return [{ type: "thinking", thinking: text, signature: value }];
}

function writeToolCall({ id, name, arguments: text }: ToolCallPart, at: string): JsonObject {
  const input = parseArguments(text);
  if (!input) throw memberError(at, `the arguments of ${name} must be a JSON object as text`);
  return { type: "tool_use", id: toCallId(id), name, input };
}

function writeResult({ call_id, parts, is_error }: ToolResultPart, at: string): JsonObject {
  const content = parts.flatMap((part) => writePart(part, at));
  return defined({
    type: "tool_result",
    tool_use_id: toCallId(call_id),
    content: content.length > 0 ? content : undefined,
    is_error,
  });
}

/** The API accepts only these characters; other APIs create ids such as `functions.read:0`. */
const toCallId = (id: string): string => id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
