/** Evaluates a part of the traffic. If that fails, the fail mode of the collector decides. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Evaluation, EvaluationContext, InternalEvaluation } from "../../evaluation.ts";

/** A JSON object and its text. */
export type GuardedContent = Pick<
  InternalEvaluation,
  "payload" | "text" | "on_ask" | "is_foreign_body" | "unread" | "covered"
>;

/** Returns undefined if a failed evaluation passes, because the collector is fail-open. */
export async function evaluateContent(
  deps: Deps,
  context: EvaluationContext,
  content: GuardedContent,
): Promise<Evaluation | undefined> {
  try {
    return await deps.evaluate({ ...context, ...content, recorded: true });
  } catch (thrown) {
    const { code, status, message } = AppError.from(thrown);
    // Not a failure of the guard: the request ends anyway.
    if (code === "shutting_down" || code === "client_closed") throw thrown;
    // An error of the client, such as too many texts. For a response it is a failure.
    if (status < 500 && context.request.direction === "input") throw thrown;
    if (code === "invalid_request") return await recordUnread(deps, context, message);
    if (!isFailOpen(deps, context)) {
      const text = `The guard could not evaluate the ${describeContent(context)}: ${message}`;
      throw new AppError("guard_unavailable", text, { cause: thrown });
    }
    deps.log("guard_failed", { level: "error", trace_id: context.trace_id, error: thrown });
    return await recordUnread(deps, context, message);
  }
}

/** Records content that cannot be read. Throws `guard_unavailable` unless the collector is fail-open. */
export async function recordUnread(
  deps: Deps,
  context: EvaluationContext,
  detail: string,
): Promise<Evaluation | undefined> {
  const isOpen = isFailOpen(deps, context);
  const unread = [{ pointer: "", reason: "unreadable" as const, detail }];
  let evaluation: Evaluation | undefined;
  try {
    const content = { payload: {}, text: "{}", is_foreign_body: true, unread };
    const options = { on_ask: "allow" as const, recorded: true };
    evaluation = await deps.evaluate({ ...context, ...content, ...options });
  } catch (thrown) {
    deps.log("guard_failed", { level: "error", trace_id: context.trace_id, error: thrown });
  }
  if (isOpen) return evaluation;
  const text = `The guard cannot evaluate the ${describeContent(context)}, and its collector is fail-closed: ${detail}`;
  throw new AppError("guard_unavailable", text);
}

const describeContent = ({ request }: EvaluationContext): string =>
  request.direction === "input" ? "request" : "response";

const isFailOpen = (deps: Deps, { collector_id }: EvaluationContext): boolean =>
  deps.snapshot().collectors.get(collector_id)?.fail_mode === "open";
