/** Writes the parameters of thinking that Claude has in every API, and `max_tokens`, of which thinking is a part. */
import type { JsonObject } from "../lib/json/json-object.ts";
import type { RequestTarget } from "./dialect.ts";
import type { DialectName, NeutralRequest, Reasoning } from "./neutral.ts";

/** Default of `max_tokens`, which the API requires, for models that are not in the catalog. */
const DEFAULT_MAX_TOKENS = 8192;

/** Models without adaptive thinking: they need a number of tokens instead of an effort. */
const NEEDS_BUDGET = /claude-(3|(opus|sonnet|haiku)-4(-[0-5])?(?=-20\d{6}|[@:]|$))/;

const BUDGETS = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
} as const;
/** The API rejects a lower one. */
const MIN_BUDGET = 1024;

interface ThinkingMembers {
  thinking?: JsonObject;
  /** `output_config.effort`. */
  effort?: string;
  max_tokens: number;
}

/** `dialect` is the format of the request: only its own signatures count. */
export function writeThinking(
  request: NeutralRequest,
  { upstream_model, max_output }: Pick<RequestTarget, "upstream_model" | "max_output">,
  dialect: DialectName,
): ThinkingMembers {
  const { reasoning } = request;
  const limit = { max_tokens: request.max_tokens ?? max_output ?? DEFAULT_MAX_TOKENS };
  if (!reasoning) return limit;
  const { effort } = reasoning;
  if (effort === "none" || reasoning.budget_tokens === 0) {
    return { thinking: { type: "disabled" }, ...limit };
  }
  // The API rejects thinking together with a forced tool call.
  const choice = request.tool_choice?.type;
  if (choice === "required" || choice === "tool") return limit;
  if (NEEDS_BUDGET.test(upstream_model)) {
    return writeBudget(request, reasoning, { max_output, dialect });
  }
  const display = reasoning.include_text ? { display: "summarized" } : {};
  return {
    thinking: { type: "adaptive", ...display },
    ...(effort && { effort: effort === "minimal" ? "low" : effort }),
    ...limit,
  };
}

/** A limit of the client leaves half of it for the response. */
function writeBudget(
  request: NeutralRequest,
  { effort = "medium", budget_tokens }: Reasoning,
  { max_output, dialect }: { max_output: number | undefined; dialect: DialectName },
): ThinkingMembers {
  const { max_tokens } = request;
  const wanted = budget_tokens ?? (effort === "none" ? 0 : BUDGETS[effort]);
  const budget = max_tokens === undefined ? wanted : Math.min(wanted, Math.floor(max_tokens / 2));
  const isThinking = budget >= MIN_BUDGET && !continuesUnsigned(request, dialect);
  return {
    ...(isThinking && { thinking: { type: "enabled", budget_tokens: budget } }),
    max_tokens: max_tokens ?? max_output ?? budget + DEFAULT_MAX_TOKENS,
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
