/** Explains how a request would be routed, with the functions that route real requests; sends nothing. */
import { AppError } from "../../contract/errors.ts";
import {
  EXCLUSION_REASONS,
  type ExclusionReason,
  type Explanation,
  explainRequest,
} from "../../contract/gateway/explain.ts";
import type { Deps } from "../../deps.ts";
import { outboundDialects } from "../../dialects/all.ts";
import { buildUrl } from "../../providers/provider.ts";
import { type Route, route } from "../../route.ts";
import { requireConsumer } from "../../snapshot/find-consumer.ts";
import type { ConsumerView, RegistryView } from "../../snapshot/snapshot.ts";
import { getLiveState } from "../live-state.ts";
import { matchTail } from "../match-endpoint.ts";
import { parseModelReference } from "../models/model-reference.ts";
import { findObjectRegistry } from "../objects/find-object-registry.ts";
import { buildRoutingError } from "./build-routing-error.ts";
import { orderAttempts, startsFileBatch } from "./choose-registries.ts";
import {
  type Candidate,
  evaluateRegistry,
  parsePin,
  type RoutingCriteria,
} from "./evaluate-registry.ts";
import { explainGuard } from "./explain-guard.ts";

export const explainRoutes: Route[] = [
  route(explainRequest, (deps, { params, body }) =>
    explain(deps, requireConsumer(deps.snapshot(), params), body),
  ),
];

interface ExplainedRequest {
  method: string;
  path: string;
  model?: string | undefined;
  headers: Record<string, string>;
}

async function explain(
  deps: Deps,
  consumer: ConsumerView,
  request: ExplainedRequest,
): Promise<Explanation> {
  const { path, search } = splitPath(request.path);
  const matched = matchTail(path);
  const headers = toHeaders(request.headers);
  const explanation: Explanation = {
    endpoint: matched?.endpoint.name ?? null,
    capability: matched?.endpoint.capability ?? null,
    refusal: null,
    order: [],
    fallbacks: [],
    registries: [],
    guard: null,
  };
  try {
    if (!matched || !consumer.active) throw new AppError("not_found");
    if (!matched.endpoint.methods.includes(request.method)) throw new AppError("invalid_request");
    const { capability } = matched.endpoint;
    if (!capability) return explanation;
    const criteria: RoutingCriteria = {
      capability,
      model: parseModelReference(matched.path_model ?? request.model),
      additional_models: [],
      batch_models: [],
      starts_file_batch: startsFileBatch(matched.endpoint, request.method),
      pin: parsePin(headers.get("x-ag-pin")?.trim() || undefined),
      object_registry_id: await findObjectRegistry(deps, {
        consumer,
        item: matched.item,
        body: { kind: "none" },
      }),
    };
    evaluateRegistries(deps, consumer, criteria, {
      tail: matched.tail,
      object_id: matched.item,
      search,
      headers,
      explanation,
    });
    const call = { capability, body: matched.endpoint.body, method: request.method };
    explanation.guard = explainGuard(deps, consumer, call);
  } catch (thrown) {
    const { status, code, message } = AppError.from(thrown);
    explanation.refusal = { status, code, message };
  }
  return explanation;
}

interface ExplainContext {
  tail: string;
  object_id: string | undefined;
  search: string;
  headers: Headers;
  explanation: Explanation;
}

function evaluateRegistries(
  deps: Deps,
  consumer: ConsumerView,
  criteria: RoutingCriteria,
  context: ExplainContext,
): void {
  const { explanation, tail, object_id, search, headers } = context;
  const { capability } = criteria;
  const verdicts = consumer.registries.map((attached) => evaluateRegistry(attached, criteria));
  const candidates = verdicts.filter((verdict) => typeof verdict !== "string");
  const live = getLiveState(deps);
  // Copies the turns, so that an explanation does not use one.
  const copy = { ...live, turns: structuredClone(live.turns) };
  const balancing = { consumer, capability, object_id, headers, random: deps.random };
  const attempts = orderAttempts(copy, candidates, criteria, balancing);
  const order = attempts.requested;
  if (candidates.length > 0) {
    explanation.fallbacks = attempts.fallbacks.map(({ registry, model = "" }) => ({
      registry_id: registry.id,
      model,
    }));
  }
  explanation.order = order.map(({ registry }) => registry.id);
  explanation.registries = consumer.registries.map(({ registry }, index) => {
    const verdict = verdicts[index] ?? "unusable";
    if (typeof verdict === "string") return buildExclusion(registry, verdict);
    if (!order.includes(verdict)) return buildExclusion(registry, "unhealthy");
    const { model, capability: dialect } = verdict;
    const translated = dialect !== capability;
    const target = translated
      ? { tail: getTranslatedTail(verdict), model, search: "" }
      : { tail, model, search };
    return {
      ...describeRegistry(registry),
      in: true,
      model: model ?? null,
      dialect,
      translated,
      url: buildUrl(registry.provider, registry.upstream, target, dialect),
    };
  });
  if (candidates.length === 0) {
    throw buildRoutingError(
      criteria,
      verdicts.filter((verdict) => typeof verdict === "string"),
    );
  }
}

/** Returns the path of a request without a stream. */
const getTranslatedTail = ({ capability, model }: Candidate): string =>
  outboundDialects[capability]?.path({ model, stream: false }) ?? "";

const buildExclusion = (registry: RegistryView, reason: ExclusionReason) => ({
  ...describeRegistry(registry),
  reason,
  message: EXCLUSION_REASONS[reason],
});

const describeRegistry = ({ id, name, provider }: RegistryView) => ({
  id,
  name,
  provider: provider.kind,
  in: false,
  reason: null,
  message: null,
  model: null,
  dialect: null,
  translated: false,
  url: null,
});

function splitPath(text: string): { path: string; search: string } {
  const query = text.indexOf("?");
  return query < 0
    ? { path: text, search: "" }
    : { path: text.slice(0, query), search: text.slice(query) };
}

function toHeaders(values: Record<string, string>): Headers {
  try {
    return new Headers(values);
  } catch {
    throw new AppError("validation_failed", "headers: must contain only valid names and values");
  }
}
