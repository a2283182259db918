/** Reads a Gemini request. */
import { z } from "zod";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { toJsonSchema } from "../../lib/json/to-json-schema.ts";
import { decodeMember, memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import { droppedMembers } from "../dropped-members.ts";
import type {
  NeutralMember,
  NeutralRequest,
  NeutralTool,
  OutputFormat,
  Reasoning,
  ToolChoice,
} from "../neutral.ts";
import { camelCaseMembers } from "./camel-case-members.ts";
import { GENERATE_CONTENT_DROPPED } from "./dropped.ts";
import { Contents, readContents, readSystemInstruction } from "./read-contents.ts";

const Schema = z.record(z.string(), z.unknown());

const GenerationConfig = z.strictObject({
  ...droppedMembers(GENERATE_CONTENT_DROPPED.generationConfig),
  candidateCount: z.literal(1, "must be 1 for this model's upstream").optional(),
  stopSequences: z.array(z.string()).optional(),
  maxOutputTokens: z.int().positive().optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  topK: z.number().optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  responseMimeType: z.enum(["text/plain", "application/json"]).optional(),
  responseSchema: Schema.optional(),
  responseJsonSchema: Schema.optional(),
  responseModalities: z
    .array(z.literal("TEXT", "this model's upstream generates only text"))
    .optional(),
  responseLogprobs: z.literal(false, "this model's upstream has no logprobs; remove it").optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().min(-1).optional(),
      thinkingLevel: z
        .enum(["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"])
        .optional(),
    })
    .optional(),
});

const FunctionDeclaration = z.strictObject({
  ...droppedMembers(GENERATE_CONTENT_DROPPED.functionDeclaration),
  name: z.string(),
  description: z.string().optional(),
  parameters: Schema.optional(),
  parametersJsonSchema: Schema.optional(),
});

const Request = z.strictObject({
  ...droppedMembers(GENERATE_CONTENT_DROPPED.request),
  contents: Contents,
  systemInstruction: z.unknown().optional(),
  tools: z.array(z.record(z.string(), z.unknown())).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z
        .strictObject({
          ...droppedMembers(GENERATE_CONTENT_DROPPED.functionCallingConfig),
          mode: z.enum(["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]).optional(),
          allowedFunctionNames: z.array(z.string()).optional(),
        })
        .optional(),
    })
    .optional(),
  generationConfig: GenerationConfig.optional(),
  cachedContent: z
    .undefined("needs state that this model's upstream does not store; send the contents")
    .optional(),
});

/** Names of neutral members in this format. */
export const GENERATE_CONTENT_MEMBER_NAMES: Partial<Record<NeutralMember, string>> = {
  tool_choice: "toolConfig.functionCallingConfig",
  max_tokens: "generationConfig.maxOutputTokens",
  temperature: "generationConfig.temperature",
  top_p: "generationConfig.topP",
  top_k: "generationConfig.topK",
  stop: "generationConfig.stopSequences",
  seed: "generationConfig.seed",
  presence_penalty: "generationConfig.presencePenalty",
  frequency_penalty: "generationConfig.frequencyPenalty",
  output_format: "generationConfig.responseMimeType",
  reasoning: "generationConfig.thinkingConfig",
};

export function readGenerateContentRequest(
  body: JsonObject,
  { stream }: { stream: boolean },
): NeutralRequest {
  const request = decodeMember(Request, camelCaseMembers(body), "");
  const { generationConfig: config = {} } = request;
  const tools = readTools(request.tools ?? []);
  return {
    messages: [
      ...readSystemInstruction(request.systemInstruction),
      ...readContents(request.contents),
    ],
    ...readToolChoice(request.toolConfig?.functionCallingConfig, tools),
    ...defined({
      max_tokens: config.maxOutputTokens,
      temperature: config.temperature,
      top_p: config.topP,
      top_k: config.topK,
      stop: config.stopSequences,
      seed: config.seed,
      presence_penalty: config.presencePenalty,
      frequency_penalty: config.frequencyPenalty,
      output_format: readFormat(config),
      reasoning: readReasoning(config.thinkingConfig),
    }),
    stream,
  };
}

function readTools(tools: readonly JsonObject[]): NeutralTool[] {
  return tools.flatMap(({ functionDeclarations = [], ...others }, index) => {
    const [other] = Object.keys(others);
    if (other !== undefined) {
      const text = "cannot be translated for this model's upstream; use functionDeclarations";
      throw memberError(`tools[${index}].${other}`, text);
    }
    const at = `tools[${index}].functionDeclarations`;
    return decodeMember(z.array(FunctionDeclaration), functionDeclarations, at).map(readTool);
  });
}

function readTool(declaration: z.infer<typeof FunctionDeclaration>): NeutralTool {
  const { name, description, parameters, parametersJsonSchema } = declaration;
  const schema = parametersJsonSchema ?? (parameters && toJsonSchema(parameters));
  return defined({ name, description, schema: schema ?? { type: "object", properties: {} } });
}

type CallingConfig = NonNullable<z.infer<typeof Request>["toolConfig"]>["functionCallingConfig"];

/** Returns the choice, and the tools that it allows. */
function readToolChoice(
  config: CallingConfig,
  tools: NeutralTool[],
): { tool_choice?: ToolChoice; tools: NeutralTool[] } {
  const { mode = "AUTO", allowedFunctionNames: names = [] } = config ?? {};
  if (mode === "NONE") return { tool_choice: { type: "none" }, tools };
  const allowed = names.length > 0 ? tools.filter(({ name }) => names.includes(name)) : tools;
  if (mode !== "ANY") return { tools: allowed };
  const [name] = names;
  if (name !== undefined && names.length === 1)
    return { tool_choice: { type: "tool", name }, tools };
  return { tool_choice: { type: "required" }, tools: allowed };
}

function readFormat({
  responseMimeType,
  responseSchema,
  responseJsonSchema,
}: z.infer<typeof GenerationConfig>): OutputFormat | undefined {
  const schema = responseJsonSchema ?? (responseSchema && toJsonSchema(responseSchema));
  if (schema) return { type: "json_schema", schema };
  return responseMimeType === "application/json" ? { type: "json" } : undefined;
}

const EFFORTS = { MINIMAL: "minimal", LOW: "low", MEDIUM: "medium", HIGH: "high" } as const;
/** The model decides how much it thinks. */
const DYNAMIC_BUDGET = -1;

function readReasoning(
  config: z.infer<typeof GenerationConfig>["thinkingConfig"],
): Reasoning | undefined {
  if (!config) return undefined;
  const { includeThoughts, thinkingBudget, thinkingLevel } = config;
  const reasoning = defined({
    effort:
      thinkingLevel && thinkingLevel !== "THINKING_LEVEL_UNSPECIFIED"
        ? EFFORTS[thinkingLevel]
        : undefined,
    budget_tokens: thinkingBudget === DYNAMIC_BUDGET ? undefined : thinkingBudget,
    include_text: includeThoughts || undefined,
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}
