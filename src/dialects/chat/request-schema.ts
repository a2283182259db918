/** Schema of a chat completions request that can be translated. */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";
import { CACHE_CONTROL_DROPPED, CacheControlMember } from "../cache-control.ts";
import { droppedMembers } from "../dropped-members.ts";

/** Members that are accepted and dropped, by the object that contains them. */
export const CHAT_DROPPED = {
  request: [
    "metadata",
    "moderation",
    "prediction",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "store",
    "verbosity",
  ],
  message: ["annotations", "name", "parsed", "provider_specific_fields"],
  function: ["parsed_arguments"],
  json_schema: ["description"],
  part: ["prompt_cache_breakpoint"],
  cache_control: CACHE_CONTROL_DROPPED,
} as const;

const Cached = {
  cache_control: CacheControlMember,
  ...droppedMembers(CHAT_DROPPED.part),
};

const TextPart = z.strictObject({ type: z.literal("text"), text: z.string(), ...Cached });
const RefusalPart = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });
const ImagePart = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string(),
    detail: z.enum(["low", "high", "auto"]).nullish(),
  }),
  ...Cached,
});
const AudioPart = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: z.string(), format: z.enum(["wav", "mp3"]) }),
  ...Cached,
});
const FilePart = z.strictObject({
  type: z.literal("file"),
  file: z.strictObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
  ...Cached,
});

const Texts = z.union([z.string(), z.array(TextPart)]);
const UserPart = z.discriminatedUnion("type", [TextPart, ImagePart, AudioPart, FilePart]);
export type UserPart = z.output<typeof UserPart>;

const ToolCall = z.strictObject({
  id: z.string(),
  type: z.literal("function").default("function"),
  function: z.strictObject({
    name: z.string(),
    arguments: z.string(),
    ...droppedMembers(CHAT_DROPPED.function),
  }),
  index: z.int().optional(),
});

/** Reasoning in the format of OpenRouter, which has a place for signatures. */
const ReasoningDetail = z.looseObject({
  text: z.string().nullish(),
  signature: z.string().nullish(),
});

const named = droppedMembers(CHAT_DROPPED.message);
const SystemMessage = z.strictObject({
  role: z.enum(["system", "developer"]),
  content: Texts,
  ...named,
});
const UserMessage = z.strictObject({
  role: z.literal("user"),
  content: z.union([z.string(), z.array(UserPart)]),
  ...named,
});
const AssistantMessage = z.strictObject({
  role: z.literal("assistant"),
  content: z
    .union([z.string(), z.array(z.discriminatedUnion("type", [TextPart, RefusalPart]))])
    .nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_details: z.array(ReasoningDetail).nullish(),
  tool_calls: z.array(ToolCall).nullish(),
  audio: z.null().optional(),
  function_call: z.null().optional(),
  ...named,
});
export type AssistantMessage = z.output<typeof AssistantMessage>;
const ToolMessage = z.strictObject({
  role: z.literal("tool"),
  tool_call_id: z.string(),
  content: Texts,
  ...named,
});

const Message = z.discriminatedUnion("role", [
  SystemMessage,
  UserMessage,
  AssistantMessage,
  ToolMessage,
]);
export type ChatMessage = z.output<typeof Message>;

const Schema = z.custom<JsonObject>(isObject, "must be an object");

const Tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: z.string(),
    description: z.string().nullish(),
    parameters: Schema.nullish(),
    strict: z.boolean().nullish(),
  }),
  cache_control: CacheControlMember,
});

const ToolChoice = z.union([
  z.enum(["auto", "none", "required"]),
  z.strictObject({
    type: z.literal("function"),
    function: z.strictObject({ name: z.string() }),
  }),
]);

const ResponseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().optional(),
      ...droppedMembers(CHAT_DROPPED.json_schema),
      schema: Schema.default({}),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const count = z.int().min(1).nullish();
const number = z.number().nullish();

export const ChatRequest = z.strictObject({
  // Routing has read it.
  model: z.unknown().optional(),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).nullish(),
  tool_choice: ToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tokens: count,
  max_completion_tokens: count,
  temperature: number,
  top_p: number,
  top_k: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  presence_penalty: number,
  frequency_penalty: number,
  response_format: ResponseFormat.nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
  user: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  // Accepted with the value that changes nothing.
  n: z.literal(1).nullish(),
  logprobs: z.literal(false).nullish(),
  top_logprobs: z.literal(0).nullish(),
  logit_bias: z.strictObject({}).nullish(),
  modalities: z.tuple([z.literal("text")]).nullish(),
  ...droppedMembers(CHAT_DROPPED.request),
});
export type ChatRequest = z.output<typeof ChatRequest>;
