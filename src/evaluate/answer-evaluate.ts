/** `POST /v1/evaluate`, its older name `/v1/guard`, and many at once: who asks, and where the body is judged. */
import { evaluateBatch, evaluate as evaluateEndpoint, guard } from "../contract/evaluate.ts";
import { litellmGuardrail } from "../contract/litellm.ts";
import type { Deps } from "../deps.ts";
import { createHeaderCache } from "../lib/http/header-cache.ts";
import { findClientAddress } from "../lib/http/ip-address.ts";
import type { DirectCall, DirectRoute } from "../route.ts";
import { answerAnywhere } from "./answer-anywhere.ts";
import type { Answering } from "./answer-body.ts";
import { evaluateOnce } from "./evaluate-once.ts";
import { type Caller, identifyCaller, identifyCollector, readBearer } from "./identify-caller.ts";
import { receiveBody } from "./receive-body.ts";
import type { Origin } from "./record-activity.ts";
import { createHost } from "./worker/evaluation-host.ts";

export const evaluateRoutes: DirectRoute[] = [
  { endpoint: evaluateEndpoint, respond: (deps, call) => answer(deps, call, "evaluate") },
  { endpoint: guard, respond: (deps, call) => answer(deps, call, "guard") },
  { endpoint: evaluateBatch, respond: (deps, call) => answer(deps, call, "batch") },
  { endpoint: litellmGuardrail, respond: (deps, call) => answer(deps, call, "litellm") },
];

async function answer(deps: Deps, call: DirectCall, style: Answering["style"]): Promise<Response> {
  const caller = identifyCaller(deps, secretOf(call.request, style));
  using body = await receiveBody(deps, call.request);
  const { bytes } = body;
  const host = createHost(deps, (named) => ({
    collector: identifyCollector(deps, caller, named),
  }));
  const answering: Answering = {
    bytes,
    style,
    origin: originOf(deps, call),
    recorded: !isPlayground(caller, call.request),
    recalled: false,
  };
  const text = await evaluateOnce(deps, call, { caller, body: bytes }, () =>
    answerAnywhere(deps, host, { ...answering, owner: ownerOf(caller) }),
  );
  // Those that are recorded are logged with their events.
  if (!answering.recorded) {
    const { trace_id, request_id } = call;
    deps.log("evaluation", { trace_id, request_id, recorded: false });
  }
  call.headers["content-type"] = "application/json";
  return new Response(text, { headers: sheet(call.headers) });
}

/** LiteLLM sends its `api_key` as x-api-key. */
function secretOf({ headers }: Request, style: Answering["style"]): string {
  const key = style === "litellm" ? headers.get("x-api-key") : null;
  return key ?? readBearer(headers);
}

const ownerOf = (caller: Caller): string =>
  caller.kind === "administrator" ? caller.token_id : caller.collector.id;

const sheet = createHeaderCache();

/** A collector's own callers cannot hide from Activity. */
const isPlayground = (caller: Caller, request: Request): boolean =>
  caller.kind !== "collector" && request.headers.get("x-ag-playground") === "1";

function originOf(
  { settings }: Deps,
  { request, client, trace_id, request_id }: DirectCall,
): Origin {
  const forwarded = request.headers.get("x-forwarded-for");
  const client_address = findClientAddress(client(), forwarded, settings.TRUSTED_PROXIES);
  const user_agent = request.headers.get("user-agent");
  return { trace_id, request_id, client_address, user_agent };
}
