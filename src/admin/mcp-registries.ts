/** Checks an MCP registry, usually an instance of a Store server, before it is saved. */
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import type { RegistryInput } from "../contract/gateway/registries.ts";
import { HttpUrlWithQuery } from "../contract/http-shapes.ts";
import { type CatalogEntry, listPrincipalFields } from "../contract/store/catalog.ts";
import {
  findFieldError,
  McpAuth,
  McpOptions,
  PRINCIPAL_KEY,
} from "../contract/store/mcp-registries.ts";
import { findCatalogEntry } from "../db/tables/catalog-entries.ts";
import { oauthFlowTable } from "../db/tables/oauth-flows.ts";
import { insertOwnClient } from "../db/tables/oauth-registrations.ts";
import { oauthServerTable } from "../db/tables/oauth-servers.ts";
import { mcpRegistries, type RegistryRow, type StoredMcpOptions } from "../db/tables/registries.ts";
import type { Deps } from "../deps.ts";
import { fillTemplate, listOriginNames, listTemplateNames } from "../lib/http/url-parts.ts";
import { checkUrl } from "../net/check-url.ts";
import { withoutOtherAuth } from "./check-llm-auth.ts";
import {
  isRetargeted,
  refusePrincipalSecretTheft,
  refuseSecretTheft,
} from "./refuse-secret-theft.ts";
import { registrySecrets, sealSecrets } from "./seal-secrets.ts";

/** Returns the registry with address and fields of the catalog filled in, and secrets sealed. */
export async function checkMcpRegistry(
  deps: Deps,
  ids: { id: string; gateway_id: string },
  input: RegistryInput,
  before?: RegistryRow,
): Promise<RegistryInput> {
  if (input.provider !== "mcp") refuse("provider: must be left out for an MCP server");
  if (input.capabilities) refuse("capabilities: must be left out for an MCP server");
  const shape = z.object({ provider_options: McpOptions });
  const { provider_options } = decode(shape, { provider_options: input.provider_options });
  if (before && before.provider_options.code !== provider_options.code) {
    refuse("provider_options.code: cannot be changed. Create another instance.");
  }
  const entry = await findEntry(deps, ids.gateway_id, provider_options.code, before);
  const url = provider_options.url ?? entry?.url;
  if (url === undefined)
    throw invalid("provider_options.url: is required, because the registry has no catalog entry");
  const fields = provider_options.fields ?? (entry ? listPrincipalFields(entry) : []);
  const options: StoredMcpOptions = { ...provider_options, url, fields };
  const next: RegistryInput = { ...input, provider_options: { ...options } };

  checkFields(options);
  checkUrl(fillWithSample(url), "provider_options.url", input.allow_private);
  refuseSecretTheft(next, before, "provider_options.url");
  await refusePrincipalSecretTheft(deps, next, before, "provider_options.url");
  if (before && isRetargeted(next, before, "provider_options.url")) {
    // No account is connected and the secret was sent again, so the next sign-in binds the server of the new host.
    await oauthServerTable.remove(deps.db, { instance_id: before.id });
  }
  if (before && hasOtherAddress(next, before)) {
    // The account that a flow ends with was requested for the address of before.
    await oauthFlowTable.remove(deps.db, { instance_id: before.id });
  }
  const kept = withoutOtherAuth(input, before);
  checkAuth(next, entry, kept);
  checkCredential(next, options, entry);
  await refuseSameName(deps, ids, input.name);
  if (before) {
    await refuseUnconfirmedServer(deps, next, before, entry);
    await bindToAdvertisedServer(deps, next, before);
  }
  return sealSecrets(deps.keyring(), registrySecrets(ids.id), next, kept);
}

const hasOtherAddress = (next: RegistryInput, before: RegistryRow): boolean =>
  ["url", "fields"].some(
    (name) => !Bun.deepEquals(next.provider_options[name], before.provider_options[name]),
  );

/** Rejects the first secret of a client if it would be sent to a server that values of a principal determined. */
async function refuseUnconfirmedServer(
  deps: Deps,
  { auth }: RegistryInput,
  { id: instance_id, auth: authBefore, provider_options }: RegistryRow,
  entry: CatalogEntry | undefined,
): Promise<void> {
  const { fields = [] } = provider_options as Partial<StoredMcpOptions>;
  if (auth?.type !== "forwarded" || auth.client_secret === null) return;
  if (fields.every((field) => field.in === "header")) return;
  const isKnown =
    authBefore?.type === "forwarded" &&
    authBefore.client_secret !== null &&
    authBefore.client_id === auth.client_id;
  if (isKnown) return;
  const current = await oauthServerTable.find(deps.db, { instance_id, state: "current" });
  if (!current || current.confirmed_by !== null) return;
  if (entry?.auth.type === "oauth" && entry.auth.token_url === current.metadata.token_endpoint)
    return;
  throw new AppError(
    "conflict",
    `auth.client_secret: values of a principal determined the authorization server ${current.issuer}. Set auth.authorize_url and auth.token_url in the catalog entry first, or create another instance.`,
  );
}

/** Another client that is set while a change of the authorization server waits belongs to that change. */
async function bindToAdvertisedServer(
  deps: Deps,
  { auth }: RegistryInput,
  { id: instance_id, auth: authBefore }: RegistryRow,
): Promise<void> {
  if (auth?.type !== "forwarded" || auth.client_id === null) return;
  if (authBefore?.type === "forwarded" && authBefore.client_id === auth.client_id) return;
  const advertised = await oauthServerTable.find(deps.db, { instance_id, state: "advertised" });
  if (advertised) await insertOwnClient(deps, advertised.id, auth.client_id);
}

async function findEntry(
  deps: Deps,
  gateway_id: string,
  code: string | null,
  before: RegistryRow | undefined,
): Promise<CatalogEntry | undefined> {
  if (code === null) return undefined;
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  // An instance of a deleted catalog entry can still be changed, for example disabled.
  if (!entry && !before) refuse(`provider_options.code: unknown Store server "${code}"`);
  return entry;
}

const fillWithSample = (url: string): string => fillTemplate(url, () => "x");

/** Rejects fields in the host: a principal could send the stored secrets to a host of their choice. */
function checkFields({ url, fields }: StoredMcpOptions): void {
  const fieldError = findFieldError(fields);
  if (fieldError) refuse(`provider_options.${fieldError}`);
  const shape = z.object({ url: HttpUrlWithQuery });
  decode(z.object({ provider_options: shape }), { provider_options: { url: fillWithSample(url) } });
  const inPath = new Set(fields.filter((field) => field.in === "path").map(({ key }) => key));
  const names = listTemplateNames(url);
  const inOrigin = listOriginNames(url);
  const open = names.find((name) => !inPath.has(name) || inOrigin.includes(name));
  if (open !== undefined) refuse(`provider_options.url: {${open}} must be replaced by its value`);
  const unused = [...inPath].find((key) => !names.includes(key));
  if (unused !== undefined) refuse(`provider_options.fields: {${unused}} is not in the url`);
}

const MCP_AUTH_TYPES: ReadonlySet<string> = new Set(
  McpAuth.options.map(({ shape }) => shape.type.value),
);

function checkAuth(
  input: RegistryInput,
  entry: CatalogEntry | undefined,
  before: RegistryRow | undefined,
): void {
  const { auth } = input;
  if (auth && !MCP_AUTH_TYPES.has(auth.type)) {
    refuse("auth.type: must be header, forwarded, client_credentials or principal_key");
  }
  const { fields = [] } = input.provider_options as Partial<StoredMcpOptions>;
  if (auth?.type === "principal_key" && fields.some(({ key }) => key === PRINCIPAL_KEY)) {
    refuse(`provider_options.fields: must not contain ${PRINCIPAL_KEY}, which auth adds`);
  }
  // A secret belongs to one client, and the client to one authorization server.
  if (before?.auth) refuseSecretTheft(input, before, "auth.client_id");
  if (auth?.type !== "client_credentials") return;
  checkUrl(auth.token_url, "auth.token_url", input.allow_private);
  if (before?.auth) refuseSecretTheft(input, before, "auth.token_url");
  const known = entry?.auth.type === "oauth" ? entry.auth.token_url : null;
  // The secret must be sent only to the token endpoint of its server.
  if (known !== null && known !== auth.token_url)
    refuse(`auth.token_url: must be ${known}, as in the catalog`);
}

/** Rejects an instance without a credential if its server requires one. */
function checkCredential(
  { auth }: RegistryInput,
  { headers, fields }: StoredMcpOptions,
  entry: CatalogEntry | undefined,
): void {
  if (auth || Object.keys(headers).length > 0 || fields.some(({ secret }) => secret)) return;
  const required = entry?.auth.type;
  if (required === "oauth") {
    refuse("auth: must be forwarded or client_credentials, because this server requires OAuth");
  }
  if (required === "key") {
    refuse("auth: must be header or principal_key, because this server requires a key");
  }
}

/** Rejects a name that differs from another only in case, because users choose instances by name. */
async function refuseSameName(
  deps: Deps,
  { id, gateway_id }: { id: string; gateway_id: string },
  name: string,
): Promise<void> {
  const taken = (await mcpRegistries(deps.db, gateway_id)).some(
    (other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase(),
  );
  if (taken)
    throw new AppError(
      "already_exists",
      `name: must be unique in this gateway; "${name}" is taken.`,
    );
}

const invalid = (message: string): AppError => new AppError("validation_failed", message);

function refuse(message: string): never {
  throw invalid(message);
}
