/** Lists the known principals of a gateway and their groups. */
import { listGroups, listPrincipals } from "../../contract/store/principals.ts";
import { countGroups, principalTable } from "../../db/tables/principals.ts";
import { type Route, route } from "../../route.ts";
import { findGateway } from "../access/principal-access.ts";

const MAX_GROUPS = 500;

export const principalRoutes: Route[] = [
  route(listPrincipals, async (deps, { params: { gateway_id }, query }) => {
    await findGateway(deps, gateway_id);
    return await principalTable.page(deps.db, { gateway_id }, query);
  }),
  route(listGroups, async (deps, { params: { gateway_id }, query: { q = "" } }) => {
    await findGateway(deps, gateway_id);
    const text = q.toLowerCase();
    const counts = await countGroups(deps.db, gateway_id);
    const items = Array.from(counts, ([name, people]) => ({ name, people }))
      .filter(({ name }) => name.toLowerCase().includes(text))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return { items: items.slice(0, MAX_GROUPS) };
  }),
];
