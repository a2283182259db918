/** Writes the content blocks of a Converse request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type {
  CacheControl,
  DocumentPart,
  MediaSource,
  NeutralMessage,
  Part,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from "../neutral.ts";
import { parseArguments } from "../parse-arguments.ts";
import { type ModelFamily, supportsCaching } from "./model-family.ts";

/** Marks the signature of reasoning that has no text. */
export const REDACTED = "redacted:";

export interface ContentWriter {
  /** Returns the messages without those of the system; consecutive ones of the same role are merged. */
  writeTurns: (messages: NeutralMessage[]) => JsonObject[];
  writeSystem: (messages: NeutralMessage[]) => JsonObject[];
  writeCachePoint: (cache: CacheControl | undefined) => JsonObject[];
}

export function createContentWriter(family: ModelFamily): ContentWriter {
  const documents = createNames();

  const writeCachePoint = (cache: CacheControl | undefined): JsonObject[] =>
    cache && supportsCaching(family) ? [{ cachePoint: { type: "default", ...cache } }] : [];

  const writePart = (part: Part, at: string): JsonObject[] => [
    ...writeBlock(part, at),
    ...writeCachePoint(part.type === "thinking" ? undefined : part.cache),
  ];

  /** Returns no block for parts that the API rejects: empty text, and reasoning without its signature. */
  function writeBlock(part: Part, at: string): JsonObject[] {
    switch (part.type) {
      case "text":
        return part.text.trim() === "" ? [] : [{ text: part.text }];
      case "image":
        return [{ image: writeMedia(part.source, IMAGE_FORMATS, { kind: "image", at }) }];
      case "audio":
        return [{ audio: writeMedia(part.source, AUDIO_FORMATS, { kind: "audio", at }) }];
      case "document":
        return [{ document: writeDocument(part, at) }];
      case "thinking":
        return writeReasoning(part);
      case "tool_call":
        return [{ toolUse: writeToolUse(part, at) }];
      case "tool_result":
        return [{ toolResult: writeResult(part, at) }];
    }
  }

  function writeDocument({ source, name = "document" }: DocumentPart, at: string): JsonObject {
    const media = writeMedia(source, DOCUMENT_FORMATS, { kind: "document", at });
    return { ...media, name: documents.add(name) };
  }

  function writeResult({ call_id, parts, is_error }: ToolResultPart, at: string): JsonObject {
    return defined({
      toolUseId: toCallId(call_id),
      content: parts.flatMap((part) => writeBlock(part, at)),
      status: is_error && supportsCaching(family) ? "error" : undefined,
    });
  }

  return {
    writeCachePoint,
    writeSystem: (messages) =>
      messages.flatMap(({ role, parts, at }) =>
        role === "system" ? parts.flatMap((part) => writePart(part, at)) : [],
      ),
    writeTurns(messages) {
      const turns: { role: string; content: JsonObject[] }[] = [];
      for (const { role, parts, at } of messages) {
        if (role === "system") continue;
        const content = parts.flatMap((part) => writePart(part, at));
        const last = turns.at(-1);
        if (last?.role === role) last.content.push(...content);
        else if (content.length > 0) turns.push({ role, content });
      }
      return turns;
    },
  };
}

const IMAGE_FORMATS: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/jpg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const AUDIO_FORMATS: Record<string, string> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "audio/webm": "webm",
};

const DOCUMENT_FORMATS: Record<string, string> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/csv": "csv",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

function writeMedia(
  source: MediaSource,
  formats: Record<string, string>,
  { kind, at }: { kind: string; at: string },
): JsonObject {
  if ("url" in source)
    throw memberError(at, `send the ${kind} in base64 for this model, not as a URL`);
  const format = formats[source.media_type];
  if (!format) {
    const types = Object.keys(formats).join(", ");
    throw memberError(at, `the media type of the ${kind} must be one of ${types} for this model`);
  }
  return { format, source: { bytes: source.data } };
}

function writeReasoning({ text, signature }: ThinkingPart): JsonObject[] {
  if (signature?.dialect !== "converse") return [];
  const { value } = signature;
  const reasoningContent = value.startsWith(REDACTED)
    ? { redactedContent: value.slice(REDACTED.length) }
    : { reasoningText: { text, signature: value } };
  return [{ reasoningContent }];
}

function writeToolUse({ id, name, arguments: text }: ToolCallPart, at: string): JsonObject {
  const input = parseArguments(text);
  if (!input) throw memberError(at, `the arguments of ${name.slice(0, 80)} must be a JSON object`);
  return { toolUseId: toCallId(id), name, input };
}

const MAX_ID_CHARACTERS = 64;

/** The API accepts only these characters; other APIs create ids such as `functions.read:0`. */
function toCallId(id: string): string {
  return id.length > MAX_ID_CHARACTERS
    ? new Bun.CryptoHasher("sha256").update(id).digest("hex")
    : id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

const MAX_NAME_CHARACTERS = 180;

/** The API accepts only some characters in the names of documents, and each name once. */
function createNames() {
  const names = new Set<string>();
  /** The number to try next, because a request may repeat a name thousands of times. */
  const counts = new Map<string, number>();
  return {
    add(name: string): string {
      const cleaned =
        name
          .replace(/\.[a-z0-9]{1,5}$/i, "")
          .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, " ")
          .trim()
          .slice(0, MAX_NAME_CHARACTERS) || "document";
      let unique = cleaned;
      let count = counts.get(cleaned) ?? 2;
      for (; names.has(unique); count++) unique = `${cleaned} ${count}`;
      counts.set(cleaned, count);
      names.add(unique);
      return unique;
    },
  };
}
