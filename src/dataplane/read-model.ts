/** Reads the models that a request names. Reads as much of the body as that takes, and changes none of it. */
import { AppError } from "../contract/errors.ts";
import { CAPABILITIES, type Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import { type MemberScan, parseMember } from "../lib/json/scan-members.ts";
import { canReadAs } from "../lib/text/fold-name.ts";
import { providers } from "../providers/all.ts";
import { modelReference } from "./model-reference.ts";
import { MODEL_SELECTORS, otherModels } from "./other-models.ts";
import { passForm, readForm } from "./read-form.ts";
import { readJson } from "./read-json.ts";
import type { AuthenticatedRequest, ModelRequest } from "./stages.ts";

export async function readModel(
  deps: Deps,
  known: AuthenticatedRequest,
  capability: Capability,
): Promise<ModelRequest> {
  const pin = known.request.headers.get("x-ag-pin")?.trim() || undefined;
  const named = { ...known, pin, model: modelReference(undefined), other_models: [] };
  if (known.request.method !== "POST") return { ...named, body: { kind: "none" } };
  const encoding = known.request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new AppError("invalid_request", "Send the body without Content-Encoding.");
  }
  if (capability !== "files") checkQuery(known.search);
  if (isForm(known)) {
    if (capability === "files") return { ...named, body: passForm(deps, known) };
    const { body, model } = await readForm(deps, known);
    known.run.model_asked = model ?? null;
    return { ...named, body, model: modelReference(model) };
  }
  const members = await readJson(deps, known, MEMBERS[capability]);
  const model = parseMember(members, "model");
  known.run.model_asked = typeof model === "string" ? model.slice(0, 256) : null;
  checkSpelling(members);
  const limited = known.consumer.registries.some(({ models }) => models.allowed);
  return {
    ...named,
    body: { kind: "json", members },
    model: modelReference(model),
    other_models: limited && capability !== "files" ? otherModels(members) : [],
  };
}

/** Rejects `Model` and `modelId`: an upstream that reads them would use a model that was not checked. */
function checkSpelling({ found, variants }: MemberScan<string>): void {
  const other = ["model", "modelId"].find((name) => variants.has(name));
  if (other === undefined && !found.has("modelId")) return;
  throw new AppError("invalid_model", "Name the model in `model`, in lower case, and only there.", {
    details: { param: other ?? "modelId" },
  });
}

function checkQuery(search: string): void {
  if (search === "") return;
  const names = search
    .slice(1)
    .split(/[&;]/)
    .map((pair) => pair.split("=", 1)[0] ?? "");
  if (!names.some((name) => canReadAs(name, "model") || canReadAs(name, "modelid"))) return;
  throw new AppError("invalid_model", "Name the model in the body, not in the query string.", {
    details: { param: "model" },
  });
}

function isForm({ endpoint, request }: AuthenticatedRequest): boolean {
  if (endpoint.body !== "json_or_form") return endpoint.body === "form";
  return !request.headers.get("content-type")?.trim().toLowerCase().startsWith("application/json");
}

/** The members to find in a body: those that select a model, and those that a provider's table uses. */
const MEMBERS = Object.fromEntries(
  CAPABILITIES.map((capability) => {
    const asked = Object.values(providers).flatMap(
      (provider) => provider.operations[capability]?.members ?? [],
    );
    return [capability, [...new Set(["model", "modelId", ...MODEL_SELECTORS, ...asked])]];
  }),
) as Record<Capability, string[]>;
