/** Holds back new and changed tools of a known server until an administrator accepts them. */

import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import {
  listPins,
  markToolsListed,
  NEVER_ACCEPTED,
  type PinnedToolRow,
  pinnedToolTable,
  pinTool,
  type ToolPin,
  wereToolsListed,
} from "../../db/tables/pinned-tools.ts";
import { type McpRegistryRow, registryTable } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import type { UpstreamTool } from "./tool-definition.ts";

/** Reason for which a tool is held back. */
export type HoldReason = "new" | "changed";

/** Caps the new tools of one server that wait for acceptance, so that it cannot fill the table. */
const MAX_WAITING = 200;

/**
 * Returns the names of the tools that an administrator must accept first. The tools of the first list are
 * accepted automatically, because the administrator accepted them by adding the server.
 */
export async function pinTools(
  deps: Deps,
  instance: McpRegistryRow,
  tools: readonly UpstreamTool[],
): Promise<ReadonlyMap<string, HoldReason>> {
  const known = await readPins(deps, instance);
  const isComplete =
    tools.every((tool) => isRecorded(known.get(tool.definition.name), tool)) &&
    (known.size > 0 || (await wereToolsListed(deps.db, instance.id)));
  const pins = isComplete ? known : await recordTools(deps, instance, tools);
  const held = new Map<string, HoldReason>();
  for (const { definition, hash } of tools) {
    const accepted = pins.get(definition.name)?.hash ?? NEVER_ACCEPTED;
    if (accepted === NEVER_ACCEPTED) held.set(definition.name, "new");
    else if (accepted !== hash) held.set(definition.name, "changed");
  }
  return held;
}

async function readPins(deps: Deps, { id }: McpRegistryRow): Promise<Map<string, ToolPin>> {
  return new Map((await listPins(deps.db, id)).map((pin) => [pin.name, pin]));
}

const isRecorded = (pin: ToolPin | undefined, { hash }: UpstreamTool): boolean =>
  pin?.hash === hash ? pin.held_hash === null : pin?.held_hash === hash;

function recordTools(
  outer: Deps,
  instance: McpRegistryRow,
  tools: readonly UpstreamTool[],
): Promise<Map<string, ToolPin>> {
  return outer.db.transaction(async (db) => {
    const deps = { ...outer, db };
    // Serializes discoveries by other nodes and principals: only one of them is the first.
    await registryTable.lock(db, { id: instance.id });
    const pins = await readPins(deps, instance);
    for (const tool of tools) {
      const pin = pins.get(tool.definition.name);
      if (!pin || isRecorded(pin, tool)) continue;
      if (pin.hash !== tool.hash) await holdChangedTool(deps, instance, pin, tool);
      else {
        // Reverted to the accepted definition.
        await pinnedToolTable.update(db, pin.id, { held_hash: null, held_definition: null });
      }
    }
    const added = tools.filter(({ definition }) => !pins.has(definition.name));
    // The first list may have been empty. Lists before this was recorded have pins.
    const isFirst = (await markToolsListed(db, instance.id)) && pins.size === 0;
    if (!isFirst) await holdNewTools(deps, instance, added, { tools, pins });
    else for (const tool of added) await pinTool(db, toPinRow(deps, instance, tool));
    return await readPins(deps, instance);
  });
}

/**
 * When too many tools wait, those that the server no longer lists are replaced. Replacements are not recorded,
 * because a server that invents names would fill the audit log, which is never swept.
 */
async function holdNewTools(
  deps: Deps,
  instance: McpRegistryRow,
  added: readonly UpstreamTool[],
  { tools, pins }: { tools: readonly UpstreamTool[]; pins: ReadonlyMap<string, ToolPin> },
): Promise<void> {
  const waiting = [...pins.values()].filter(({ hash }) => hash === NEVER_ACCEPTED);
  const room = Math.max(0, MAX_WAITING - waiting.length);
  const listed = new Set(tools.map(({ definition }) => definition.name));
  const replaced = waiting
    .filter(({ name }) => !listed.has(name))
    .slice(0, Math.max(0, added.length - room));
  for (const { id } of replaced) await pinnedToolTable.remove(deps.db, { id });
  for (const [index, tool] of added.slice(0, room + replaced.length).entries()) {
    const row = toPinRow(deps, instance, tool);
    const { hash, definition } = row;
    const accepted = { hash: NEVER_ACCEPTED, definition: {}, accepted_by: "" };
    await pinTool(deps.db, { ...row, ...accepted, held_hash: hash, held_definition: definition });
    if (index < room) await recordHeldTool(deps, instance, row.id, tool);
  }
}

/** Actor in the audit log for changes that no person made. */
const DISCOVERY = "tool discovery";

function toPinRow(
  deps: Deps,
  instance: McpRegistryRow,
  { definition, hash }: UpstreamTool,
): PinnedToolRow {
  const at = deps.now().toISOString();
  return {
    id: deps.newId(),
    instance_id: instance.id,
    name: definition.name,
    hash,
    definition,
    held_hash: null,
    held_definition: null,
    accepted_by: DISCOVERY,
    accepted_at: at,
    seen_at: at,
  };
}

/** Records a change once per acceptance, so that a server which changes a tool on every list cannot fill the audit log. */
async function holdChangedTool(
  deps: Deps,
  instance: McpRegistryRow,
  pin: ToolPin,
  tool: UpstreamTool,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  const held = { held_hash: tool.hash, held_definition: tool.definition, seen_at };
  await pinnedToolTable.update(deps.db, pin.id, held);
  const recorded = pin.hash === NEVER_ACCEPTED || pin.seen_at > pin.accepted_at;
  if (!recorded) await recordHeldTool(deps, instance, pin.id, tool);
}

async function recordHeldTool(
  deps: Deps,
  { id: instance_id, gateway_id, name: instance }: McpRegistryRow,
  id: string,
  { definition }: UpstreamTool,
): Promise<void> {
  const author: AuditAuthor = {
    actor: { id: null, name: DISCOVERY },
    request_id: deps.newId(),
    trace_id: deps.newId(),
  };
  const { name } = definition;
  await recordChange(deps, author, {
    resource: "pinned_tool",
    verb: "hold",
    id,
    name: `${name} of ${instance}`,
    gateway_id,
    before: null,
    after: { instance_id, name, definition },
  });
  deps.log("tool_held_back", { level: "warn", gateway_id, instance_id, instance, tool: name });
}
