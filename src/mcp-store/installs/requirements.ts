/** Computes what a principal must still provide before an install can be used. */

import type { Install } from "../../contract/store/installs.ts";
import { PRINCIPAL_KEY, type ServerField } from "../../contract/store/mcp-registries.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { readCredentialState } from "../vault/credential-state.ts";

export type Requirements = Pick<Install, "requires_auth" | "requires_config" | "fields">;

export function listInstanceFields({ auth, provider_options }: McpRegistryRow): ServerField[] {
  if (auth?.type !== "principal_key") return provider_options.fields;
  const key: ServerField = {
    key: PRINCIPAL_KEY,
    label: "Key",
    description: `Sent as ${auth.header}.`,
    required: true,
    secret: true,
    in: "header",
    choices: [],
  };
  return [key, ...provider_options.fields];
}

/** Returns whether a sign-in may use the value of a field. An undefined sign-in, an administrator's, may use any. */
export function mayUseValue(
  { filled_by }: Pick<StoreInstallRow, "filled_by">,
  field: string,
  sign_in: string | undefined,
): boolean {
  const owner = Object.hasOwn(filled_by, field) ? filled_by[field] : undefined;
  return owner === undefined || sign_in === undefined || owner === sign_in;
}

/** `sign_in` is the principal's; undefined for an administrator: values of every sign-in count. */
export async function readRequirements(
  deps: Deps,
  install: Pick<StoreInstallRow, "id" | "gateway_id" | "principal_sub" | "config" | "filled_by">,
  instance: McpRegistryRow,
  sign_in: string | undefined,
): Promise<Requirements> {
  const keyring = deps.keyring();
  const context = sealContextOf("store_installs.config", install.id);
  const fields = listInstanceFields(instance).map((field) => {
    const sealed = install.config[field.key];
    // A value that cannot be decrypted must be entered again.
    const value = sealed === undefined ? undefined : unseal(keyring, context, sealed);
    return { ...field, filled: value !== undefined && mayUseValue(install, field.key, sign_in) };
  });
  return {
    fields,
    requires_config: fields.some(({ required, filled }) => required && !filled),
    requires_auth: instance.auth?.type === "forwarded" && !(await isConnected()),
  };

  async function isConnected(): Promise<boolean> {
    const { gateway_id, principal_sub } = install;
    const owner = sign_in === undefined ? {} : { sign_in };
    const where = { gateway_id, principal_sub, instance_id: instance.id, ...owner };
    const row = await storeCredentialTable.find(deps.db, where);
    return readCredentialState(keyring, row, deps.now()) === "usable";
  }
}
