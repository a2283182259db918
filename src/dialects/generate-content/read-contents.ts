/** Reads the contents of a Gemini request as messages. */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { unpackSignature } from "../carry-signature.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { droppedMembers } from "../dropped-members.ts";
import type {
  AudioPart,
  DocumentPart,
  ImagePart,
  NeutralMessage,
  Part,
  TextPart,
  ToolResultPart,
} from "../neutral.ts";
import { GENERATE_CONTENT_DROPPED } from "./dropped.ts";
import { type CallMatcher, createCallMatcher } from "./match-calls.ts";

const part = {
  ...droppedMembers(GENERATE_CONTENT_DROPPED.part),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
};
const blob = droppedMembers(GENERATE_CONTENT_DROPPED.blob);
const JsonRecord = z.record(z.string(), z.unknown());

const TextContent = z.strictObject({ ...part, text: z.string() });
const InlineData = z.strictObject({
  ...part,
  inlineData: z.strictObject({ ...blob, mimeType: z.string(), data: z.string() }),
});
const FileData = z.strictObject({
  ...part,
  fileData: z.strictObject({ ...blob, mimeType: z.string().optional(), fileUri: z.string() }),
});
const FunctionCall = z.strictObject({
  ...part,
  functionCall: z.strictObject({
    id: z.string().optional(),
    name: z.string(),
    args: JsonRecord.optional(),
  }),
});
const FunctionResponse = z.strictObject({
  ...part,
  functionResponse: z.strictObject({
    ...droppedMembers(GENERATE_CONTENT_DROPPED.functionResponse),
    id: z.string().optional(),
    name: z.string(),
    response: JsonRecord,
    parts: z.array(z.unknown()).optional(),
  }),
});
/** A signature without content, as the last chunk of a stream has it. */
const Signature = z.strictObject(part);

const Content = z.strictObject({
  role: z.enum(["user", "model", "function", "system"]).optional(),
  parts: z.array(z.unknown()).default([]),
});
export const Contents = z.union([z.array(z.unknown()), JsonRecord]);

export function readContents(contents: z.infer<typeof Contents>): NeutralMessage[] {
  const calls = createCallMatcher();
  if (!Array.isArray(contents)) return [readContent(contents, "contents", calls)];
  return contents.map((value, index) => readContent(value, `contents[${index}]`, calls));
}

/** Reads the system instruction, whose role has no meaning. */
export function readSystemInstruction(value: unknown): NeutralMessage[] {
  if (value === undefined || value === null) return [];
  const content = typeof value === "string" ? { parts: [{ text: value }] } : value;
  const message = readContent(content, "systemInstruction", createCallMatcher());
  return [{ ...message, role: "system" }];
}

function readContent(value: unknown, at: string, calls: CallMatcher): NeutralMessage {
  const { role, parts } = decodeMember(Content, value, at);
  const read: Part[] = [];
  for (const [index, each] of parts.entries()) {
    const where = `${at}.parts[${index}]`;
    const part = readPart(each, where, calls);
    // The guard evaluates it as the result of a function, and the upstream would get it as text of the user.
    if (role === "function" && part.some(({ type }) => type !== "tool_result")) {
      throw memberError(where, "the role function may only have a functionResponse");
    }
    addPart(read, part);
  }
  return {
    role: role === "model" ? "assistant" : role === "system" ? "system" : "user",
    parts: read,
    at,
  };
}

/** Thoughts of a stream are split over parts; a signature ends one. */
function addPart(parts: Part[], added: Part[]): void {
  const [first] = added;
  const last = parts.at(-1);
  if (last?.type === "thinking" && first?.type === "thinking" && !last.signature) {
    parts[parts.length - 1] = { ...last, ...first, text: last.text + first.text };
  } else parts.push(...added);
}

function readPart(value: unknown, at: string, calls: CallMatcher): Part[] {
  const members: JsonObject = isObject(value) ? value : {};
  if ("text" in members) return readText(decodeMember(TextContent, value, at));
  if ("inlineData" in members) {
    const { mimeType, data } = decodeMember(InlineData, value, at).inlineData;
    return [readMedia({ data, media_type: mimeType }, mimeType, `${at}.inlineData`)];
  }
  if ("fileData" in members) return [readFile(value, at)];
  if ("functionCall" in members) {
    const { functionCall, thoughtSignature } = decodeMember(FunctionCall, value, at);
    const { id, name, args = {} } = functionCall;
    const signature = readSignature(thoughtSignature);
    return [
      {
        type: "tool_call",
        id: calls.addCall(name, id || undefined),
        name,
        arguments: JSON.stringify(args),
        ...(signature && { signature }),
      },
    ];
  }
  if ("functionResponse" in members) return [readResult(value, at, calls)];
  const unknown = Object.keys(members).find((name) => !(name in part));
  if (unknown !== undefined) throw memberError(`${at}.${unknown}`, UNTRANSLATABLE);
  const signature = readSignature(decodeMember(Signature, value, at).thoughtSignature);
  return signature ? [{ type: "thinking", text: "", signature }] : [];
}

const UNTRANSLATABLE = "cannot be translated for this model's upstream";

const readSignature = (text: string | undefined) =>
  text === undefined ? undefined : unpackSignature(text, "generate_content");

/** A signature of text becomes a thought without text, because text has no place for it. */
function readText({ text, thought, thoughtSignature }: z.infer<typeof TextContent>): Part[] {
  const signature = readSignature(thoughtSignature);
  if (thought) return [{ type: "thinking", text, ...(signature && { signature }) }];
  const content: TextPart[] = text === "" && signature ? [] : [{ type: "text", text }];
  return signature ? [...content, { type: "thinking", text: "", signature }] : content;
}

function readMedia(
  source: { data: string; media_type: string },
  mimeType: string,
  at: string,
): ImagePart | DocumentPart | AudioPart {
  if (mimeType.startsWith("image/")) return { type: "image", source };
  if (mimeType.startsWith("audio/")) return { type: "audio", source };
  if (mimeType.startsWith("video/")) throw memberError(`${at}.mimeType`, UNTRANSLATABLE);
  return { type: "document", source };
}

function readFile(value: unknown, at: string): ImagePart | DocumentPart {
  const { mimeType = "", fileUri } = decodeMember(FileData, value, at).fileData;
  if (!/^https?:/i.test(fileUri) || UPLOADED.test(fileUri)) {
    throw memberError(
      `${at}.fileData.fileUri`,
      "files of an upstream cannot be sent to another one; send the content itself",
    );
  }
  if (/^(audio|video)\//.test(mimeType)) {
    throw memberError(`${at}.fileData.mimeType`, UNTRANSLATABLE);
  }
  const source = { url: fileUri };
  return { type: mimeType.startsWith("image/") ? "image" : "document", source };
}

/** Files API of Gemini. */
const UPLOADED = /^https?:\/\/generativelanguage\.googleapis\.com\//i;

function readResult(value: unknown, at: string, calls: CallMatcher): ToolResultPart {
  const {
    id,
    name,
    response,
    parts = [],
  } = decodeMember(FunctionResponse, value, at).functionResponse;
  const call_id = calls.takeCall(name, id || undefined);
  if (call_id === undefined) {
    throw memberError(`${at}.functionResponse`, "matches no functionCall before it");
  }
  const media = parts.map((each, index) => {
    const where = `${at}.functionResponse.parts[${index}]`;
    const [read] = readPart(each, where, calls);
    if (read?.type === "image" || read?.type === "document") return read;
    throw memberError(where, UNTRANSLATABLE);
  });
  const { text, is_error } = readOutput(response);
  return {
    type: "tool_result",
    call_id,
    parts: [{ type: "text", text }, ...media],
    ...(is_error && { is_error }),
  };
}

/** By convention a result is in `output`, or an error in `error`. Any other object is the result. */
function readOutput(response: JsonObject): { text: string; is_error: boolean } {
  const names = Object.keys(response);
  const [name = ""] = names;
  const isWrapped = names.length === 1 && (name === "output" || name === "error");
  const value = isWrapped ? response[name] : response;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { text, is_error: isWrapped && name === "error" };
}
