/** Reads a chat completions request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { unpackCallId, unpackSignature } from "../carry-signature.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import { parseMediaUrl } from "../media-source.ts";
import type {
  CacheControl,
  NeutralMessage,
  NeutralRequest,
  OutputFormat,
  Part,
  TextPart,
  ThinkingPart,
  ToolChoice,
} from "../neutral.ts";
import {
  type AssistantMessage,
  type ChatMessage,
  ChatRequest,
  type UserPart,
} from "./request-schema.ts";

export function readChatRequest(body: JsonObject): NeutralRequest {
  const request = decodeMember(ChatRequest, body, "");
  const { stop, reasoning_effort: effort } = request;
  return {
    messages: request.messages.map((message, index) => readMessage(message, `messages[${index}]`)),
    tools: (request.tools ?? []).map(({ function: tool, cache_control }) =>
      defined({
        name: tool.name,
        description: tool.description,
        schema: tool.parameters ?? { type: "object", properties: {} },
        strict: tool.strict,
        cache: cache_control,
      }),
    ),
    ...defined({
      tool_choice: request.tool_choice && readToolChoice(request.tool_choice),
      parallel_tool_calls: request.parallel_tool_calls,
      max_tokens: request.max_completion_tokens ?? request.max_tokens,
      temperature: request.temperature,
      top_p: request.top_p,
      top_k: request.top_k,
      stop: typeof stop === "string" ? [stop] : stop,
      seed: request.seed,
      // 0 is the default.
      presence_penalty: request.presence_penalty || undefined,
      frequency_penalty: request.frequency_penalty || undefined,
      output_format: readOutputFormat(request.response_format),
      reasoning: effort ? { effort } : undefined,
      user: request.user,
    }),
    stream: request.stream ?? false,
  };
}

function readMessage(message: ChatMessage, at: string): NeutralMessage {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", parts: readTexts(message.content), at };
    case "user":
      return { role: "user", parts: readUserParts(message.content, at), at };
    case "assistant":
      return { role: "assistant", parts: readAssistantParts(message), at };
    case "tool": {
      const { id } = unpackCallId(message.tool_call_id);
      const parts = readTexts(message.content);
      return { role: "user", parts: [{ type: "tool_result", call_id: id, parts }], at };
    }
  }
}

type Texts = string | { text: string; cache_control?: CacheControl | undefined }[];

const readTexts = (content: Texts): TextPart[] =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map(({ text, cache_control }) =>
        defined({ type: "text" as const, text, cache: cache_control }),
      );

function readUserParts(content: string | UserPart[], at: string): Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((part, index) =>
    defined({
      ...readUserPart(part, `${at}.content[${index}]`),
      cache: part.cache_control,
    }),
  );
}

function readUserPart(part: UserPart, at: string): Part {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image_url": {
      const { url, detail } = part.image_url;
      return defined({ type: "image" as const, source: parseMediaUrl(url), detail });
    }
    case "input_audio": {
      const { data, format } = part.input_audio;
      const media_type = format === "mp3" ? "audio/mpeg" : "audio/wav";
      return { type: "audio", source: { data, media_type } };
    }
    case "file": {
      const { file_data, file_id, filename } = part.file;
      if (file_id)
        throw memberError(`${at}.file.file_id`, "send the file in file_data for this model");
      if (!file_data) throw memberError(`${at}.file.file_data`, "is required");
      return defined({
        type: "document" as const,
        source: parseMediaUrl(file_data),
        name: filename,
      });
    }
  }
}

function readAssistantParts(message: AssistantMessage): Part[] {
  const { content, refusal, tool_calls } = message;
  const texts: Part[] =
    typeof content === "string"
      ? [{ type: "text", text: content }]
      : (content ?? []).map((part) =>
          part.type === "text"
            ? defined({
                type: "text" as const,
                text: part.text,
                cache: part.cache_control,
              })
            : { type: "text", text: part.refusal, is_refusal: true },
        );
  const refusals: Part[] = refusal ? [{ type: "text", text: refusal, is_refusal: true }] : [];
  const calls = (tool_calls ?? []).map(({ id: tagged, function: { name, arguments: text } }) => ({
    type: "tool_call" as const,
    ...unpackCallId(tagged),
    name,
    arguments: text,
  }));
  return [...readThinking(message), ...texts, ...refusals, ...calls];
}

/** `reasoning_details` contains the signatures; the other members only the text. */
function readThinking(message: AssistantMessage): ThinkingPart[] {
  const { reasoning_details, reasoning_content, reasoning } = message;
  if (reasoning_details?.length) {
    return reasoning_details.map(({ text, signature }) =>
      defined({
        type: "thinking" as const,
        text: text ?? "",
        signature: signature ? unpackSignature(signature, "chat") : undefined,
      }),
    );
  }
  const text = reasoning_content ?? reasoning;
  return text ? [{ type: "thinking", text }] : [];
}

function readToolChoice(choice: NonNullable<ChatRequest["tool_choice"]>): ToolChoice {
  return typeof choice === "string"
    ? { type: choice }
    : { type: "tool", name: choice.function.name };
}

function readOutputFormat(format: ChatRequest["response_format"]): OutputFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { schema, name, strict } = format.json_schema;
  return defined({ type: "json_schema" as const, schema, name, strict });
}
