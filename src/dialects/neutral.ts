/** Requests, responses and stream events independent of an API format: readers produce them, writers consume them. */
import type { JsonObject } from "../lib/json/json-object.ts";

export interface NeutralRequest {
  messages: NeutralMessage[];
  tools: NeutralTool[];
  tool_choice?: ToolChoice;
  /** false: at most one tool call per response. */
  parallel_tool_calls?: boolean;
  max_tokens?: number;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  stop?: string[];
  seed?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  output_format?: OutputFormat;
  reasoning?: Reasoning;
  /** Identifies the end user to the upstream. */
  user?: string;
  stream: boolean;
}

/** Members of a request that a writer may be unable to express. */
export type NeutralMember = Exclude<keyof NeutralRequest, "messages" | "stream">;

export interface NeutralMessage {
  /** Tool results are parts of a user's message. */
  role: "system" | "user" | "assistant";
  parts: Part[];
  /** Location in the client's body, such as `messages[2]`, for errors. */
  at: string;
}

export type Part =
  | TextPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | ThinkingPart
  | ToolCallPart
  | ToolResultPart;

interface PartBase {
  /** The upstream caches the prompt up to and including this part. */
  cache?: CacheControl;
}

export interface CacheControl {
  ttl?: "5m" | "1h";
}

export interface TextPart extends PartBase {
  type: "text";
  text: string;
  /** The model's explanation why it does not respond. */
  is_refusal?: true;
}

/** Bytes in base64, or an address that the upstream fetches. */
export type MediaSource = { data: string; media_type: string } | { url: string };

export interface ImagePart extends PartBase {
  type: "image";
  source: MediaSource;
  detail?: "low" | "high" | "auto";
}

/** A PDF or another document. */
export interface DocumentPart extends PartBase {
  type: "document";
  source: MediaSource;
  name?: string;
}

export interface AudioPart extends PartBase {
  type: "audio";
  source: { data: string; media_type: string };
}

export interface ThinkingPart {
  type: "thinking";
  /** Empty if the upstream returns only an encrypted form. */
  text: string;
  signature?: PartSignature;
}

/** Opaque value that only the API that made it can read; it is sent back with the part. */
export interface PartSignature {
  dialect: DialectName;
  value: string;
}

export interface ToolCallPart extends PartBase {
  type: "tool_call";
  id: string;
  name: string;
  /** JSON object as text. */
  arguments: string;
  signature?: PartSignature;
}

export interface ToolResultPart extends PartBase {
  type: "tool_result";
  call_id: string;
  parts: (TextPart | ImagePart | DocumentPart)[];
  is_error?: boolean;
}

export interface NeutralTool {
  name: string;
  description?: string;
  /** JSON Schema of the arguments. */
  schema: JsonObject;
  strict?: boolean;
  cache?: CacheControl;
}

export type ToolChoice = { type: "auto" | "none" | "required" } | { type: "tool"; name: string };

export type OutputFormat =
  | { type: "json" }
  | { type: "json_schema"; schema: JsonObject; name?: string; strict?: boolean };

export interface Reasoning {
  effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  /** Maximum number of tokens; 0 disables reasoning. */
  budget_tokens?: number;
  /** The response should contain the reasoning as text. */
  include_text?: boolean;
}

export interface NeutralResponse {
  /** Id from the upstream, if it sent one. */
  id?: string;
  /** Parts of the assistant's message: text, thinking and tool calls. */
  parts: OutputPart[];
  stop_reason: StopReason;
  /** The stop sequence that was found. */
  stop_sequence?: string;
  usage?: Usage;
}

export type OutputPart = TextPart | ThinkingPart | ToolCallPart;

export type StopReason =
  | "end"
  | "stop_sequence"
  | "max_tokens"
  | "context_window"
  | "tool_calls"
  | "content_filter"
  | "refusal"
  | "pause";

export interface Usage {
  /** Includes cached tokens and tokens written to the cache. */
  input_tokens: number;
  cached_tokens?: number;
  cache_write_tokens?: number;
  /** Includes reasoning tokens. */
  output_tokens: number;
  reasoning_tokens?: number;
}

/** Event of a stream. Parts follow each other: one starts only after the part before it has ended. */
export type NeutralEvent =
  | { type: "start"; id?: string; usage?: Usage }
  /** For a tool call `arguments` is empty; for the other types the text is. */
  | { type: "part_start"; part: OutputPart }
  /** Continues the text, the thinking or the arguments of the open part. */
  | { type: "delta"; text: string }
  | { type: "signature"; signature: PartSignature }
  | { type: "part_end" }
  | { type: "end"; stop_reason: StopReason; stop_sequence?: string; usage?: Usage }
  /** No event follows. */
  | { type: "error"; error: NeutralError };

export interface NeutralError {
  /** HTTP status that describes the error. */
  status: number;
  message: string;
  code?: string;
}

export const DIALECT_NAMES = [
  "chat",
  "responses",
  "messages",
  "generate_content",
  "converse",
] as const;
/** API formats for generated content, named after the capability of their endpoint. */
export type DialectName = (typeof DIALECT_NAMES)[number];
