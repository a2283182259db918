/** Saves the values that an instance requires of each principal, sealed. They are never returned. */
import { AppError } from "../../contract/errors.ts";
import { SecretText } from "../../contract/shapes.ts";
import type { ServerField } from "../../contract/store/mcp-registries.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import { oauthFlowTable } from "../../db/tables/oauth-flows.ts";
import { isMcp, registryTable } from "../../db/tables/registries.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { seal } from "../../lib/crypto/seal.ts";
import { isHeaderValue } from "../../net/http/write-header-block.ts";
import { endApprovals } from "./end-approvals.ts";
import { listInstanceFields } from "./requirements.ts";
import { toAuditedInstall } from "./save-install.ts";

/** null clears a value, and an omitted value is unchanged. `sign_in` is the principal's; undefined: an administrator sets the values. */
export async function configureInstall(
  deps: Deps,
  author: AuditAuthor,
  install: StoreInstallRow,
  values: Record<string, string | null>,
  sign_in?: string,
): Promise<StoreInstallRow> {
  const instance = await registryTable.find(deps.db, { id: install.instance_id });
  const fields = instance && isMcp(instance) ? listInstanceFields(instance) : [];
  if (sign_in === undefined) {
    await refuseOtherAddress(deps, install, fields, values);
    // The account that a flow ends with was requested for the address of before.
    const { gateway_id, principal_sub, instance_id } = install;
    await oauthFlowTable.remove(deps.db, { gateway_id, principal_sub, instance_id });
  }
  const context = sealContextOf("store_installs.config", install.id);
  const config = { ...install.config };
  const filled_by = { ...install.filled_by };
  for (const [key, value] of Object.entries(values)) {
    checkValue(fields, key, value);
    if (sign_in === undefined || value === null) delete filled_by[key];
    else filled_by[key] = sign_in;
    if (value === null) delete config[key];
    else config[key] = seal(deps.keyring(), context, value);
  }
  const next = { ...install, config, filled_by };
  await storeInstallTable.update(deps.db, install.id, { config, filled_by });
  await endApprovals(deps, install);
  await recordChange(deps, author, {
    resource: "store_install",
    verb: "update",
    id: install.id,
    gateway_id: install.gateway_id,
    before: toAuditedInstall(install),
    after: toAuditedInstall(next),
  });
  return next;
}

/** Rejects a part of the address by an administrator if the principal's own account or values are sent there. */
async function refuseOtherAddress(
  deps: Deps,
  { gateway_id, principal_sub, instance_id, filled_by }: StoreInstallRow,
  fields: readonly ServerField[],
  values: Record<string, string | null>,
): Promise<void> {
  const isPart = ({ key, in: location }: ServerField) =>
    location !== "header" && typeof values[key] === "string";
  const part = fields.find(isPart);
  if (!part) return;
  const account = { gateway_id, principal_sub, instance_id };
  const isUsed =
    Object.keys(filled_by).length > 0 || (await storeCredentialTable.find(deps.db, account));
  if (!isUsed) return;
  throw new AppError(
    "has_dependents",
    `values.${part.key}: ${principal_sub} has connected an account or filled in values for this address, and must change it.`,
  );
}

function checkValue(fields: readonly ServerField[], key: string, value: string | null): void {
  const field = fields.find((one) => one.key === key);
  const at = `values.${key}`;
  if (!field) {
    const known = fields.map((one) => one.key).join(", ") || "none";
    throw new AppError(
      "validation_failed",
      `${at}: unknown field. Fields of this server: ${known}`,
    );
  }
  if (value === null) return;
  // The schema of the endpoint does not decode values from the HTML form of a principal.
  const { error } = SecretText.safeParse(value);
  if (error) throw new AppError("validation_failed", `${at}: ${error.issues[0]?.message}`);
  if (field.in === "header" && !isHeaderValue(value)) {
    throw new AppError(
      "validation_failed",
      `${at}: is sent as a header, which cannot contain some of its characters`,
    );
  }
  if (field.choices.length > 0 && !field.choices.includes(value)) {
    throw new AppError("validation_failed", `${at}: must be one of ${field.choices.join(", ")}`);
  }
}
