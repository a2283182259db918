/** Reads a responses request. */
import { z } from "zod";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { decodeMember } from "../decode-member.ts";
import { defined } from "../defined.ts";
import { droppedMembers } from "../dropped-members.ts";
import type { NeutralMember, NeutralRequest, OutputFormat, Reasoning } from "../neutral.ts";
import { RESPONSES_DROPPED } from "./dropped.ts";
import { readItems } from "./read-items.ts";
import { readAllTools, readToolChoice } from "./read-tools.ts";

const STATEFUL = z
  .null(
    "needs state that this model's upstream does not store; send the whole conversation in `input`",
  )
  .optional();

const Format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    ...droppedMembers(RESPONSES_DROPPED.format),
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
]);

const Request = z.strictObject({
  ...droppedMembers(RESPONSES_DROPPED.request),
  // Routing has read it.
  model: z.unknown().optional(),
  input: z.union([z.string(), z.array(z.unknown())]),
  instructions: z.string().nullish(),
  tools: z.array(z.unknown()).nullish(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  reasoning: z
    .strictObject({
      ...droppedMembers(RESPONSES_DROPPED.reasoning),
      effort: z
        .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra"])
        .nullish(),
      summary: z.string().nullish(),
    })
    .nullish(),
  text: z
    .strictObject({ ...droppedMembers(RESPONSES_DROPPED.text), format: Format.nullish() })
    .nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.literal(false, "this model's upstream has no background mode; remove it").nullish(),
  previous_response_id: STATEFUL,
  conversation: STATEFUL,
  prompt: STATEFUL,
  top_logprobs: z.literal(0, "this model's upstream has no logprobs; remove it").nullish(),
});

/** Names of neutral members in this format. */
export const RESPONSES_MEMBER_NAMES: Partial<Record<NeutralMember, string>> = {
  max_tokens: "max_output_tokens",
  output_format: "text.format",
};

export function readResponsesRequest(body: JsonObject): NeutralRequest {
  const request = decodeMember(Request, body, "");
  const messages = readItems(request.input);
  if (request.instructions) {
    const parts = [{ type: "text" as const, text: request.instructions }];
    messages.unshift({ role: "system", parts, at: "instructions" });
  }
  return {
    messages,
    ...readToolChoice(request.tool_choice, readAllTools(request.tools ?? [], request.input)),
    ...defined({
      parallel_tool_calls: request.parallel_tool_calls,
      max_tokens: request.max_output_tokens,
      temperature: request.temperature,
      top_p: request.top_p,
      output_format: readFormat(request.text?.format),
      reasoning: readReasoning(request.reasoning),
      user: request.safety_identifier ?? request.user,
    }),
    stream: request.stream ?? false,
  };
}

function readFormat(format: z.infer<typeof Format> | null | undefined): OutputFormat | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_object") return { type: "json" };
  const { schema, name, strict } = format;
  return defined({ type: "json_schema" as const, schema, name, strict });
}

function readReasoning(value: z.infer<typeof Request>["reasoning"]): Reasoning | undefined {
  const { effort, summary } = value ?? {};
  // A summary alone does not request reasoning: Codex sends it for every model.
  if (!effort) return undefined;
  return defined({
    effort: effort === "ultra" ? ("max" as const) : effort,
    include_text: summary ? true : undefined,
  });
}
