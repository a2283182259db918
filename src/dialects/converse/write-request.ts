/** Writes a Converse request. The URL names the model. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { writeThinking } from "../claude-thinking.ts";
import { defined } from "../defined.ts";
import type { RequestTarget } from "../dialect.ts";
import type { NeutralRequest, NeutralTool, ToolChoice } from "../neutral.ts";
import { getModelFamily, type ModelFamily } from "./model-family.ts";
import { type ContentWriter, createContentWriter } from "./write-content.ts";

export function writeConverseRequest(request: NeutralRequest, target: RequestTarget): JsonObject {
  const { messages, stop, output_format } = request;
  if (request.temperature !== undefined && request.temperature > 1) {
    target.reject("temperature", "must be at most 1 for this model");
  }
  for (const member of ["presence_penalty", "frequency_penalty"] as const) {
    if (request[member]) target.reject(member, "must be 0 for this model");
  }
  if (output_format?.type === "json") {
    target.reject("output_format", "must have a JSON schema for this model");
  }
  const family = getModelFamily(target.upstream_model);
  const content = createContentWriter(family);
  const { fields, max_tokens } = writeModelFields(request, family, target);
  return omitEmpty({
    system: content.writeSystem(messages),
    messages: content.writeTurns(messages),
    inferenceConfig: defined({
      maxTokens: max_tokens,
      temperature: request.temperature,
      topP: request.top_p,
      stopSequences: stop?.length ? stop : undefined,
    }),
    toolConfig: writeToolConfig(request, target, content),
    outputConfig: output_format && {
      textFormat: {
        type: "json_schema",
        structure: {
          jsonSchema: {
            name: output_format.name ?? "response",
            schema: JSON.stringify(output_format.schema),
          },
        },
      },
    },
    additionalModelRequestFields: fields,
  });
}

/** Leaves out members that are undefined or empty, which the API rejects. */
const omitEmpty = (members: Record<string, object | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value && Object.keys(value).length > 0),
  );

interface ModelFields {
  /** Parameters that the API passes to the model. */
  fields: JsonObject;
  max_tokens?: number;
}

function writeModelFields(
  request: NeutralRequest,
  family: ModelFamily,
  target: RequestTarget,
): ModelFields {
  const { top_k, max_tokens, reasoning } = request;
  const limit = max_tokens === undefined ? {} : { max_tokens };
  const effort = reasoning?.effort === "none" ? undefined : reasoning?.effort;
  switch (family) {
    case "claude": {
      const { thinking, effort, ...limit } = writeThinking(request, target, "converse");
      const output_config = effort ? { effort } : undefined;
      return { fields: defined({ top_k, thinking, output_config }), ...limit };
    }
    case "nova": {
      const reasoningConfig = effort && {
        type: "enabled",
        maxReasoningEffort: limitEffort(effort),
      };
      const inferenceConfig = top_k === undefined ? undefined : { topK: top_k };
      return { fields: defined({ inferenceConfig, reasoningConfig }), ...limit };
    }
    case "gpt_oss":
      return { fields: effort ? { reasoning_effort: limitEffort(effort) } : {}, ...limit };
    case "other":
      return { fields: {}, ...limit };
  }
}

/** Returns one of low, medium and high. */
function limitEffort(effort: string): string {
  if (effort === "minimal") return "low";
  return effort === "xhigh" || effort === "max" ? "high" : effort;
}

function writeToolConfig(
  { tools, tool_choice, messages }: NeutralRequest,
  target: RequestTarget,
  content: ContentWriter,
): JsonObject | undefined {
  if (tools.length === 0) return undefined;
  if (tool_choice?.type === "none") {
    // The API has no such choice, and needs the tools if the conversation contains calls.
    const hasCalls = messages.some(({ parts }) => parts.some(({ type }) => type === "tool_call"));
    if (!hasCalls) return undefined;
    target.reject("tool_choice", "this model cannot be kept from calling tools; remove it");
  }
  return defined({
    tools: tools.flatMap((tool) => [writeTool(tool), ...content.writeCachePoint(tool.cache)]),
    toolChoice: tool_choice && writeToolChoice(tool_choice),
  });
}

const writeTool = ({ name, description, schema, strict }: NeutralTool): JsonObject => ({
  toolSpec: defined({
    name,
    description: description || undefined,
    inputSchema: { json: schema },
    strict: strict || undefined,
  }),
});

function writeToolChoice(choice: ToolChoice): JsonObject {
  if (choice.type === "tool") return { tool: { name: choice.name } };
  return choice.type === "required" ? { any: {} } : { auto: {} };
}
