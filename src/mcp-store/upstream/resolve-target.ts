/** Resolves the URL, headers and credential of a call to an instance. */
import { AppError } from "../../contract/errors.ts";
import { PRINCIPAL_KEY } from "../../contract/store/mcp-registries.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import { type McpRegistryRow, registrySecret } from "../../db/tables/registries.ts";
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { fillTemplate } from "../../lib/http/url-parts.ts";
import { listInstanceFields, mayUseValue } from "../installs/requirements.ts";
import { isForwarded } from "../vault/forwarded-instance.ts";
import type { Vault } from "../vault/vault.ts";
import type { InstanceUse } from "./upstreams.ts";

export interface CallTarget {
  instance: McpRegistryRow;
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** Identifies server and account; calls with the same key share a session. */
  key: string;
  /** The token in `headers`, to request another one if it is rejected. */
  token: string | undefined;
}

/** Requirements that the principal must fulfill first: values, or an account. */
export type MissingInput = "config" | "auth";

/** `rejected` is a token that the upstream rejected. */
export async function resolveTarget(
  deps: Deps,
  vault: Vault,
  { instance, install, sign_in }: InstanceUse,
  rejected?: string,
): Promise<CallTarget | MissingInput> {
  const values = openValues(deps, install, sign_in);
  const fields = listInstanceFields(instance);
  if (fields.some(({ key, required }) => required && !values.has(key))) return "config";

  const headers = openSharedHeaders(deps, instance);
  const url = fillUrl(instance, values);
  for (const { key, in: location } of instance.provider_options.fields) {
    const value = values.get(key);
    if (location === "header" && value !== undefined) headers[key.toLowerCase()] = value;
  }
  const { auth } = instance;
  let token: string | undefined;
  if (auth?.type === "principal_key") {
    const key = values.get(PRINCIPAL_KEY) ?? "";
    headers[auth.header.toLowerCase()] = auth.scheme ? `${auth.scheme} ${key}` : key;
  }
  if (auth?.type === "client_credentials")
    token = await vault.getClientToken(instance, auth, rejected);
  if (isForwarded(instance)) {
    if (install && sign_in !== undefined) {
      token = await vault.getAccessToken(instance, { ...install, sign_in }, rejected);
    }
    if (token === undefined) return "auth";
  }
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  const isPersonal = requiresPrincipal(instance) || fields.length > 0;
  const owner = isPersonal ? [install?.principal_sub, sign_in] : [];
  return {
    instance,
    url,
    headers,
    token,
    key: JSON.stringify([instance.id, instance.version, owner, url]),
  };
}

/** Returns whether an instance requires an account or a value of each principal. */
export const requiresPrincipal = (instance: McpRegistryRow): boolean =>
  isForwarded(instance) || listInstanceFields(instance).some(({ required }) => required);

/** Returns the decrypted values that a sign-in may use. A value that cannot be decrypted counts as missing. */
export function openValues(
  deps: Deps,
  install: Pick<StoreInstallRow, "id" | "config" | "filled_by"> | undefined,
  sign_in: string | undefined,
): Map<string, string> {
  const values = new Map<string, string>();
  if (!install) return values;
  const context = sealContextOf("store_installs.config", install.id);
  for (const [key, sealed] of Object.entries(install.config)) {
    if (!mayUseValue(install, key, sign_in)) continue;
    const value = unseal(deps.keyring(), context, sealed);
    if (value !== undefined) values.set(key, value);
  }
  return values;
}

export function fillUrl(
  { provider_options }: McpRegistryRow,
  values: ReadonlyMap<string, string>,
): string {
  const { url: template, fields } = provider_options;
  // Most addresses are the same for all principals and need no parsing.
  if (!template.includes("{") && fields.length === 0) return template;
  const url = new URL(fillTemplate(template, (name) => toPathValue(values.get(name))));
  for (const { key, in: location } of fields) {
    const value = values.get(key);
    if (location === "query" && value !== undefined) url.searchParams.set(key, value);
  }
  return url.href;
}

/** Removes `.` and `..`, which percent-encoding does not escape. */
const toPathValue = (value = ""): string => (/^\.{1,2}$/.test(value) ? "" : value);

function openSharedHeaders(deps: Deps, { id, provider_options, auth }: McpRegistryRow) {
  const sealed = new Map<string, [path: string, text: string]>();
  for (const [name, text] of Object.entries(provider_options.headers)) {
    sealed.set(name, [`provider_options.headers.${name}`, text]);
  }
  if (auth?.type === "header") sealed.set(auth.header, ["auth.value", auth.value]);
  const headers: Record<string, string> = {};
  for (const [name, [path, text]] of sealed) {
    const value = unseal(deps.keyring(), registrySecret(id, path), text);
    if (value === undefined) {
      const message = `The secret of the header ${name} cannot be decrypted: set it again.`;
      throw new AppError("upstream_failed", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
