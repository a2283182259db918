/** Reads the models that a request names, from as little of the body as possible. The body stays unchanged. */
import { AppError } from "../../contract/errors.ts";
import {
  CAPABILITIES,
  type Capability,
  OBJECT_CAPABILITIES,
} from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { type MemberScan, parseMember, scanMembers } from "../../lib/json/scan-members.ts";
import { canReadAs, foldFieldNames } from "../../lib/text/fold-name.ts";
import { providers } from "../../providers/all.ts";
import { isForbiddenField } from "../body/is-forbidden-field.ts";
import { readFormBody, spoolFormBody, streamFormBody } from "../body/read-form-body.ts";
import { readJsonBody } from "../body/read-json-body.ts";
import { readsAttachments } from "../guard/reads-attachments.ts";
import { OBJECT_REFERENCES } from "../objects/find-object-reference.ts";
import { MAX_MODEL_CHARACTERS } from "../request-progress.ts";
import type { AuthenticatedRequest, ParsedRequest } from "../stages.ts";
import { findAdditionalModels } from "./find-additional-models.ts";
import { findBatchModels } from "./find-batch-models.ts";
import { limitsModels } from "./is-model-allowed.ts";
import { parseModelReference } from "./model-reference.ts";

export async function readModel(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  capability: Capability,
): Promise<ParsedRequest> {
  const pin = authenticated.request.headers.get("x-ag-pin")?.trim() || undefined;
  const base = {
    ...authenticated,
    capability,
    pin,
    model: parseModelReference(undefined),
    additional_models: [],
    batch_models: [],
  };
  const { request, endpoint, search } = authenticated;
  const hasBody = request.method === "POST" && endpoint.body !== "none";
  const isObject = OBJECT_CAPABILITIES.has(capability);
  if (search !== "") {
    if (hasBody && !isObject) rejectModelInQuery(search);
    rejectQueryFields(authenticated);
  }
  if (!hasBody) return { ...base, body: { kind: "none" } };
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new AppError("invalid_request", "Send the body without Content-Encoding.");
  }
  if (isForm(authenticated)) {
    if (isObject) {
      const isRead = readsAttachments(deps, authenticated.consumer);
      const body = isRead
        ? spoolFormBody(deps, authenticated)
        : streamFormBody(deps, authenticated);
      return { ...base, body: await body };
    }
    const { body, model } = await readFormBody(deps, authenticated);
    authenticated.progress.model_asked = model ?? null;
    return { ...base, body, model: parseModelReference(model) };
  }
  const members = scanJsonBody(await readJsonBody(deps, authenticated), capability);
  const model = authenticated.path_model ?? parseMember(members, "model");
  authenticated.progress.model_asked =
    typeof model === "string" ? model.slice(0, MAX_MODEL_CHARACTERS) : null;
  return { ...base, ...parseJsonRequest(authenticated, members, capability) };
}

/** Locates the members that routing needs, without parsing the rest. */
export function scanJsonBody(bytes: Uint8Array, capability: Capability): MemberScan<string> {
  const members = scanMembers(bytes, MEMBERS[capability]);
  if (!members.ok) throw new AppError("invalid_request", `The body is ${members.reason}.`);
  return members;
}

export function parseJsonRequest(
  { consumer, path_model }: Pick<AuthenticatedRequest, "consumer" | "path_model">,
  members: MemberScan<string>,
  capability: Capability,
): Pick<ParsedRequest, "body" | "model" | "additional_models" | "batch_models"> {
  if (path_model === undefined) rejectModelVariants(members);
  else rejectModelInBody(members);
  return {
    body: { kind: "json", members },
    model: parseModelReference(path_model ?? parseMember(members, "model")),
    ...(limitsModels(consumer) ? findModels(members, capability) : NO_MODELS),
  };
}

const NO_MODELS = { additional_models: [], batch_models: [] };

function findModels(members: MemberScan<string>, capability: Capability) {
  if (capability === "message_batches") return findBatchModels(members);
  return { additional_models: findAdditionalModels(members), batch_models: [] };
}

/** Rejects `Model` and `modelId`: an upstream that reads them would use a model that was not checked. */
function rejectModelVariants({ found, variants }: MemberScan<string>): void {
  const variant = ["model", "modelId"].find((name) => variants.has(name));
  if (variant === undefined && !found.has("modelId")) return;
  throw new AppError("invalid_model", "Name the model only in `model`, in lower case.", {
    details: { param: variant ?? "modelId" },
  });
}

function rejectModelInBody({ found, variants }: MemberScan<string>): void {
  const param = ["model", "modelId"].find((name) => found.has(name) || variants.has(name));
  if (param === undefined) return;
  throw new AppError("invalid_model", "Name the model only in the path.", { details: { param } });
}

function rejectModelInQuery(search: string): void {
  const names = listQueryNames(search);
  if (!names.some((name) => canReadAs(name, "model") || canReadAs(name, "modelid"))) return;
  throw new AppError("invalid_model", "Name the model in the body, not in the query string.", {
    details: { param: "model" },
  });
}

function rejectQueryFields({ search, consumer }: AuthenticatedRequest): void {
  const param = listQueryNames(search)
    .flatMap(foldFieldNames)
    .find((name) => isForbiddenField(consumer, name));
  if (param === undefined) return;
  throw new AppError("invalid_request", `Send ${param} in the body, not in the query string.`, {
    details: { param },
  });
}

const listQueryNames = (search: string): string[] => {
  const pairs = search.slice(1).split(/[&;]/);
  return [...new Set(pairs.map((pair) => pair.split("=", 1)[0] ?? ""))];
};

function isForm({ endpoint, request }: AuthenticatedRequest): boolean {
  if (endpoint.body !== "json_or_form") return endpoint.body === "form";
  return !request.headers.get("content-type")?.trim().toLowerCase().startsWith("application/json");
}

/** Members that refer to stored objects, or contain the requests of a batch. */
const OTHER_MEMBERS: Partial<Record<Capability, readonly string[]>> = {
  responses: OBJECT_REFERENCES,
  response_context: OBJECT_REFERENCES,
  message_batches: ["requests"],
};

/** Members to locate in a body: those that name the model or an object, and those that a provider's table uses. */
const MEMBERS = Object.fromEntries(
  CAPABILITIES.map((capability) => {
    const used = Object.values(providers).flatMap(
      (provider) => provider.operations[capability]?.members ?? [],
    );
    const others = OTHER_MEMBERS[capability] ?? [];
    return [capability, [...new Set(["model", "modelId", ...used, ...others])]];
  }),
) as Record<Capability, string[]>;
