/** Holds back a tool that is not what it was when it was accepted: a server must not swap it unseen. */
import { pinnedToolTable, pinsOf, pinTool } from "../../db/pinned-tools.ts";
import { type Author, recordChange } from "../../db/record-change.ts";
import type { McpRegistryRow } from "../../db/registries.ts";
import type { Deps } from "../../deps.ts";
import type { Tool } from "./tool-definition.ts";

/** Names of the tools that an administrator must accept first. One that was never seen is pinned as it is. */
export async function pinTools(
  deps: Deps,
  instance: McpRegistryRow,
  tools: readonly Tool[],
): Promise<ReadonlySet<string>> {
  const pins = new Map((await pinsOf(deps.db, instance.id)).map((pin) => [pin.name, pin]));
  const settled = ({ definition, hash }: Tool) => {
    const pin = pins.get(definition.name);
    return pin?.hash === hash ? pin.held_hash === null : pin?.held_hash === hash;
  };
  const fresh = tools.filter((tool) => !settled(tool));
  if (fresh.length > 0) {
    await deps.db.transaction(async (db) => {
      for (const tool of fresh) {
        const pin = pins.get(tool.definition.name);
        if (!pin) await pinOne({ ...deps, db }, instance, tool);
        else if (pin.hash !== tool.hash) await hold({ ...deps, db }, instance, pin.id, tool);
        else {
          // It is again what was accepted.
          await pinnedToolTable.update(db, pin.id, { held_hash: null, held_definition: null });
        }
      }
    });
  }
  const changed = ({ definition: { name }, hash }: Tool) => (pins.get(name)?.hash ?? hash) !== hash;
  return new Set(tools.filter(changed).map(({ definition }) => definition.name));
}

/** Who speaks in the audit log when nobody called. */
const DISCOVERY = "tool discovery";

async function pinOne(deps: Deps, { id }: McpRegistryRow, tool: Tool): Promise<void> {
  const at = deps.now().toISOString();
  const { definition, hash } = tool;
  await pinTool(deps.db, {
    id: deps.newId(),
    instance_id: id,
    name: definition.name,
    hash,
    definition,
    held_hash: null,
    held_definition: null,
    accepted_by: DISCOVERY,
    accepted_at: at,
    seen_at: at,
  });
}

async function hold(
  deps: Deps,
  { id: instance_id, gateway_id, name: instance }: McpRegistryRow,
  id: string,
  { definition, hash }: Tool,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  const held = { held_hash: hash, held_definition: definition, seen_at };
  await pinnedToolTable.update(deps.db, id, held);
  const author: Author = {
    actor: { id: null, name: DISCOVERY },
    request_id: deps.newId(),
    trace_id: deps.newId(),
  };
  const { name } = definition;
  await recordChange(deps, author, {
    resource: "pinned_tool",
    verb: "hold",
    id,
    gateway_id,
    before: null,
    after: { instance_id, name, definition },
  });
  deps.log("tool_held_back", { level: "warn", gateway_id, instance_id, instance, tool: name });
}
