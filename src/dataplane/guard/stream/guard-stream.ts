/** Evaluates a streamed response while it is relayed: masked, or unchanged with a copy evaluated. */
import { AppError } from "../../../contract/errors.ts";
import type { Capability } from "../../../contract/gateway/registries.ts";
import type { Deps } from "../../../deps.ts";
import type { GuardView } from "../../../snapshot/snapshot.ts";
import type { ForwardedRequest } from "../../stages.ts";
import { isBlocked } from "../admit-content.ts";
import { createGuardContext } from "../create-guard-context.ts";
import { recordUnread } from "../evaluate-content.ts";
import { buildBlockError } from "../guard-errors.ts";
import { setGuardHeader } from "../set-guard-header.ts";
import { createChatDialect } from "./chat-dialect.ts";
import { createCompletionsDialect } from "./completions-dialect.ts";
import type { Dialect } from "./dialect.ts";
import { parseObject } from "./edit-event.ts";
import { createGenerateContentDialect } from "./generate-content-dialect.ts";
import { createMaskedBody } from "./masked-body.ts";
import { createMessagesDialect } from "./messages-dialect.ts";
import { createObservedBody } from "./observed-body.ts";
import { createResponsesDialect } from "./responses-dialect.ts";
import type { StreamGuard } from "./stream-guard.ts";
import { createTranscriptionDialect } from "./transcription-dialect.ts";

const DIALECTS: Partial<Record<Capability, () => Dialect>> = {
  chat: createChatDialect,
  responses: createResponsesDialect,
  stored_responses: createResponsesDialect,
  messages: createMessagesDialect,
  generate_content: createGenerateContentDialect,
  audio_transcription: createTranscriptionDialect,
  completions: createCompletionsDialect,
};

export async function guardStream(
  deps: Deps,
  forwarded: ForwardedRequest,
  view: GuardView,
): Promise<ForwardedRequest> {
  const { request, capability, candidate, reply, progress } = forwarded;
  const createDialect = DIALECTS[capability];
  const context = createGuardContext(deps, forwarded, view, {
    direction: "output",
    candidates: [candidate],
  });
  setGuardHeader(forwarded.context, "allow");
  const passUnread = async (detail: string) => {
    const evaluation = await recordUnread(deps, context, detail);
    if (evaluation && isBlocked(evaluation)) throw buildBlockError(evaluation.verdict, "response");
  };
  const { body } = reply;
  if (!createDialect || body.kind === "whole" || !body.events) {
    await passUnread(
      createDialect ? "The stream is compressed." : "This endpoint does not stream responses.",
    );
    return forwarded;
  }
  const guard: StreamGuard = {
    deps,
    context,
    request,
    dialect: createDialect(),
    async evaluate(text, { recorded, evaluate = deps.evaluate }) {
      const evaluation = await evaluate({
        ...context,
        payload: parseObject(text),
        text,
        on_ask: "allow",
        is_foreign_body: true,
        recorded,
      });
      return { masked: evaluation.transformed, blocked: isBlocked(evaluation) };
    },
    async fail(thrown) {
      deps.log("guard_failed", { level: "error", trace_id: context.trace_id, error: thrown });
      const { code, message } = AppError.from(thrown);
      try {
        await passUnread(message);
      } catch (error) {
        throw code === "shutting_down" ? thrown : error;
      }
    },
  };
  const createBody = view.stream === "exact" ? createMaskedBody : createObservedBody;
  try {
    const { stop, ...guarded } = createBody(guard, body);
    progress.cleanups.push(() => void countLate(deps, stop));
    return { ...forwarded, reply: { ...reply, body: guarded } };
  } catch (thrown) {
    await guard.fail(thrown);
    return forwarded;
  }
}

/** Counts an evaluation while it runs, so that a shutdown waits for it. */
async function countLate({ live }: Deps, stop: () => Promise<void>): Promise<void> {
  live.late_evaluations += 1;
  try {
    await stop();
  } finally {
    live.late_evaluations -= 1;
  }
}
