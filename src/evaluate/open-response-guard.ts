/** Prepares the evaluation of a response that arrives in parts, by the policy of a collector. */
import type { Deps, EvaluationContext, ResponseGuard } from "../deps.ts";
import { identifyInternalCaller } from "./evaluate-internal.ts";

export function openResponseGuard(deps: Deps, context: EvaluationContext): ResponseGuard {
  identifyInternalCaller(deps, context);
  return { needs_whole: true, openText: () => ({ push: () => NOTHING, end: () => NOTHING }) };
}

const NOTHING = { text: "", blocked: false };
