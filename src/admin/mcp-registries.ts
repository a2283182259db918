/** MCP registries: what is checked before an instance of a Store server is saved. */
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { HttpUrlWithQuery } from "../contract/http-shapes.ts";
import { findFieldError, McpOptions, PRINCIPAL_KEY } from "../contract/mcp-registries.ts";
import type { RegistryInput } from "../contract/registries.ts";
import { type CatalogEntry, listPrincipalFields } from "../contract/store-catalog.ts";
import { findCatalogEntry } from "../db/catalog-entries.ts";
import { oauthServerTable } from "../db/oauth-servers.ts";
import { mcpRegistries, type RegistryRow, type StoredMcpOptions } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import { fillTemplate, listOriginNames, listTemplateNames } from "../lib/http/url-parts.ts";
import { checkUrl } from "../net/check-url.ts";
import {
  isRetargeted,
  refusePrincipalSecretTheft,
  refuseSecretTheft,
} from "./refuse-secret-theft.ts";
import { registrySecrets, sealSecrets } from "./seal-secrets.ts";

/** What the catalog says fills in what was left out; secrets come back sealed. */
export async function checkMcpRegistry(
  deps: Deps,
  place: { id: string; gateway_id: string },
  input: RegistryInput,
  before?: RegistryRow,
): Promise<RegistryInput> {
  if (input.provider !== "mcp") refuse("provider: leave it out for an MCP server");
  if (input.capabilities) refuse("capabilities: an MCP server has none");
  const shape = z.object({ provider_options: McpOptions });
  const { provider_options } = decode(shape, { provider_options: input.provider_options });
  if (before && before.provider_options.code !== provider_options.code) {
    refuse("provider_options.code: cannot be changed; create another instance");
  }
  const entry = await entryOf(deps, place.gateway_id, provider_options.code, before);
  const url = provider_options.url ?? entry?.url;
  if (url === undefined) throw invalid("provider_options.url: say where the server answers");
  const fields = provider_options.fields ?? (entry ? listPrincipalFields(entry) : []);
  const options: StoredMcpOptions = { ...provider_options, url, fields };
  const next: RegistryInput = { ...input, provider_options: { ...options } };

  checkFields(options);
  checkUrl(filledIn(url), "provider_options.url", input.allow_private);
  refuseSecretTheft(next, before, "provider_options.url");
  await refusePrincipalSecretTheft(deps, next, before, "provider_options.url");
  if (before && isRetargeted(next, before, "provider_options.url")) {
    // No account is connected, and the secret was sent again: the next sign-in binds the new host's server.
    await oauthServerTable.remove(deps.db, { instance_id: before.id });
  }
  // A secret that was given to sign in one way must not go where another way sends it.
  const kept =
    before?.auth?.type === input.auth?.type ? before : before && { ...before, auth: null };
  checkAuth(next, entry, kept);
  checkCredential(next, options, entry);
  await refuseSameName(deps, place, input.name);
  return sealSecrets(deps.keyring(), registrySecrets(place.id), next, kept);
}

async function entryOf(
  deps: Deps,
  gateway_id: string,
  code: string | null,
  before: RegistryRow | undefined,
): Promise<CatalogEntry | undefined> {
  if (code === null) return undefined;
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  // An instance whose server left the catalog can still be changed, if only to switch it off.
  if (!entry && !before) refuse("provider_options.code: the catalog has no such server");
  return entry;
}

const filledIn = (url: string): string => fillTemplate(url, () => "x");

/** Only a path or query is filled in by principals: a host of their choice would get our secrets. */
function checkFields({ url, fields }: StoredMcpOptions): void {
  const trouble = findFieldError(fields);
  if (trouble) refuse(`provider_options.${trouble}`);
  const shape = z.object({ url: HttpUrlWithQuery });
  decode(z.object({ provider_options: shape }), { provider_options: { url: filledIn(url) } });
  const inPath = new Set(fields.filter((field) => field.in === "path").map(({ key }) => key));
  const names = listTemplateNames(url);
  const inOrigin = listOriginNames(url);
  const open = names.find((name) => !inPath.has(name) || inOrigin.includes(name));
  if (open !== undefined) refuse(`provider_options.url: write the value of {${open}} in its place`);
  const idle = [...inPath].find((key) => !names.includes(key));
  if (idle !== undefined) refuse(`provider_options.fields: {${idle}} is not in the url`);
}

function checkAuth(
  input: RegistryInput,
  entry: CatalogEntry | undefined,
  before: RegistryRow | undefined,
): void {
  const { auth } = input;
  if (auth?.type === "api_key") {
    refuse("auth.type: must be header, forwarded, client_credentials or principal_key");
  }
  const { fields = [] } = input.provider_options as Partial<StoredMcpOptions>;
  if (auth?.type === "principal_key" && fields.some(({ key }) => key === PRINCIPAL_KEY)) {
    refuse(`provider_options.fields: ${PRINCIPAL_KEY} is the key that auth asks for already`);
  }
  // A secret belongs to the client it was issued to, and the client to one authorization server.
  if (before?.auth) refuseSecretTheft(input, before, "auth.client_id");
  if (auth?.type !== "client_credentials") return;
  checkUrl(auth.token_url, "auth.token_url", input.allow_private);
  if (before?.auth) refuseSecretTheft(input, before, "auth.token_url");
  const known = entry?.auth.type === "oauth" ? entry.auth.token_url : null;
  // The secret of a known server must not go to a token endpoint that is not that server's.
  if (known !== null && known !== auth.token_url) refuse(`auth.token_url: is ${known} there`);
}

/** Saved must not look like usable: a server that asks for a credential gets one, here or from principals. */
function checkCredential(
  { auth }: RegistryInput,
  { headers, fields }: StoredMcpOptions,
  entry: CatalogEntry | undefined,
): void {
  if (auth || Object.keys(headers).length > 0 || fields.some(({ secret }) => secret)) return;
  const asks = entry?.auth.type;
  if (asks === "oauth") {
    refuse("auth: this server asks for OAuth; use forwarded or client_credentials");
  }
  if (asks === "key") refuse("auth: this server asks for a key; use header or principal_key");
}

/** People choose an instance by its name: two that differ in case look the same. */
async function refuseSameName(
  deps: Deps,
  { id, gateway_id }: { id: string; gateway_id: string },
  name: string,
): Promise<void> {
  const taken = (await mcpRegistries(deps.db, gateway_id)).some(
    (other) => other.id !== id && other.name.toLowerCase() === name.toLowerCase(),
  );
  if (taken) throw new AppError("already_exists", "name: another MCP server has this name.");
}

const invalid = (message: string): AppError => new AppError("validation_failed", message);

function refuse(message: string): never {
  throw invalid(message);
}
