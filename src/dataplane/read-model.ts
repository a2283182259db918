/** What model does the request name? Reads as much of the body as that takes, and changes none of it. */
import { AppError } from "../contract/errors.ts";
import { CAPABILITIES, type Capability } from "../contract/registries.ts";
import type { Deps } from "../deps.ts";
import { memberValue } from "../lib/json-members.ts";
import { providers } from "../providers/all.ts";
import { modelReference } from "./model-reference.ts";
import { passForm, readForm } from "./read-form.ts";
import { readJson } from "./read-json.ts";
import type { Known, Named } from "./stages.ts";

export async function readModel(deps: Deps, known: Known, capability: Capability): Promise<Named> {
  const pin = known.request.headers.get("x-ag-pin")?.trim() || undefined;
  if (known.request.method !== "POST") {
    return { ...known, pin, body: { kind: "none" }, model: modelReference(undefined) };
  }
  const encoding = known.request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new AppError("invalid_request", "Send the body without Content-Encoding.");
  }
  if (isForm(known)) {
    if (capability === "files") {
      const body = passForm(deps, known);
      return { ...known, pin, body, model: modelReference(undefined) };
    }
    const { body, model } = await readForm(deps, known);
    known.run.model_asked = model ?? null;
    return { ...known, pin, body, model: modelReference(model) };
  }
  const members = await readJson(deps, known, MEMBERS[capability]);
  const model = memberValue(members, "model");
  known.run.model_asked = typeof model === "string" ? model.slice(0, 256) : null;
  if (members.found.has("modelId")) {
    throw new AppError("invalid_model", "Name the model in `model`, not in `modelId`.", {
      details: { param: "modelId" },
    });
  }
  return { ...known, pin, body: { kind: "json", members }, model: modelReference(model) };
}

function isForm({ endpoint, request }: Known): boolean {
  if (endpoint.body !== "json_or_form") return endpoint.body === "form";
  return !request.headers.get("content-type")?.trim().toLowerCase().startsWith("application/json");
}

/** What is looked for in a body: the model, and what any provider's table asks to see. */
const MEMBERS = Object.fromEntries(
  CAPABILITIES.map((capability) => {
    const asked = Object.values(providers).flatMap(
      (provider) => provider.operations[capability]?.members ?? [],
    );
    return [capability, [...new Set(["model", "modelId", ...asked])]];
  }),
) as Record<Capability, string[]>;
