/** Writes messages as the contents of a Gemini request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type {
  MediaSource,
  NeutralMessage,
  Part,
  PartSignature,
  ToolResultPart,
} from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";

interface Call {
  name: string;
  /** Position among all calls. */
  order: number;
}

/**
 * Messages of one role that follow each other become one content: all results of a turn must be together. A turn's
 * first function call without a signature of Gemini gets `missingSignature`.
 */
export function writeContents(
  messages: readonly NeutralMessage[],
  missingSignature: string | undefined,
): JsonObject[] {
  const calls = new Map<string, Call>();
  const contents: { role: string; parts: JsonObject[]; results: Result[] }[] = [];
  for (const { role: neutral, parts, at } of messages) {
    const role = neutral === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    const content = last?.role === role ? last : { role, parts: [], results: [] };
    if (content !== last) contents.push(content);
    for (const part of parts) {
      if (part.type === "tool_call") calls.set(part.id, { name: part.name, order: calls.size });
      if (part.type === "tool_result")
        content.results.push({ part, call: findCall(calls, part, at) });
      else content.parts.push(...writePart(part, at));
    }
  }
  if (missingSignature !== undefined) {
    for (const { parts } of contents) {
      const first = parts.find((part) => "functionCall" in part);
      if (first) first.thoughtSignature ??= missingSignature;
    }
  }
  return contents
    .map(({ role, parts, results }) => ({ role, parts: [...writeResults(results), ...parts] }))
    .filter(({ parts }) => parts.length > 0);
}

interface Result {
  part: ToolResultPart;
  call: Call;
}

function findCall(calls: ReadonlyMap<string, Call>, { call_id }: ToolResultPart, at: string): Call {
  const call = calls.get(call_id);
  if (call) return call;
  throw memberError(at, "contains the result of a tool call that is not before it");
}

/** Writes results in the order of their calls: Gemini matches them by name and order. */
function writeResults(results: Result[]): JsonObject[] {
  results.sort((one, other) => one.call.order - other.call.order);
  return [
    ...results.map(({ part, call }) => ({
      functionResponse: { name: call.name, response: writeOutput(part) },
    })),
    ...results.flatMap(({ part }) =>
      part.parts.flatMap((each) => (each.type === "text" ? [] : [writeMedia(each.source)])),
    ),
  ];
}

function writeOutput({ parts, is_error }: ToolResultPart): JsonObject {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { [is_error ? "error" : "output"]: texts.join("\n") };
}

function writePart(part: Exclude<Part, ToolResultPart>, at: string): JsonObject[] {
  switch (part.type) {
    case "text":
      // Gemini rejects an empty text.
      return part.text === "" ? [] : [{ text: part.text }];
    case "image":
    case "document":
    case "audio":
      return [writeMedia(part.source)];
    case "thinking":
      return writeThinking(part.text, ownSignature(part.signature));
    case "tool_call": {
      const args = parseArguments(part.arguments);
      if (!args)
        throw memberError(at, "contains a tool call whose arguments are not a JSON object");
      const thoughtSignature = ownSignature(part.signature);
      return [defined({ functionCall: { name: part.name, args }, thoughtSignature })];
    }
  }
}

/** Thoughts without a signature of Gemini are dropped: no model needs them. */
function writeThinking(text: string, thoughtSignature: string | undefined): JsonObject[] {
  if (thoughtSignature === undefined) return [];
  return [text === "" ? { text, thoughtSignature } : { text, thought: true, thoughtSignature }];
}

const ownSignature = (signature: PartSignature | undefined): string | undefined =>
  signature?.dialect === "generate_content" ? signature.value : undefined;

function writeMedia(source: MediaSource): JsonObject {
  if ("data" in source) return { inlineData: { mimeType: source.media_type, data: source.data } };
  return { fileData: defined({ mimeType: guessMediaType(source.url), fileUri: source.url }) };
}

const MEDIA_TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  heic: "image/heic",
  pdf: "application/pdf",
  txt: "text/plain",
};

/** Returns the type of a file by its extension. */
function guessMediaType(url: string): string | undefined {
  const extension = /\.(\w{3,4})(?:[?#]|$)/.exec(url)?.[1] ?? "";
  return MEDIA_TYPES[extension.toLowerCase()];
}
