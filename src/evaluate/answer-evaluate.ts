/** `POST /v1/evaluate`, its older name `/v1/guard`, and many at once: from the request to the answer's bytes. */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  EvaluateRequest,
  evaluateBatch,
  evaluate as evaluateEndpoint,
  type Finding,
  guard,
  MOST_IN_BATCH,
} from "../contract/evaluate.ts";
import type { Deps } from "../deps.ts";
import { clientAddress } from "../lib/client-address.ts";
import { eachItem, endOfValue, skipBlank } from "../lib/json-text.ts";
import type { DirectCall, DirectRoute } from "../route.ts";
import { evaluate, type Judgement } from "./evaluate.ts";
import { type Caller, identifyCaller, identifyCollector } from "./identify-collector.ts";
import { onlyOnce } from "./only-once.ts";
import { type Body, readBody } from "./read-body.ts";
import type { Origin } from "./record-activity.ts";

export const evaluateRoutes: DirectRoute[] = [
  {
    endpoint: evaluateEndpoint,
    respond: (deps, call) => answering(deps, call, async (one) => rendered(await one.judged())),
  },
  {
    endpoint: guard,
    respond: (deps, call) =>
      answering(deps, call, async (one) => rendered(flattened(await one.judged()))),
  },
  {
    endpoint: evaluateBatch,
    respond: (deps, call) => answering(deps, call, ({ each }) => each()),
  },
];

interface Evaluating {
  judged: () => Promise<Judgement>;
  /** The whole answer to a body that is a list. */
  each: () => Promise<string>;
}

async function answering(
  deps: Deps,
  call: DirectCall,
  work: (evaluating: Evaluating) => Promise<string>,
): Promise<Response> {
  const caller = identifyCaller(deps, call.request);
  using body = await readBody(deps, call.request);
  const origin = originOf(deps, call);
  const one = (value: unknown, text: string, ids: Origin) =>
    evaluate(deps, {
      ...decoded(deps, caller, value),
      body: text,
      size: body.bytes,
      origin: ids,
      recorded: !isPlayground(caller, call.request),
    });
  const text = await onlyOnce(deps, call, { caller, body: body.text }, () =>
    work({
      judged: () => one(body.value, body.text, origin),
      each: async () => {
        const answers = listOf(body).map(async ({ value, text }) => {
          const ids = { ...origin, request_id: deps.newId() };
          return rendered(await one(value, text, ids));
        });
        return `[${(await Promise.all(answers)).join(",")}]`;
      },
    }),
  );
  const headers = { ...call.headers, "content-type": "application/json" };
  return new Response(text, { headers });
}

function decoded(deps: Deps, caller: Caller, value: unknown) {
  const request = decode(EvaluateRequest, value, "invalid_request");
  return { request, collector: identifyCollector(deps, caller, request) };
}

/** Each with the text it was read from. */
function listOf({ value, text }: Body): { value: unknown; text: string }[] {
  if (Array.isArray(value) && value.length > 0 && value.length <= MOST_IN_BATCH) {
    const texts: string[] = [];
    eachItem(text, skipBlank(text, 0), (_, at) => {
      const end = endOfValue(text, at);
      texts.push(text.slice(at, end));
      return end;
    });
    return value.map((item, index) => ({ value: item, text: texts[index] ?? "" }));
  }
  throw new AppError(
    "invalid_request",
    `body: must be a list of 1 to ${MOST_IN_BATCH} evaluations`,
  );
}

/** A collector's own callers cannot hide from Activity. */
const isPlayground = (caller: Caller, request: Request): boolean =>
  caller.kind !== "collector" && request.headers.get("x-ag-playground") === "1";

function originOf(
  { settings }: Deps,
  { request, client, trace_id, request_id }: DirectCall,
): Origin {
  const forwarded = request.headers.get("x-forwarded-for");
  const client_address = clientAddress(client(), forwarded, settings.TRUSTED_PROXIES);
  const user_agent = request.headers.get("user-agent");
  return { trace_id, request_id, client_address, user_agent };
}

/** The rewritten payload goes in as the text it is: read and written again, large numbers would change. */
function rendered({ verdict, transformed }: Judgement | Flattened): string {
  const members = JSON.stringify(verdict).slice(0, -1);
  return `${members},"transformed_payload":${transformed ?? "null"}}`;
}

type Flattened = { verdict: object; transformed: string | null };

/** What the clients of `/v1/guard` read: flat findings, and no text for allow. */
function flattened({ verdict, transformed }: Judgement): Flattened {
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
