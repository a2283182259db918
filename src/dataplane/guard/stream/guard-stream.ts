/** Evaluates a streamed response while it is relayed: masked, or unchanged with a copy evaluated. */
import { AppError } from "../../../contract/errors.ts";
import type { Capability } from "../../../contract/gateway/registries.ts";
import type { Deps } from "../../../deps.ts";
import { declaresOtherCharset } from "../../../lib/multipart/content-type.ts";
import { reserveBytes } from "../../../reserve-bytes.ts";
import type { GuardView } from "../../../snapshot/snapshot.ts";
import type { ForwardedRequest } from "../../stages.ts";
import { isBlocked } from "../admit-content.ts";
import { createGuardContext } from "../create-guard-context.ts";
import { recordUnread } from "../evaluate-content.ts";
import { buildBlockError } from "../guard-errors.ts";
import { setGuardHeader } from "../set-guard-header.ts";
import { createChatFormat } from "./chat-format.ts";
import { createCompletionsFormat } from "./completions-format.ts";
import { parseObject } from "./edit-event.ts";
import { createGenerateContentFormat } from "./generate-content-format.ts";
import { createMaskedBody } from "./masked-body.ts";
import { createMessagesFormat } from "./messages-format.ts";
import { createObservedBody } from "./observed-body.ts";
import { createResponsesFormat } from "./responses-format.ts";
import { readStartingAfter } from "./resume-stream.ts";
import type { StreamEvaluation } from "./stream-evaluation.ts";
import type { StreamFormat } from "./stream-format.ts";
import { evaluateInTurn } from "./text-turns.ts";
import { createTranscriptionFormat } from "./transcription-format.ts";

const FORMATS: Partial<Record<Capability, () => StreamFormat>> = {
  chat: createChatFormat,
  responses: createResponsesFormat,
  stored_responses: createResponsesFormat,
  messages: createMessagesFormat,
  generate_content: createGenerateContentFormat,
  audio_transcription: createTranscriptionFormat,
  completions: createCompletionsFormat,
};

export async function guardStream(
  deps: Deps,
  forwarded: ForwardedRequest,
  guard: GuardView,
): Promise<ForwardedRequest> {
  const { request, consumer, capability, candidate, reply, progress } = forwarded;
  const createFormat = FORMATS[capability];
  const context = createGuardContext(deps, forwarded, guard, {
    direction: "output",
    candidates: [candidate],
  });
  setGuardHeader(forwarded.context, "allow");
  const passUnread = async (detail: string) => {
    const unread = await recordUnread(deps, context, detail);
    if (unread && isBlocked(unread)) throw buildBlockError(unread.verdict, "response");
  };
  const { body } = reply;
  const isEncoded = declaresOtherCharset(reply.headers.get("content-type") ?? "");
  if (!createFormat || body.kind === "whole" || !body.events || isEncoded) {
    const problem = isEncoded ? "The stream is not in UTF-8." : "The stream is compressed.";
    await passUnread(createFormat ? problem : "This endpoint does not stream responses.");
    return forwarded;
  }
  const memory = reserveBytes(deps, consumer.id);
  const evaluation: StreamEvaluation = {
    deps,
    context,
    memory,
    request,
    format: createFormat(),
    starting_after: readStartingAfter(forwarded),
    async evaluate(text, { evaluate = deps.evaluate, ...options }) {
      const { transformed, verdict } = await evaluateInTurn(
        deps,
        { owner: consumer.id, text },
        () =>
          evaluate({
            ...context,
            payload: parseObject(text),
            text,
            on_ask: "allow",
            is_foreign_body: true,
            ...options,
          }),
      );
      return {
        masked: transformed,
        blocked: isBlocked({ transformed, verdict }),
        isClean: verdict.findings.length === 0 && verdict.detectors.uninspected.length === 0,
      };
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
  const { late_evaluations } = deps.live;
  const room = late_evaluations.waitForRoom(consumer.id, request);
  if (room) await room;
  const createBody = guard.stream === "exact" ? createMaskedBody : createObservedBody;
  try {
    const { stop, ...guarded } = createBody(evaluation, body);
    const end = () => stop().finally(memory.release);
    progress.cleanups.push(() => void late_evaluations.run(consumer.id, end));
    return { ...forwarded, reply: { ...reply, body: guarded } };
  } catch (thrown) {
    await evaluation.fail(thrown);
    return forwarded;
  }
}
