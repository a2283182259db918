/** Parameters of thinking for Claude, which are the same in every API that serves it. */
import type { JsonObject } from "../lib/json/json-object.ts";
import type { DialectName, NeutralRequest, Reasoning } from "./neutral.ts";

/** `max_tokens` is required by the API. Every model since Claude 3.5 accepts this value. */
export const DEFAULT_MAX_TOKENS = 8192;

/** Models without adaptive thinking: they need a number of tokens instead of an effort. */
const NEEDS_BUDGET = /claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(?=-20\d{6}|[@:]|$))/;

const BUDGETS = { minimal: 1024, low: 2048, medium: 8192, high: 16_384, xhigh: 32_768 } as const;
/** The API rejects a lower one. */
const MIN_BUDGET = 1024;

interface ThinkingMembers {
  thinking?: JsonObject;
  /** `output_config.effort`. */
  effort?: string;
  max_tokens?: number;
}

/** `dialect` is the format of the request: only its own signatures count. */
export function writeThinking(
  request: NeutralRequest,
  { model, dialect }: { model: string; dialect: DialectName },
): ThinkingMembers {
  const { reasoning, max_tokens } = request;
  const limit = max_tokens === undefined ? {} : { max_tokens };
  if (!reasoning) return limit;
  const { effort } = reasoning;
  if (effort === "none" || reasoning.budget_tokens === 0) {
    return { thinking: { type: "disabled" }, ...limit };
  }
  // The API rejects thinking together with a forced tool call.
  if (request.tool_choice?.type === "required" || request.tool_choice?.type === "tool")
    return limit;
  if (NEEDS_BUDGET.test(model)) return writeBudget(request, reasoning, dialect);
  const display = reasoning.include_text ? { display: "summarized" } : {};
  return {
    thinking: { type: "adaptive", ...display },
    ...(effort && { effort: effort === "minimal" ? "low" : effort }),
    ...limit,
  };
}

/** The budget is part of `max_tokens`: a limit of the client leaves half of it for the response. */
function writeBudget(
  request: NeutralRequest,
  reasoning: Reasoning,
  dialect: DialectName,
): ThinkingMembers {
  const { max_tokens } = request;
  const { effort = "medium" } = reasoning;
  const wanted = reasoning.budget_tokens ?? (effort === "none" ? 0 : BUDGETS[effort]);
  const limit = max_tokens === undefined ? wanted : Math.min(wanted, Math.floor(max_tokens / 2));
  const isThinking = limit >= MIN_BUDGET && !continuesUnsigned(request, dialect);
  return {
    ...(isThinking && { thinking: { type: "enabled", budget_tokens: limit } }),
    max_tokens: max_tokens ?? limit + DEFAULT_MAX_TOKENS,
  };
}

/** Returns whether tool results follow a call whose thinking the client did not send back: the API rejects that. */
function continuesUnsigned({ messages }: NeutralRequest, dialect: DialectName): boolean {
  const last = messages.at(-1);
  if (!last?.parts.some(({ type }) => type === "tool_result")) return false;
  const call = messages.findLast(({ role }) => role === "assistant");
  return !call?.parts.some(
    (part) => part.type === "thinking" && part.signature?.dialect === dialect,
  );
}
