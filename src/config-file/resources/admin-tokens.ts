/** Administrator tokens in a configuration file. */
import { AdminTokenInput, revokeToken } from "../../contract/tokens.ts";
import { adminTokenTable } from "../../db/tables/admin-tokens.ts";
import type { ConfigResource } from "../config-resource.ts";
import { hashedResource } from "../hashed-resource.ts";
import { loadNames, resolveName } from "../references.ts";
import { ConfigAdminToken } from "../schema.ts";

const tokens = hashedResource({
  noun: "token",
  list: "tokens",
  id: "token_id",
  schema: ConfigAdminToken,
  input: AdminTokenInput,
  table: adminTokenTable,
  revoke: revokeToken,
});

export const adminTokens: ConfigResource<ConfigAdminToken> = {
  ...tokens,
  async current(deps) {
    const slugs = await loadNames(deps, "gateway");
    return (await tokens.current(deps)).map(({ item: { gateway_ids, ...item }, ...stored }) => {
      // Deleted gateways are left out. An empty list limits the token to none; null is no limit.
      const gateways = gateway_ids?.flatMap((id) => slugs.get(id) ?? []) ?? null;
      return { ...stored, item: { ...item, gateways } };
    });
  },
  async save(context, parent, { gateways, ...item }, id) {
    const ids = gateways?.map((slug, index) =>
      resolveName(context.deps, "gateway", slug, `gateways[${index}]`),
    );
    const gateway_ids = ids ? await Promise.all(ids) : null;
    return await tokens.save(context, parent, { ...item, gateway_ids }, id);
  },
};
