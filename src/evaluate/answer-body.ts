/** From the bytes of an evaluation's body to the text of its answer: read, judged, rendered. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  EvaluateRequest,
  evaluateBatch,
  type Finding,
  MAX_IN_BATCH,
} from "../contract/evaluate.ts";
import { LitellmRequest } from "../contract/litellm.ts";
import { parseStrict } from "../lib/json/parse-strict.ts";
import { eachItem, findValueEnd, skipBlank } from "../lib/json/source-text.ts";
import { type Asked, evaluate, type Judgment } from "./evaluate.ts";
import { fromLitellm, toLitellm } from "./litellm.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** A body as it came, with what is known before it is read. */
export interface Answering extends Pick<Asked, "origin" | "recorded" | "recalled"> {
  bytes: Uint8Array;
  style: "evaluate" | "guard" | "batch" | "inside" | "litellm";
}

export async function answerBody(host: EvaluationHost, answering: Answering): Promise<string> {
  const { bytes, style, ...circumstances } = answering;
  const judged = (read: Pick<Asked, "request" | "body" | "size">) =>
    evaluate(host, { ...circumstances, ...read });
  // Our own words are JSON; those of a tool inside them may hold what a client would be refused for.
  if (style === "inside") {
    const body = Buffer.from(bytes).toString();
    return rendered(await judged({ request: JSON.parse(body), body, size: bytes.length }));
  }
  const parsed = parseStrict(bytes);
  if (!parsed.ok) throw new AppError("invalid_request", `The body is ${parsed.reason}.`);
  const { value, text } = parsed;
  if (style === "batch") {
    const answers = listOf(value, text).map(async ({ request, body }) => {
      const origin = { ...circumstances.origin, request_id: host.newId() };
      const size = Buffer.byteLength(body);
      return rendered(await evaluate(host, { ...circumstances, origin, request, body, size }));
    });
    return `[${(await Promise.all(answers)).join(",")}]`;
  }
  if (style === "litellm") {
    const sent = decode(LitellmRequest, value, "invalid_request");
    const request = fromLitellm(sent);
    const body = JSON.stringify(request);
    return JSON.stringify(toLitellm(sent, await judged({ request, body, size: bytes.length })));
  }
  const request = decode(EvaluateRequest, value, "invalid_request");
  const judgment = await judged({ request, body: text, size: bytes.length });
  return rendered(style === "guard" ? flattened(judgment) : judgment);
}

/** Each with the text it was read from. One that is wrong refuses all, before any is judged. */
function listOf(value: unknown, text: string): { request: EvaluateRequest; body: string }[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_IN_BATCH) {
    const wanted = `body: must be a list of 1 to ${MAX_IN_BATCH} evaluations`;
    throw new AppError("invalid_request", wanted);
  }
  const requests = decode(evaluateBatch.body, value, "invalid_request");
  const texts: string[] = [];
  eachItem(text, skipBlank(text, 0), (_, at) => {
    const end = findValueEnd(text, at);
    texts.push(text.slice(at, end));
    return end;
  });
  return requests.map((request, index) => ({ request, body: texts[index] ?? "" }));
}

/** The rewritten payload goes in as the text it is: read and written again, large numbers would change. */
function rendered({ verdict, transformed }: Judgment | Flattened): string {
  const members = JSON.stringify(verdict).slice(0, -1);
  return `${members},"transformed_payload":${transformed ?? "null"}}`;
}

type Flattened = { verdict: object; transformed: string | null };

/** What the clients of `/v1/guard` read: flat findings, and no text for allow. */
function flattened({ verdict, transformed }: Judgment): Flattened {
  const findings = verdict.findings.map((finding) => ({ ...finding, ...flat(finding) }));
  const status = verdict.status === "allow" ? "" : verdict.status;
  return { verdict: { ...verdict, status, findings }, transformed };
}

const flat = ({ source, signal, outcome, evidence }: Finding) => ({
  detection_type: signal.type,
  confidence: signal.confidence,
  rule_name: source.gate_name ?? source.detector_name,
  status: outcome.action,
  policy_id: source.policy_id,
  detector_id: source.detector_id,
  action: outcome.action,
  details: evidence,
});
