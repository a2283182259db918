/** Where would a request go, and why? The same judgment as for a real one, with nothing sent. */
import { AppError } from "../contract/errors.ts";
import {
  EXCLUSION_REASONS,
  type ExclusionReason,
  type Explanation,
  explainRequest,
} from "../contract/explain.ts";
import type { Deps } from "../deps.ts";
import { buildUrl } from "../providers/provider.ts";
import { type Route, route } from "../route.ts";
import type { ConsumerView, RegistryView } from "../snapshot/snapshot.ts";
import { inOrder } from "./balance.ts";
import { judge, pinOf, refusal, type Wanted } from "./choose-registries.ts";
import { findHolder } from "./find-holder.ts";
import { liveState } from "./live-state.ts";
import { matchTail } from "./match-endpoint.ts";
import { modelReference } from "./model-reference.ts";

export const explainRoutes: Route[] = [
  route(explainRequest, (deps, { params, body }) => {
    const consumer = [...deps.snapshot().consumersBySlug.values()].find(
      ({ id, gateway }) => id === params.consumer_id && gateway.id === params.gateway_id,
    );
    if (!consumer) throw new AppError("not_found", "There is no consumer with this id.");
    return explain(deps, consumer, body);
  }),
];

interface Question {
  method: string;
  path: string;
  model?: string | undefined;
  headers: Record<string, string>;
}

async function explain(
  deps: Deps,
  consumer: ConsumerView,
  question: Question,
): Promise<Explanation> {
  const { path, search } = splitPath(question.path);
  const matched = matchTail(path);
  const headers = headersOf(question.headers);
  const told: Explanation = {
    endpoint: matched?.endpoint.name ?? null,
    capability: matched?.endpoint.capability ?? null,
    refusal: null,
    order: [],
    registries: [],
  };
  try {
    if (!matched || !consumer.active) throw new AppError("not_found");
    if (!matched.endpoint.methods.includes(question.method)) throw new AppError("invalid_request");
    const { capability } = matched.endpoint;
    if (!capability) return told;
    const wanted: Wanted = {
      capability,
      model: modelReference(question.model),
      other_models: [],
      pin: pinOf(headers.get("x-ag-pin")?.trim() || undefined),
      file_id: matched.item,
      holder: await findHolder(deps, { consumer, item: matched.item, body: { kind: "none" } }),
    };
    judgeAll(deps, consumer, wanted, { tail: matched.tail, search, headers, told });
  } catch (thrown) {
    const { status, code, message } = AppError.from(thrown);
    told.refusal = { status, code, message };
  }
  return told;
}

interface Asking {
  tail: string;
  search: string;
  headers: Headers;
  told: Explanation;
}

function judgeAll(deps: Deps, consumer: ConsumerView, wanted: Wanted, asking: Asking): void {
  const { told, tail, search, headers } = asking;
  const { capability, file_id } = wanted;
  const verdicts = consumer.registries.map((attached) => judge(attached, wanted));
  const candidates = verdicts.filter((verdict) => typeof verdict !== "string");
  const live = liveState(deps);
  // A copy of the turns: asking must not take one.
  const order = inOrder({ ...live, turns: structuredClone(live.turns) }, candidates, {
    consumer,
    capability,
    file_id,
    headers,
    random: deps.random,
  });
  told.order = order.map(({ registry }) => registry.id);
  told.registries = consumer.registries.map(({ registry }, index) => {
    const verdict = verdicts[index] ?? "unusable";
    if (typeof verdict === "string") return out(registry, verdict);
    if (!order.includes(verdict)) return out(registry, "unhealthy");
    const asked = { tail, model: verdict.model, search };
    const url = buildUrl(registry.provider, registry.upstream, asked, capability);
    const { id, name, provider } = registry;
    const model = verdict.model ?? null;
    return { id, name, provider: provider.kind, in: true, reason: null, message: null, model, url };
  });
  if (candidates.length === 0) {
    throw refusal(
      wanted,
      verdicts.filter((verdict) => typeof verdict === "string"),
    );
  }
}

function out({ id, name, provider }: RegistryView, reason: ExclusionReason) {
  const message = EXCLUSION_REASONS[reason];
  return { id, name, provider: provider.kind, in: false, reason, message, model: null, url: null };
}

function splitPath(text: string): { path: string; search: string } {
  const query = text.indexOf("?");
  return query < 0
    ? { path: text, search: "" }
    : { path: text.slice(0, query), search: text.slice(query) };
}

/** Header names are the administrator's text: one that is none is told, not thrown at them. */
function headersOf(given: Record<string, string>): Headers {
  try {
    return new Headers(given);
  } catch {
    throw new AppError("validation_failed", "headers: holds a name or value no header can have");
  }
}
