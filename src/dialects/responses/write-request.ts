/** Writes a responses request. Nothing is stored at the upstream: each request contains the whole conversation. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type { RequestTarget } from "../dialect.ts";
import { toMediaUrl } from "../media-source.ts";
import type {
  NeutralMessage,
  NeutralRequest,
  NeutralTool,
  OutputFormat,
  Part,
  ToolChoice,
  ToolResultPart,
} from "../neutral.ts";
import { shortenUser } from "../shorten-user.ts";

export function writeResponsesRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { tools, tool_choice, output_format, user } = request;
  if (request.stop?.length) target.reject("stop", "this model does not support stop sequences");
  for (const member of ["presence_penalty", "frequency_penalty"] as const) {
    if (request[member]) target.reject(member, "must be 0 for this model");
  }
  const { instructions, rest } = splitInstructions(request.messages);
  return defined({
    model: target.model,
    instructions,
    input: rest.flatMap(writeMessage),
    tools: tools.length > 0 ? tools.map(writeTool) : undefined,
    tool_choice: tools.length > 0 && tool_choice ? writeToolChoice(tool_choice) : undefined,
    parallel_tool_calls: tools.length > 0 ? request.parallel_tool_calls : undefined,
    max_output_tokens: request.max_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    text: output_format && { format: writeFormat(output_format) },
    ...writeReasoning(request),
    user: user && shortenUser(user),
    store: false,
    stream: request.stream || undefined,
  });
}

/** Returns the system messages before the conversation as one text. */
function splitInstructions(messages: NeutralMessage[]) {
  const first = messages.findIndex(({ role }) => role !== "system");
  const count = first < 0 ? messages.length : first;
  const texts = messages.slice(0, count).flatMap(({ parts, at }) => getTexts(parts, at));
  const instructions = texts.length > 0 ? texts.join("\n\n") : undefined;
  return { instructions, rest: messages.slice(count) };
}

const getTexts = (parts: Part[], at: string): string[] =>
  parts.map((part) => {
    if (part.type !== "text")
      throw memberError(at, `a system message must not contain ${part.type}`);
    return part.text;
  });

/** `strict` is on by default, which other APIs do not have. */
const writeTool = ({ name, description, schema, strict = false }: NeutralTool) =>
  defined({ type: "function", name, description, parameters: schema, strict });

const writeToolChoice = (choice: ToolChoice) =>
  choice.type === "tool" ? { type: "function", name: choice.name } : choice.type;

function writeFormat(format: OutputFormat): JsonObject {
  if (format.type === "json") return { type: "json_object" };
  const { name = "response", schema, strict } = format;
  return defined({ type: "json_schema", name, schema, strict });
}

function writeReasoning({ reasoning }: NeutralRequest): JsonObject {
  const { effort, budget_tokens, include_text } = reasoning ?? {};
  // Models without reasoning reject an effort, `none` too: without one, they use their default.
  if (!reasoning || budget_tokens === 0) return {};
  const summary = include_text ? "auto" : undefined;
  return defined({
    reasoning: effort || summary ? defined({ effort, summary }) : undefined,
    include: ["reasoning.encrypted_content"],
  });
}

/** Content between tool calls and results becomes items of its own, in the same order. */
function writeMessage({ role, parts, at }: NeutralMessage): JsonObject[] {
  const items: JsonObject[] = [];
  let content: JsonObject[] | undefined;
  for (const part of parts) {
    const item = writeItem(part);
    if (item) {
      items.push(item);
      content = undefined;
    } else if (part.type !== "thinking") {
      if (!content) {
        content = [];
        items.push({ type: "message", role, content });
      }
      content.push(role === "assistant" ? writeOutputPart(part, at) : writeInputPart(part, at));
    }
  }
  return items;
}

/** Returns undefined for content of a message, and for thinking that another API has signed. */
function writeItem(part: Part): JsonObject | undefined {
  switch (part.type) {
    case "tool_call": {
      const { id, name, arguments: text } = part;
      return { type: "function_call", call_id: id, name, arguments: text || "{}" };
    }
    case "tool_result":
      return { type: "function_call_output", call_id: part.call_id, output: writeResult(part) };
    case "thinking": {
      const { text, signature } = part;
      if (signature?.dialect !== "responses") return undefined;
      const summary = text ? [{ type: "summary_text", text }] : [];
      return { type: "reasoning", summary, encrypted_content: signature.value };
    }
    default:
      return undefined;
  }
}

function writeResult({ parts, call_id }: ToolResultPart): string | JsonObject[] {
  const [first, ...others] = parts;
  if (!first) return "";
  if (first.type === "text" && others.length === 0) return first.text;
  return parts.map((part) => writeInputPart(part, `result of ${call_id}`));
}

function writeOutputPart(part: Part, at: string): JsonObject {
  if (part.type !== "text") {
    throw memberError(at, `an assistant's message must not contain ${part.type} for this model`);
  }
  return part.is_refusal
    ? { type: "refusal", refusal: part.text }
    : { type: "output_text", text: part.text };
}

function writeInputPart(part: Part, at: string): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image": {
      const { source, detail = "auto" } = part;
      return { type: "input_image", image_url: toMediaUrl(source), detail };
    }
    case "document": {
      const { source, name } = part;
      if ("url" in source) return { type: "input_file", file_url: source.url };
      if (source.media_type === "text/plain") {
        return { type: "input_text", text: Buffer.from(source.data, "base64").toString() };
      }
      const filename = name ?? "document.pdf";
      return { type: "input_file", filename, file_data: toMediaUrl(source) };
    }
    default:
      throw memberError(at, `this model does not accept ${part.type} content`);
  }
}
