/** Lists tools that are held back, and accepts one with its current definition. */
import { AppError } from "../../contract/errors.ts";
import { acceptToolChange, listToolChanges, type ToolChange } from "../../contract/store/tools.ts";
import { recordChange } from "../../db/record-change.ts";
import {
  heldToolIds,
  NEVER_ACCEPTED,
  type PinnedToolRow,
  pinnedToolTable,
} from "../../db/tables/pinned-tools.ts";
import { type RegistryRow, registryTable } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { diffMembers } from "../../lib/json/diff-values.ts";
import { type Route, route } from "../../route.ts";
import { findGateway } from "../access/principal-access.ts";

export const toolChangeRoutes: Route[] = [
  route(listToolChanges, async (deps, { params, query }) => {
    const { gateway_id } = params;
    await findGateway(deps, gateway_id);
    const page = { after: query.cursor ?? "", limit: query.limit + 1 };
    const ids = await heldToolIds(deps.db, gateway_id, page);
    const items: ToolChange[] = [];
    for (const id of ids.slice(0, query.limit)) items.push(await findChange(deps, gateway_id, id));
    const more = ids.length > query.limit;
    return { items, next_cursor: more ? (items.at(-1)?.id ?? null) : null };
  }),
  route(acceptToolChange, async (deps, call) => {
    const { gateway_id, tool_change_id } = call.params;
    const change = await findChange(deps, gateway_id, tool_change_id);
    const row = await pinnedToolTable.lock(deps.db, { id: change.id });
    if (!row?.held_hash || !row.held_definition) throw changeNotFound(change.id);
    // Otherwise a server could change the tool again while an administrator reviews it.
    const { hash = row.held_hash } = call.query;
    if (hash !== row.held_hash) {
      const text = "hash: the tool has changed since it was listed. Review its current definition.";
      throw new AppError("conflict", text);
    }
    await pinnedToolTable.update(deps.db, row.id, {
      hash: row.held_hash,
      definition: row.held_definition,
      held_hash: null,
      held_definition: null,
      accepted_by: call.actor.name,
      accepted_at: deps.now().toISOString(),
    });
    await recordChange(deps, call, {
      resource: "pinned_tool",
      verb: "approve",
      id: row.id,
      name: `${row.name} of ${change.instance_name}`,
      gateway_id,
      before: readAcceptance(row).accepted,
      after: row.held_definition,
    });
    return undefined;
  }),
];

const changeNotFound = (id: string): AppError =>
  new AppError("not_found", `No held-back tool has the id ${id}. List the changes again.`);

async function findChange(deps: Deps, gateway_id: string, id: string): Promise<ToolChange> {
  const row = await pinnedToolTable.find(deps.db, { id });
  const where = { id: row?.instance_id ?? "", gateway_id };
  const instance = row && (await registryTable.find(deps.db, where));
  if (!instance || !row.held_definition || !row.held_hash) throw changeNotFound(id);
  return toToolChange(instance, row, { now: row.held_definition, hash: row.held_hash });
}

function toToolChange(
  instance: RegistryRow,
  row: PinnedToolRow,
  { now, hash }: Pick<ToolChange, "now" | "hash">,
): ToolChange {
  const { id, name, seen_at } = row;
  const accepted = readAcceptance(row);
  return {
    id,
    instance_id: instance.id,
    instance_name: instance.name,
    tool: name,
    ...accepted,
    now,
    hash,
    differs: diffMembers(accepted.accepted ?? {}, now).map((change) => change.name),
    seen_at,
  };
}

function readAcceptance(
  row: PinnedToolRow,
): Pick<ToolChange, "accepted" | "accepted_by" | "accepted_at"> {
  if (row.hash === NEVER_ACCEPTED) return { accepted: null, accepted_by: null, accepted_at: null };
  const { definition, accepted_by, accepted_at } = row;
  return { accepted: definition, accepted_by, accepted_at };
}
