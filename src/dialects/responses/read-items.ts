/** Reads the input items of a responses request as messages. */
import { z } from "zod";
import { isObject } from "../../lib/json/json-object.ts";
import { unpackCallId, unpackSignature } from "../carry-signature.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { droppedMembers } from "../dropped-members.ts";
import { parseMediaUrl } from "../media-source.ts";
import type {
  DocumentPart,
  ImagePart,
  MediaSource,
  NeutralMessage,
  Part,
  TextPart,
  ToolCallPart,
} from "../neutral.ts";
import { RESPONSES_DROPPED } from "./dropped.ts";
import { joinToolName, readTools, TOOL_SEARCH, writeCustomInput } from "./read-tools.ts";

const item = droppedMembers(RESPONSES_DROPPED.item);
const part = droppedMembers(RESPONSES_DROPPED.part);

const Content = z.union([z.string(), z.array(z.unknown())]);
const Message = z.strictObject({
  ...item,
  type: z.literal("message").optional(),
  role: z.enum(["user", "assistant", "system", "developer"]),
  content: Content,
});
const FunctionCall = z.strictObject({
  ...item,
  type: z.literal("function_call"),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  arguments: z.string(),
});
const CustomToolCall = z.strictObject({
  ...item,
  type: z.literal("custom_tool_call"),
  call_id: z.string(),
  name: z.string(),
  namespace: z.string().nullish(),
  input: z.string(),
});
const AdditionalTools = z.strictObject({
  ...item,
  type: z.literal("additional_tools"),
  role: z.string().nullish(),
  tools: z.array(z.unknown()),
});
const SearchCall = z.strictObject({
  ...item,
  type: z.literal("tool_search_call"),
  call_id: z.string(),
  execution: z.string().nullish(),
  arguments: z.unknown(),
});
const SearchOutput = z.strictObject({
  ...item,
  type: z.literal("tool_search_output"),
  call_id: z.string(),
  execution: z.string().nullish(),
  tools: z.array(z.unknown()),
});
const ToolOutput = z.strictObject({
  ...item,
  type: z.string(),
  call_id: z.string(),
  name: z.string().nullish(),
  output: Content,
});
const Reasoning = z.strictObject({
  ...item,
  type: z.literal("reasoning"),
  summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })).nullish(),
  content: z
    .array(z.strictObject({ type: z.enum(["reasoning_text", "text"]), text: z.string() }))
    .nullish(),
  encrypted_content: z.string().nullish(),
});

const InputText = z.strictObject({ ...part, type: z.string(), text: z.string() });
const Refusal = z.strictObject({ ...part, type: z.literal("refusal"), refusal: z.string() });
const NO_FILE_ID = z
  .null("files of an upstream cannot be sent to another one; send the content itself")
  .optional();
const InputImage = z.strictObject({
  ...part,
  type: z.literal("input_image"),
  image_url: z.string(),
  file_id: NO_FILE_ID,
  detail: z.enum(["low", "high", "auto", "original"]).nullish(),
});
const InputFile = z.strictObject({
  ...part,
  type: z.literal("input_file"),
  filename: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
  file_id: NO_FILE_ID,
  detail: z.string().nullish(),
});
const InputAudio = z.strictObject({
  ...part,
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: z.string(), format: z.enum(["mp3", "wav"]) }),
});

/** Items of one turn become one message: the assistant's parts, and the results of its tool calls. */
export function readItems(input: string | readonly unknown[]): NeutralMessage[] {
  if (typeof input === "string") {
    return [{ role: "user", parts: [{ type: "text", text: input }], at: "input" }];
  }
  const messages: NeutralMessage[] = [];
  /** Type of the items that the last message continues with. */
  let open: "assistant" | "results" | undefined;
  const add = (role: NeutralMessage["role"], parts: Part[], at: string, group?: typeof open) => {
    const last = messages.at(-1);
    if (group && group === open && last) last.parts.push(...parts);
    else messages.push({ role, parts, at });
    open = group;
  };
  for (const [index, value] of input.entries()) {
    const at = `input[${index}]`;
    const type = isObject(value) ? (value.type ?? "message") : "message";
    switch (type) {
      case "message": {
        const { role, content } = decodeMember(Message, value, at);
        const parts = readContent(content, `${at}.content`);
        if (role === "assistant") add("assistant", parts, at, "assistant");
        else add(role === "user" ? "user" : "system", parts, at);
        break;
      }
      case "function_call": {
        const call = decodeMember(FunctionCall, value, at);
        add("assistant", [toToolCall(call, call.arguments)], at, "assistant");
        break;
      }
      case "custom_tool_call": {
        const call = decodeMember(CustomToolCall, value, at);
        add("assistant", [toToolCall(call, writeCustomInput(call.input))], at, "assistant");
        break;
      }
      case "additional_tools":
        // Its tools are read together with those of the request.
        decodeMember(AdditionalTools, value, at);
        break;
      case "tool_search_call": {
        const { call_id, arguments: args } = decodeMember(SearchCall, value, at);
        const call = toToolCall({ call_id, name: TOOL_SEARCH }, JSON.stringify(args ?? {}));
        add("assistant", [call], at, "assistant");
        break;
      }
      case "tool_search_output": {
        const { call_id, tools } = decodeMember(SearchOutput, value, at);
        // The definitions are among the tools of the request.
        const text = JSON.stringify(readTools(tools, `${at}.tools`).map(({ name }) => name));
        const parts = [{ type: "text" as const, text }];
        const result = { type: "tool_result", call_id: unpackCallId(call_id).id, parts } as const;
        add("user", [result], at, "results");
        break;
      }
      case "function_call_output":
      case "custom_tool_call_output": {
        const { call_id, output } = decodeMember(ToolOutput, value, at);
        const parts = readContent(output, `${at}.output`).map((part) =>
          isResultPart(part) ? part : rejectPart(`${at}.output`, part.type),
        );
        const result = { type: "tool_result", call_id: unpackCallId(call_id).id, parts } as const;
        add("user", [result], at, "results");
        break;
      }
      case "reasoning": {
        const parts = readReasoning(decodeMember(Reasoning, value, at));
        add("assistant", parts, at, "assistant");
        break;
      }
      case "item_reference":
        throw memberError(
          `${at}.type`,
          "this model's upstream stores no items; send the item itself",
        );
      default:
        throw memberError(
          `${at}.type`,
          `${JSON.stringify(type)?.slice(0, 80)} items cannot be translated for this model's upstream`,
        );
    }
  }
  return messages;
}

function toToolCall(
  call: { call_id: string; name: string; namespace?: string | null | undefined },
  args: string,
): ToolCallPart {
  const { id, signature } = unpackCallId(call.call_id);
  const name = joinToolName(call.namespace, call.name);
  return { type: "tool_call", id, name, arguments: args, ...(signature && { signature }) };
}

function readReasoning({ summary, content, encrypted_content }: z.infer<typeof Reasoning>): Part[] {
  const texts = summary?.length ? summary : (content ?? []);
  const text = texts.map((entry) => entry.text).join("\n\n");
  if (!encrypted_content) return text ? [{ type: "thinking", text }] : [];
  const signature = unpackSignature(encrypted_content, "responses");
  return [{ type: "thinking", text, signature }];
}

type ContentPart = Exclude<Part, { type: "thinking" | "tool_call" | "tool_result" }>;

function readContent(content: z.infer<typeof Content>, at: string): ContentPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((value, index) => readPart(value, `${at}[${index}]`));
}

function readPart(value: unknown, at: string): ContentPart {
  const type = isObject(value) ? value.type : undefined;
  switch (type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: decodeMember(InputText, value, at).text };
    case "refusal":
      return { type: "text", text: decodeMember(Refusal, value, at).refusal, is_refusal: true };
    case "input_image": {
      const { image_url, detail } = decodeMember(InputImage, value, at);
      const source = readUrl(image_url, `${at}.image_url`);
      if (!detail) return { type: "image", source };
      return { type: "image", source, detail: detail === "original" ? "high" : detail };
    }
    case "input_file":
      return readFile(decodeMember(InputFile, value, at), at);
    case "input_audio": {
      const { data, format } = decodeMember(InputAudio, value, at).input_audio;
      return { type: "audio", source: { data, media_type: AUDIO_TYPES[format] } };
    }
    default:
      return rejectPart(`${at}.type`, type);
  }
}

const AUDIO_TYPES = { mp3: "audio/mpeg", wav: "audio/wav" };

function readFile(file: z.infer<typeof InputFile>, at: string): DocumentPart {
  const { file_data, file_url, filename } = file;
  const name = filename ? { name: filename } : {};
  if (file_data) {
    const source = readUrl(file_data, `${at}.file_data`);
    if ("url" in source) throw memberError(`${at}.file_data`, "must be a data URL in base64");
    return { type: "document", source, ...name };
  }
  if (!file_url) throw memberError(at, "file_data or file_url is required");
  return { type: "document", source: readUrl(file_url, `${at}.file_url`), ...name };
}

const NOT_BASE64 = "must be an https address or a data URL in base64";

function readUrl(url: string, at: string): MediaSource {
  const source = parseMediaUrl(url);
  if ("url" in source && !/^https?:/i.test(url)) throw memberError(at, NOT_BASE64);
  return source;
}

const isResultPart = (part: ContentPart): part is TextPart | ImagePart | DocumentPart =>
  part.type !== "audio";

function rejectPart(at: string, type: unknown): never {
  throw memberError(
    at,
    `${JSON.stringify(type)?.slice(0, 80)} content cannot be translated for this model's upstream`,
  );
}
