/** Which registries of the consumer may answer, and in which order are they tried? (spec 4.7) */
import { AppError } from "../contract/errors.ts";
import type { ExclusionReason } from "../contract/explain.ts";
import type { Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import type { AttachedView, RegistryView } from "../snapshot/snapshot.ts";
import { allowsModel } from "./allowed-models.ts";
import { inOrder } from "./balance.ts";
import { liveState } from "./live-state.ts";
import { type ModelReference, providerName } from "./model-reference.ts";
import type { ModelRequest, RoutedRequest } from "./stages.ts";

export interface Candidate {
  registry: RegistryView;
  weight: number;
  /** The model to name upstream, when there is one. */
  model: string | undefined;
}

/** What a registry must be able to do for one request. */
export interface Wanted {
  capability: Capability;
  model: ModelReference;
  /** What the body names besides `model`: each must be allowed too. */
  other_models: readonly string[];
  pin: Pin | undefined;
  file_id: string | undefined;
  /** The registry that has the consumer's own files; undefined where the scope is shared or none is named. */
  holder: string | undefined;
}

export type Pin = { provider: string } | { registry: string };

/** Why a registry is out of the question, whatever its health. */
export type Out = Exclude<ExclusionReason, "unhealthy">;

export function chooseRegistries(
  deps: Deps,
  named: ModelRequest,
  capability: Capability,
  holder: string | undefined,
): RoutedRequest {
  const { model, other_models, item: file_id } = named;
  const wanted = { capability, model, other_models, pin: pinOf(named.pin), file_id, holder };
  const candidates: Candidate[] = [];
  const outs: Out[] = [];
  for (const attached of named.consumer.registries) {
    const verdict = judge(attached, wanted);
    if (typeof verdict === "string") outs.push(verdict);
    else candidates.push(verdict);
  }
  if (candidates.length === 0) throw refusal(wanted, outs);
  const { consumer, request } = named;
  const ordered = inOrder(liveState(deps), candidates, {
    consumer,
    capability,
    file_id,
    headers: request.headers,
    random: deps.random,
  });
  return { ...named, candidates: ordered };
}

/** X-AG-Pin: a registry's id or name, or `@provider`. */
export function pinOf(text: string | undefined): Pin | undefined {
  if (text === undefined) return undefined;
  if (!text.startsWith("@")) return { registry: text };
  const provider = providerName(text.slice(1));
  if (provider !== undefined) return { provider };
  throw new AppError("invalid_model", "X-AG-Pin is a registry's id or name, or @provider.", {
    details: { param: "X-AG-Pin" },
  });
}

/** One registry: what it would be sent, or why it is out. The pool is filtered first (spec 4.7.1). */
export function judge(attached: AttachedView, wanted: Wanted): Candidate | Out {
  const { registry, weight, models } = attached;
  if (!registry.enabled) return "disabled";
  if (registry.problem !== undefined) return "unusable";
  if (!isPinned(registry, wanted)) return "not_pinned";
  const operation = registry.provider.operations[wanted.capability];
  if (!operation || !registry.capabilities.has(wanted.capability)) return "capability";
  if (wanted.holder !== undefined && registry.id !== wanted.holder) return "file_elsewhere";
  // A model on a files call pins and does nothing else (spec 4.6).
  if (wanted.capability === "files") return { registry, weight, model: undefined };

  const model = modelFor(models.default, wanted.model);
  if (model === undefined) {
    if (models.allowed || wanted.model.kind === "auto") return "no_default";
    if (operation.modelInPath) return "needs_model";
  } else {
    if (!allowsModel(models, model)) return "model_not_allowed";
    if (!wanted.other_models.every((other) => allowsModel(models, other)))
      return "model_not_allowed";
    if (operation.modelInPath && UNFIT_FOR_PATH.test(model)) return "model_name";
  }
  return { registry, weight, model };
}

function isPinned(registry: RegistryView, { model, pin }: Wanted): boolean {
  if (model.kind === "pinned" && registry.provider.kind !== model.provider) return false;
  if (!pin) return true;
  if ("provider" in pin) return registry.provider.kind === pin.provider;
  return registry.id === pin.registry || registry.name === pin.registry;
}

function modelFor(fallback: string | undefined, asked: ModelReference): string | undefined {
  if (asked.kind === "named" || asked.kind === "pinned") return asked.model;
  return asked.kind === "opaque" ? undefined : fallback;
}

/** In a path these would reach another one, with the registry's own credential. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const UNFIT_FOR_PATH = /[/?#\\\u0000-\u001f\u007f]|\.\.|^\.$/;

const NOT_THE_MODEL: readonly Out[] = ["capability", "file_elsewhere"];

/** No registry is left: whose doing is it? */
export function refusal(wanted: Wanted, outs: readonly Out[]): AppError {
  const usable = outs.filter((out) => out !== "disabled" && out !== "unusable");
  const pinned = usable.filter((out) => out !== "not_pinned");
  const hasPin = wanted.model.kind === "pinned" || wanted.pin !== undefined;
  if (hasPin && usable.length > 0) {
    if (pinned.length === 0) {
      return new AppError("model_not_allowed", "This consumer has no registry that fits the pin.");
    }
    // spec 4.7.3: no failover away from a pin.
    if (pinned.every((out) => out === "capability")) {
      const text = `The pinned registry does not support this capability: ${wanted.capability}.`;
      return new AppError("invalid_request", text);
    }
  }
  const models = pinned.filter((out) => !NOT_THE_MODEL.includes(out));
  const details = { param: "model" };
  if (models.length === 0) {
    const text = `No backend available: no registry of this consumer can do ${wanted.capability}.`;
    return new AppError("no_backend_available", text);
  }
  if (models.every((out) => out === "needs_model")) {
    return new AppError("invalid_model", "This request must name a model.", { details });
  }
  if (models.every((out) => out === "model_name" || out === "needs_model")) {
    const text = "A model name must not hold a slash, `?`, `#`, `..` or control characters here.";
    return new AppError("invalid_model", text, { details });
  }
  const text = models.every((out) => out === "no_default")
    ? "No registry of this consumer has a default model: name one."
    : "This consumer may not use that model.";
  return new AppError("model_not_allowed", text, { details });
}
