/** Reads a messages request. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { unpackCallId, unpackSignature } from "../carry-signature.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type {
  CacheControl,
  MediaSource,
  NeutralMessage,
  NeutralRequest,
  Part,
  Reasoning,
  TextPart,
  ToolChoice,
  ToolResultPart,
} from "../neutral.ts";
import { REDACTED } from "./redacted.ts";
import {
  type ContentBlock,
  type MessagesMessage,
  MessagesRequest,
  type ResultBlock,
  type Texts,
} from "./request-schema.ts";

export function readMessagesRequest(body: JsonObject): NeutralRequest {
  rejectProviderTools(body.tools);
  const request = decodeMember(MessagesRequest, body, "");
  const { tool_choice, output_config, thinking, system } = request;
  const format = output_config?.format ?? request.output_format;
  const messages = request.messages.map((message, index) =>
    readMessage(message, `messages[${index}]`),
  );
  if (request.cache_control) cacheLastPart(messages, request.cache_control);
  return {
    messages: system
      ? [{ role: "system", parts: readTexts(system), at: "system" }, ...messages]
      : messages,
    tools: (request.tools ?? []).map((tool) =>
      defined({
        name: tool.name,
        description: tool.description,
        schema: tool.input_schema,
        strict: tool.strict,
        cache: tool.cache_control,
      }),
    ),
    ...defined({
      tool_choice: tool_choice && readToolChoice(tool_choice),
      parallel_tool_calls:
        tool_choice && "disable_parallel_tool_use" in tool_choice
          ? !tool_choice.disable_parallel_tool_use
          : undefined,
      max_tokens: request.max_tokens,
      temperature: request.temperature,
      top_p: request.top_p,
      top_k: request.top_k,
      stop: request.stop_sequences,
      output_format: format && { type: "json_schema" as const, schema: format.schema },
      reasoning: readReasoning(thinking, output_config?.effort),
      user: request.metadata?.user_id,
    }),
    stream: request.stream ?? false,
  };
}

/** Tools with another type than `custom` run at Anthropic, or have no schema in the request. */
function rejectProviderTools(tools: unknown): void {
  if (!Array.isArray(tools)) return;
  const at = tools.findIndex(
    (tool) => isObject(tool) && typeof tool.type === "string" && tool.type !== "custom",
  );
  if (at < 0) return;
  throw memberError(`tools[${at}].type`, "only custom tools are supported for this model");
}

function readMessage({ role, content }: MessagesMessage, at: string): NeutralMessage {
  if (typeof content === "string") return { role, parts: [{ type: "text", text: content }], at };
  return {
    role,
    parts: content.map((block, index) => readBlock(block, `${at}.content[${index}]`)),
    at,
  };
}

function readBlock(block: ContentBlock, at: string): Part {
  switch (block.type) {
    case "tool_use":
      return defined({
        type: "tool_call" as const,
        ...unpackCallId(block.id),
        name: block.name,
        arguments: JSON.stringify(block.input),
        cache: block.cache_control,
      });
    case "tool_result":
      return defined({
        type: "tool_result" as const,
        call_id: unpackCallId(block.tool_use_id).id,
        parts: readResult(block.content ?? "", at),
        is_error: block.is_error,
        cache: block.cache_control,
      });
    case "thinking":
      return defined({
        type: "thinking" as const,
        text: block.thinking,
        signature: block.signature ? unpackSignature(block.signature, "messages") : undefined,
      });
    case "redacted_thinking": {
      const signature = { dialect: "messages" as const, value: `${REDACTED}${block.data}` };
      return { type: "thinking", text: "", signature };
    }
    default:
      return readResultBlock(block, at);
  }
}

function readResult(content: string | ResultBlock[], at: string): ToolResultPart["parts"] {
  if (typeof content === "string") return content ? [{ type: "text", text: content }] : [];
  return content.map((block, index) => readResultBlock(block, `${at}.content[${index}]`));
}

function readResultBlock(block: ResultBlock, at: string): ToolResultPart["parts"][number] {
  const cache = block.cache_control;
  if (block.type === "text") return defined({ type: "text" as const, text: block.text, cache });
  if (block.type === "tool_reference") {
    return defined({ type: "text" as const, text: `Found tool: ${block.tool_name}`, cache });
  }
  const source = readSource(block.source, `${at}.source`);
  if (block.type === "image") return defined({ type: "image" as const, source, cache });
  return defined({ type: "document" as const, source, name: block.title, cache });
}

type Source = Extract<ResultBlock, { type: "document" }>["source"];

function readSource(source: Source, at: string): MediaSource {
  switch (source.type) {
    case "base64":
      return { data: source.data, media_type: source.media_type };
    case "url":
      return { url: source.url };
    case "text":
      return toPlainText(source.data);
    case "content":
      return toPlainText(
        typeof source.content === "string"
          ? source.content
          : source.content.map(({ text }) => text).join("\n"),
      );
    case "file":
      throw memberError(`${at}.file_id`, "send the file in base64 for this model");
  }
}

const toPlainText = (text: string): MediaSource => ({
  data: Buffer.from(text).toString("base64"),
  media_type: "text/plain",
});

const readTexts = (content: Texts): TextPart[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map(({ text, cache_control }) =>
        defined({ type: "text" as const, text, cache: cache_control }),
      );

/** `cache_control` of the request applies to the last block that can have it. */
function cacheLastPart(messages: NeutralMessage[], cache: CacheControl): void {
  const part = messages.at(-1)?.parts.findLast(({ type }) => type !== "thinking");
  if (part && part.type !== "thinking") part.cache ??= cache;
}

function readToolChoice(choice: NonNullable<MessagesRequest["tool_choice"]>): ToolChoice {
  if (choice.type === "tool") return { type: "tool", name: choice.name };
  return { type: choice.type === "any" ? "required" : choice.type };
}

type Effort = NonNullable<MessagesRequest["output_config"]>["effort"];

function readReasoning(
  thinking: MessagesRequest["thinking"],
  effort: Effort,
): Reasoning | undefined {
  if (thinking?.type === "disabled") return { budget_tokens: 0 };
  if (!thinking && !effort) return undefined;
  const display = thinking && "display" in thinking ? thinking.display : undefined;
  return defined({
    effort,
    budget_tokens: thinking?.type === "enabled" ? thinking.budget_tokens : undefined,
    include_text: thinking ? display !== "omitted" : undefined,
  });
}
