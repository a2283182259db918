/** Parses the body of an evaluation endpoint into the evaluations that it requests. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { EvaluateRequest, evaluateBatch, MAX_IN_BATCH } from "../contract/guard/evaluate.ts";
import { isHookAgent } from "../contract/guard/hook-agents.ts";
import { LitellmRequest } from "../contract/guard/litellm.ts";
import { parseStrict } from "../lib/json/parse-strict.ts";
import { eachItem, findValueEnd, skipBlank } from "../lib/json/source-text.ts";
import { readHook } from "./hooks/read-hook.ts";
import { checkTexts, fromLitellm, writeLitellmText } from "./litellm.ts";
import type { EvaluationBody, EvaluationInput } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Returns an array for a batch. An invalid item rejects the whole batch. */
export function parseBody(
  host: EvaluationHost,
  body: EvaluationBody,
): EvaluationInput | EvaluationInput[] {
  const { bytes, ...common } = body;
  const size = bytes.length;
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  const { value, text } = parsed;
  if (common.format === "batch") {
    const batch = { bytes: 0, texts: 0, pointers: 0 };
    return parseBatch(value, text).map((item) => ({
      ...common,
      ...item,
      batch,
      origin: { ...common.origin, request_id: host.newId() },
    }));
  }
  if (common.format === "litellm") {
    checkTexts(value);
    const litellm = decode(LitellmRequest, value, "invalid_request");
    const request = fromLitellm(litellm);
    return { ...common, request, text: writeLitellmText(request, text), size, litellm };
  }
  if (isHookAgent(common.format)) {
    return { ...common, ...readHook(common.format, parsed, common.origin), size };
  }
  const request = decode(EvaluateRequest, value, "invalid_request");
  return { ...common, request, text, size };
}

/** Returns each request of a batch with its source text. */
function parseBatch(
  value: unknown,
  text: string,
): Pick<EvaluationInput, "request" | "text" | "size">[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_IN_BATCH) {
    const message = `body: must be a list of 1 to ${MAX_IN_BATCH} evaluations`;
    throw new AppError("invalid_request", message);
  }
  const requests = decode(evaluateBatch.body, value, "invalid_request");
  const texts: string[] = [];
  eachItem(text, skipBlank(text, 0), (_, at) => {
    const end = findValueEnd(text, at);
    texts.push(text.slice(at, end));
    return end;
  });
  return requests.map((request, index) => {
    const source = texts[index] ?? "";
    return { request, text: source, size: Buffer.byteLength(source) };
  });
}
