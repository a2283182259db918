/** Writes a Gemini request. */
import type { JsonObject } from "../../lib/json/json-object.ts";
import { memberError } from "../decode-member.ts";
import { defined } from "../defined.ts";
import type { RequestTarget } from "../dialect.ts";
import type { NeutralRequest, Reasoning, ToolChoice } from "../neutral.ts";
import { writeContents } from "./write-contents.ts";

/** The model is in the URL. Drops the user, cache control, `strict` of tools and `parallel_tool_calls`. */
export function writeGenerateContentRequest(
  request: NeutralRequest,
  { upstream_model }: RequestTarget,
): JsonObject {
  const { messages, tools, tool_choice } = request;
  const generationConfig = writeConfig(request, upstream_model);
  return defined({
    contents: writeContents(
      messages.filter(({ role }) => role !== "system"),
      NEEDS_SIGNATURES.test(upstream_model) ? ANY_SIGNATURE : undefined,
    ),
    systemInstruction: writeSystem(messages),
    tools: tools.length > 0 ? [{ functionDeclarations: tools.map(writeTool) }] : undefined,
    toolConfig: tool_choice && { functionCallingConfig: writeToolChoice(tool_choice) },
    generationConfig: Object.keys(generationConfig).length > 0 ? generationConfig : undefined,
  });
}

/** Models that reject a function call without a signature, as other models or clients made them. */
const NEEDS_SIGNATURES = /gemini-[3-9]/;
/** Value of Google's documentation that skips the check. */
const ANY_SIGNATURE = "skip_thought_signature_validator";

function writeSystem(messages: NeutralRequest["messages"]): JsonObject | undefined {
  const parts = messages
    .filter(({ role }) => role === "system")
    .flatMap(({ parts, at }) =>
      parts.map((part) => {
        if (part.type === "text") return { text: part.text };
        throw memberError(at, `must contain only text; it contains a part of type ${part.type}`);
      }),
    );
  return parts.length > 0 ? { parts } : undefined;
}

const writeTool = ({ name, description, schema }: NeutralRequest["tools"][number]): JsonObject =>
  defined({ name, description, parametersJsonSchema: schema });

function writeToolChoice(choice: ToolChoice): JsonObject {
  if (choice.type === "tool") return { mode: "ANY", allowedFunctionNames: [choice.name] };
  return { mode: { auto: "AUTO", none: "NONE", required: "ANY" }[choice.type] };
}

function writeConfig(request: NeutralRequest, model: string): JsonObject {
  const { output_format: format, reasoning } = request;
  return defined({
    maxOutputTokens: request.max_tokens,
    temperature: request.temperature,
    topP: request.top_p,
    topK: request.top_k,
    stopSequences: request.stop,
    seed: request.seed,
    presencePenalty: request.presence_penalty,
    frequencyPenalty: request.frequency_penalty,
    responseMimeType: format && "application/json",
    responseJsonSchema: format?.type === "json_schema" ? format.schema : undefined,
    thinkingConfig:
      reasoning && !CANNOT_THINK.test(model)
        ? writeReasoning(reasoning, model, request.max_tokens)
        : undefined,
  });
}

/** Token budgets of the efforts, as in Google's OpenAI-compatible API. */
const BUDGETS = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Models that reject a configuration of thinking. */
const CANNOT_THINK = /gemini-(1|2\.0)|gemma/;
/** Models that reject a lower budget: they always think. */
const ALWAYS_THINKS = /gemini-\d[\d.]*-pro/;
const MIN_BUDGET = 128;

/** The output limit includes thoughts: an effort leaves half of it for the response. */
function writeReasoning(
  { effort, budget_tokens, include_text }: Reasoning,
  model: string,
  max_tokens = Number.POSITIVE_INFINITY,
): JsonObject {
  const budget = budget_tokens ?? (effort && Math.min(BUDGETS[effort], Math.floor(max_tokens / 2)));
  const min = ALWAYS_THINKS.test(model) ? MIN_BUDGET : 0;
  return defined({
    thinkingBudget: budget === undefined ? undefined : Math.max(budget, min),
    includeThoughts: include_text,
  });
}
