/** Operations on registries: validates options per kind, and encrypts credentials. */
import { X509Certificate } from "node:crypto";
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { usesMachineIdentity } from "../contract/gateway/cloud-auth.ts";
import {
  KIND_OPTIONS,
  KINDS,
  KINDS_WITHOUT_KEY,
  listAuthTypes,
  listRegistryKinds,
  REGISTRY_SECRETS,
  type Registry,
  RegistryAuth,
  type RegistryInput,
  registries,
} from "../contract/gateway/registries.ts";
import { recordChange } from "../db/record-change.ts";
import { isLlm, type RegistryRow, registryTable } from "../db/tables/registries.ts";
import { storeInstallTable } from "../db/tables/store-installs.ts";
import type { Deps } from "../deps.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import { classifyHost } from "../net/address-guard.ts";
import { checkUrl } from "../net/check-url.ts";
import { providers } from "../providers/all.ts";
import { listCapabilities } from "../providers/provider.ts";
import { type Route, route } from "../route.ts";
import { checkLlmAuth, withoutOtherAuth } from "./check-llm-auth.ts";
import { checkMcpRegistry } from "./mcp-registries.ts";
import { refuseSecretInterception, refuseSecretTheft } from "./refuse-secret-theft.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";
import { keepsStoredSecret, maskSecrets, registrySecrets, sealSecrets } from "./seal-secrets.ts";

const definition: ResourceDefinition<RegistryRow, RegistryInput, Registry> = {
  table: registryTable,
  id: "registry_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: (deps, row) => ({
    ...maskSecrets(deps.keyring(), registrySecrets(row.id), row),
    capabilities: row.capabilities ?? (isLlm(row) ? listCapabilities(providers[row.provider]) : []),
  }),
  defaultsOnUpdate: ({ capabilities }) => ({ capabilities }),
  reach: (row) => {
    // Equal secrets have equal sealed texts.
    const hide = (sealed: string, path: string) => (ADDRESS_SECRETS.has(path) ? sealed : "");
    const { allow_private, provider_options, auth } = mapSecrets(row, REGISTRY_SECRETS, hide);
    const { allowed_tools: _, tool_aliases: __, ...addressed } = provider_options;
    const machine_identity = usesMachineIdentity(auth);
    return { allow_private, machine_identity, target: [addressed, auth] };
  },
  async checkRemovable(deps, row, call) {
    const { force } = call.query as { force?: boolean };
    const installs = force ? [] : await storeInstallTable.all(deps.db, { instance_id: row.id });
    if (installs.length === 0) return;
    throw new AppError(
      "has_dependents",
      `${installs.length} installs use this instance. Add ?force=true to remove them as well.`,
    );
  },
  async recordCascade(deps, row, call) {
    for (const install of await storeInstallTable.all(deps.db, { instance_id: row.id })) {
      const { config: _, ...before } = install;
      const { id, gateway_id } = before;
      const change = { resource: "store_install", verb: "delete", id, gateway_id } as const;
      await recordChange(deps, call, { ...change, before, after: null });
    }
  },
  async toColumns(deps, input, { id, gateway_id = "" }, before) {
    if (before && before.type !== input.type) {
      throw new AppError("validation_failed", "type: cannot be changed. Create another registry.");
    }
    return input.type === "mcp"
      ? await checkMcpRegistry(deps, { id, gateway_id }, input, before)
      : checkLlmRegistry(deps, id, input, before);
  },
};

export const registryRoutes: Route[] = [
  ...resourceRoutes(registries, definition),
  route(listRegistryKinds, () => ({
    items: KINDS.map((kind) => ({
      kind,
      capabilities: listCapabilities(providers[kind]),
      needs_key: !KINDS_WITHOUT_KEY.includes(kind),
      auth_types: listAuthTypes(kind).map((type) => ({
        type,
        schema: authSchemas.get(type) ?? {},
      })),
      options_schema: z.toJSONSchema(KIND_OPTIONS[kind], { io: "input" }),
    })),
  })),
];

const PROXY = "provider_options.proxy_url";
/** Secrets that determine where requests are sent: the JSON of a Google identity contains its token endpoint. */
const ADDRESS_SECRETS: ReadonlySet<string> = new Set([PROXY, "auth.credentials"]);

function checkEgress(options: object, allow_private: boolean): void {
  if ("ca_bundle" in options) checkCertificates(String(options.ca_bundle));
  const text = "proxy_url" in options ? String(options.proxy_url) : "";
  if (allow_private || keepsStoredSecret(text)) return;
  if (classifyHost(new URL(text).hostname) !== "refused") return;
  throw new AppError(
    "validation_failed",
    `${PROXY}: is not a public address; set allow_private to true to use it, or set EGRESS_PROXY`,
  );
}

function checkCertificates(pem: string): void {
  try {
    new X509Certificate(pem);
  } catch {
    const text = "provider_options.ca_bundle: must be certificates in PEM format";
    throw new AppError("validation_failed", text);
  }
}

const authSchemas = new Map(
  RegistryAuth.options.map((option) => [
    option.shape.type.value,
    z.toJSONSchema(option, { io: "input" }),
  ]),
);

/** Validates the registry by its kind, and returns it with secrets sealed. */
export function checkLlmRegistry(
  deps: Deps,
  id: string,
  input: RegistryInput,
  before?: RegistryRow,
): RegistryInput {
  const { provider } = input;
  if (provider === "mcp") {
    throw new AppError("validation_failed", `provider: must be one of ${KINDS.join(", ")}`);
  }
  if (before && before.provider !== provider) {
    // The stored credential must not be sent to another provider.
    throw new AppError(
      "validation_failed",
      "provider: cannot be changed. Create another registry.",
    );
  }
  const shape = z.object({ provider_options: KIND_OPTIONS[provider] });
  const { provider_options } = decode(shape, { provider_options: input.provider_options });
  for (const name of ["base_url", "endpoint"]) {
    const at = `provider_options.${name}`;
    const text = (provider_options as Record<string, unknown>)[name];
    if (typeof text === "string") checkUrl(text, at, input.allow_private);
    refuseSecretTheft({ ...input, provider_options }, before, at);
  }
  refuseSecretInterception(deps, { ...input, provider_options }, before);
  checkEgress(provider_options, input.allow_private);
  const supported = listCapabilities(providers[provider]);
  const unsupported =
    input.capabilities?.findIndex((capability) => !supported.includes(capability)) ?? -1;
  if (unsupported >= 0) {
    throw new AppError(
      "validation_failed",
      `capabilities[${unsupported}]: must be one of ${supported.join(", ")} for ${provider}`,
    );
  }
  const kept = withoutOtherAuth(input, before);
  checkLlmAuth(provider, input, kept);
  return sealSecrets(deps.keyring(), registrySecrets(id), { ...input, provider_options }, kept);
}
