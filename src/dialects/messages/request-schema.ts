/** Schema of a messages request that can be translated. */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { CACHE_CONTROL_DROPPED, CacheControlMember } from "../cache-control.ts";
import { droppedMembers } from "../dropped-members.ts";

/** Members that are accepted and dropped, by the object that contains them. */
export const MESSAGES_DROPPED = {
  request: [
    "compaction",
    "context_management",
    "diagnostics",
    "inference_geo",
    "service_tier",
    "speed",
    "user_profile_id",
    "workspace_id",
  ],
  cache_control: CACHE_CONTROL_DROPPED,
  block: ["caller", "citations", "context", "toolset_name", "transformations"],
  output_config: ["task_budget"],
  tool: ["allowed_callers", "defer_loading", "eager_input_streaming", "input_examples"],
} as const;

const block = <Type extends string, Shape extends z.core.$ZodLooseShape>(
  type: Type,
  shape: Shape,
) =>
  z.strictObject({
    type: z.literal(type),
    ...shape,
    cache_control: CacheControlMember,
    ...droppedMembers(MESSAGES_DROPPED.block),
  });

const Base64Source = z.strictObject({
  type: z.literal("base64"),
  media_type: z.string(),
  data: z.string(),
});
const UrlSource = z.strictObject({ type: z.literal("url"), url: z.string() });
const FileSource = z.strictObject({ type: z.literal("file"), file_id: z.string() });

const Text = block("text", { text: z.string() });
const Image = block("image", {
  source: z.discriminatedUnion("type", [Base64Source, UrlSource, FileSource]),
});
const Document = block("document", {
  title: z.string().nullish(),
  source: z.discriminatedUnion("type", [
    Base64Source,
    UrlSource,
    FileSource,
    z.strictObject({
      type: z.literal("text"),
      media_type: z.literal("text/plain"),
      data: z.string(),
    }),
    z.strictObject({
      type: z.literal("content"),
      content: z.union([z.string(), z.array(Text)]),
    }),
  ]),
});
/** A tool that the tool search of Claude Code found. Its definition is among the tools of the request. */
const ToolReference = block("tool_reference", { tool_name: z.string() });
const ResultBlock = z.discriminatedUnion("type", [Text, Image, Document, ToolReference]);
export type ResultBlock = z.output<typeof ResultBlock>;

const ToolResult = block("tool_result", {
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(ResultBlock)]).nullish(),
  is_error: z.boolean().nullish(),
});
const ToolUse = block("tool_use", {
  id: z.string(),
  name: z.string(),
  input: z.custom<JsonObject>(isObject, "must be an object"),
});
const Thinking = block("thinking", { thinking: z.string(), signature: z.string().default("") });
const RedactedThinking = block("redacted_thinking", { data: z.string() });

const ContentBlock = z.discriminatedUnion("type", [
  Text,
  Image,
  Document,
  ToolResult,
  ToolUse,
  Thinking,
  RedactedThinking,
]);
export type ContentBlock = z.output<typeof ContentBlock>;

const Texts = z.union([z.string(), z.array(Text)]);
export type Texts = z.output<typeof Texts>;

const Message = z.strictObject({
  role: z.enum(["user", "assistant", "system"]),
  content: z.union([z.string(), z.array(ContentBlock)]),
});
export type MessagesMessage = z.output<typeof Message>;

const Tool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: z.custom<JsonObject>(isObject, "must be an object"),
  strict: z.boolean().nullish(),
  cache_control: CacheControlMember,
  ...droppedMembers(MESSAGES_DROPPED.tool),
});

const disable_parallel_tool_use = z.boolean().nullish();
const ToolChoice = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("any"), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use }),
  z.strictObject({ type: z.literal("none") }),
]);

const display = z.enum(["summarized", "omitted"]).nullish();
const ThinkingConfig = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int(), display }),
  z.strictObject({ type: z.literal("adaptive"), display }),
  z.strictObject({ type: z.literal("between_tools") }),
  z.strictObject({ type: z.literal("disabled") }),
]);

const JsonFormat = z.strictObject({
  type: z.literal("json_schema"),
  schema: z.custom<JsonObject>(isObject, "must be an object"),
});

export const MessagesRequest = z.strictObject({
  // Routing has read it.
  model: z.unknown().optional(),
  max_tokens: z.int().min(1),
  messages: z.array(Message).min(1),
  system: Texts.nullish(),
  tools: z.array(Tool).nullish(),
  tool_choice: ToolChoice.nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  top_k: z.int().nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  thinking: ThinkingConfig.nullish(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: JsonFormat.nullish(),
      ...droppedMembers(MESSAGES_DROPPED.output_config),
    })
    .nullish(),
  output_format: JsonFormat.nullish(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).nullish(),
  cache_control: CacheControlMember,
  container: z.null().optional(),
  mcp_servers: z.tuple([], "must be empty for this model").nullish(),
  ...droppedMembers(MESSAGES_DROPPED.request),
});
export type MessagesRequest = z.output<typeof MessagesRequest>;
