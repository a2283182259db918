/** The Store of each gateway as a configuration file of this installation would have it now. */

import { pickInput } from "../admin/pick-input.ts";
import type { ConfigGateway } from "../contract/config-file.ts";
import { namedRule } from "../contract/config-store.ts";
import { AccessRuleInput } from "../contract/store-access.ts";
import { IssuerInput } from "../contract/store-principals.ts";
import { accessRuleTable } from "../db/access-rules.ts";
import { catalogEntryTable } from "../db/catalog-entries.ts";
import type { Db } from "../db/db.ts";
import { issuerTable } from "../db/issuers.ts";

type Store = Required<Pick<ConfigGateway, "catalog" | "access_rules" | "issuers">>;

/** By the id of the gateway. */
export async function currentStores(db: Db): Promise<(gateway_id: string) => Store> {
  const entriesOf = Map.groupBy(await catalogEntryTable.all(db), ({ gateway_id }) => gateway_id);
  const rulesOf = Map.groupBy(await accessRuleTable.all(db), ({ gateway_id }) => gateway_id);
  const issuersOf = Map.groupBy(await issuerTable.all(db), ({ gateway_id }) => gateway_id);

  return (gateway_id) => ({
    catalog: (entriesOf.get(gateway_id) ?? []).map(({ entry }) => entry),
    access_rules: (rulesOf.get(gateway_id) ?? []).map((rule) =>
      namedRule(pickInput(AccessRuleInput, rule)),
    ),
    issuers: (issuersOf.get(gateway_id) ?? []).map((issuer) => pickInput(IssuerInput, issuer)),
  });
}
