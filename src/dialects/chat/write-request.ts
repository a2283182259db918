/** Writes a chat completions request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type { RequestTarget } from "../dialect.ts";
import { toMediaUrl } from "../media-source.ts";
import type {
  NeutralMessage,
  NeutralRequest,
  OutputFormat,
  Part,
  TextPart,
  ToolChoice,
  ToolResultPart,
} from "../neutral.ts";
import { shortenUser } from "../shorten-user.ts";
import { REASONING_MEMBERS } from "./reasoning-members.ts";

export function writeChatRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { tools, tool_choice, output_format, stream } = request;
  return defined({
    model: target.model,
    messages: request.messages.flatMap(writeMessage),
    tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    tool_choice: tools.length > 0 && tool_choice ? writeToolChoice(tool_choice) : undefined,
    // true is the default, and invalid without tools.
    parallel_tool_calls:
      tools.length > 0 && request.parallel_tool_calls === false ? false : undefined,
    max_tokens: request.max_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    stop: request.stop,
    seed: request.seed,
    presence_penalty: request.presence_penalty,
    frequency_penalty: request.frequency_penalty,
    response_format: output_format && writeOutputFormat(output_format),
    reasoning_effort: NOT_REASONING.test(target.upstream_model)
      ? undefined
      : request.reasoning?.effort,
    user: request.user && shortenUser(request.user),
    stream: stream || undefined,
    stream_options: stream ? { include_usage: true } : undefined,
  });
}

/** Models that reject `reasoning_effort`, which agents send by default. */
const NOT_REASONING = /(^|\/)(gpt-3|gpt-4|chatgpt-)/;

const writeTool = ({ name, description, schema, strict }: NeutralRequest["tools"][number]) => ({
  type: "function",
  function: defined({ name, description, parameters: schema, strict }),
});

const writeToolChoice = (choice: ToolChoice) =>
  choice.type === "tool" ? { type: "function", function: { name: choice.name } } : choice.type;

function writeOutputFormat(format: OutputFormat): JsonObject {
  if (format.type === "json") return { type: "json_object" };
  const { name = "response", schema, strict } = format;
  return { type: "json_schema", json_schema: defined({ name, schema, strict }) };
}

function writeMessage(message: NeutralMessage): JsonObject[] {
  const { role, parts, at } = message;
  if (role === "system") return [{ role, content: joinTexts(parts) }];
  if (role === "assistant") return writeAssistant(parts, at);
  const results = parts.filter((part) => part.type === "tool_result");
  const others = parts.filter((part) => part.type !== "tool_result");
  // A tool's message contains only text: media follow in a message of the user.
  const media = results.flatMap((result) => result.parts.filter(({ type }) => type !== "text"));
  const content = [...media, ...others];
  const written = results.map(writeResult);
  if (content.length > 0) written.push({ role, content: writeContent(content, at) });
  return written;
}

function writeResult({ call_id, parts }: ToolResultPart): JsonObject {
  const text = joinTexts(parts);
  const hasMedia = parts.some(({ type }) => type !== "text");
  const content = text || (hasMedia ? "The result is attached to the next message." : "");
  return { role: "tool", tool_call_id: call_id, content };
}

/** A string if the content is only text, because not every server accepts a list. */
function writeContent(parts: Part[], at: string): string | JsonObject[] {
  return parts.every((part) => part.type === "text")
    ? joinTexts(parts)
    : parts.map((part) => writePart(part, at));
}

function writePart(part: Part, at: string): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return {
        type: "image_url",
        image_url: defined({ url: toMediaUrl(part.source), detail: part.detail }),
      };
    case "audio": {
      const format = AUDIO_FORMATS[part.source.media_type];
      if (!format) throw memberError(at, "audio must be audio/wav or audio/mpeg for this model");
      return { type: "input_audio", input_audio: { data: part.source.data, format } };
    }
    case "document": {
      const { source, name } = part;
      if ("url" in source)
        throw memberError(at, "send documents in base64 for this model, not as URLs");
      if (source.media_type === "text/plain") {
        return { type: "text", text: Buffer.from(source.data, "base64").toString() };
      }
      const filename = name ?? "document.pdf";
      return { type: "file", file: { filename, file_data: toMediaUrl(source) } };
    }
    default:
      throw memberError(at, `a user's message must not contain ${part.type}`);
  }
}

const AUDIO_FORMATS: Record<string, string> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function writeAssistant(parts: Part[], at: string): JsonObject[] {
  const texts: TextPart[] = [];
  const message: JsonObject = { role: "assistant", content: null };
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === "text") texts.push(part);
    else if (part.type === "tool_call") {
      const { id, name, arguments: text } = part;
      calls.push({ id, type: "function", function: { name, arguments: text || "{}" } });
    } else if (part.type === "thinking") {
      const member = part.signature?.dialect === "chat" ? part.signature.value : "";
      // The signature comes from the client: it must not name another member.
      if (REASONING_MEMBERS.includes(member)) message[member] = part.text;
    } else throw memberError(at, `an assistant's message must not contain ${part.type}`);
  }
  const said = texts.filter((part) => !part.is_refusal);
  const refusals = texts.filter((part) => part.is_refusal);
  if (said.length > 0) message.content = joinTexts(said);
  if (refusals.length > 0) message.refusal = joinTexts(refusals);
  if (calls.length > 0) message.tool_calls = calls;
  return texts.length + calls.length > 0 ? [message] : [];
}

const joinTexts = (parts: Part[]): string =>
  parts.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])).join("\n\n");
