/** The Store's part of a configuration file: saved and removed by the names that the file uses. */

import { perform } from "../admin/perform.ts";
import type { ConfigAccessRule } from "../contract/config-store.ts";
import { accessRules } from "../contract/store-access.ts";
import {
  type CatalogEntryInput,
  createCatalogEntry,
  deleteCatalogEntry,
  updateCatalogEntry,
} from "../contract/store-catalog.ts";
import { type IssuerInput, issuers } from "../contract/store-principals.ts";
import { accessRuleTable } from "../db/access-rules.ts";
import { findCatalogEntry } from "../db/catalog-entries.ts";
import { issuerTable } from "../db/issuers.ts";
import type { Deps } from "../deps.ts";
import type { Run } from "./draft-plan.ts";
import { found, gatewayAt } from "./find-by-name.ts";

export function saveCatalogEntry(gateway: string, entry: CatalogEntryInput): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const { code, ...body } = entry;
    return (await findCatalogEntry(deps.db, params.gateway_id, code))
      ? await perform(deps, actor, updateCatalogEntry, { params: { ...params, code }, body })
      : await perform(deps, actor, createCatalogEntry, { params, body: entry });
  };
}

export function removeCatalogEntry(gateway: string, code: string): Run {
  return async (deps, actor) => {
    const params = { ...(await gatewayAt(deps, gateway)), code };
    return await perform(deps, actor, deleteCatalogEntry, { params });
  };
}

export function saveAccessRule(gateway: string, { name: _, ...body }: ConfigAccessRule): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const known = await findRule(deps, params.gateway_id, body);
    return known
      ? await perform(deps, actor, accessRules.update, {
          params: { ...params, access_rule_id: known.id },
          body,
        })
      : await perform(deps, actor, accessRules.create, { params, body });
  };
}

export function removeAccessRule(gateway: string, rule: ConfigAccessRule): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const { id } = found(await findRule(deps, params.gateway_id, rule), "access rule");
    return await perform(deps, actor, accessRules.remove, {
      params: { ...params, access_rule_id: id },
    });
  };
}

export function saveIssuer(gateway: string, body: IssuerInput): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const known = await issuerTable.find(deps.db, { ...params, name: body.name });
    return known
      ? await perform(deps, actor, issuers.update, {
          params: { ...params, issuer_id: known.id },
          body,
        })
      : await perform(deps, actor, issuers.create, { params, body });
  };
}

export function removeIssuer(gateway: string, name: string): Run {
  return async (deps, actor) => {
    const params = await gatewayAt(deps, gateway);
    const { id } = found(await issuerTable.find(deps.db, { ...params, name }), "issuer");
    return await perform(deps, actor, issuers.remove, { params: { ...params, issuer_id: id } });
  };
}

async function findRule(
  deps: Deps,
  gateway_id: string,
  { subject_type, subject, target_type, target }: Omit<ConfigAccessRule, "name" | "level">,
) {
  const where = { gateway_id, subject_type, subject, target_type, target };
  return await accessRuleTable.find(deps.db, where);
}
