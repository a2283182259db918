/** The pinned_tools table: each tool as it was accepted, and the new or changed one that is held back. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface PinnedToolRow {
  id: string;
  instance_id: string;
  /** As listed by the server. */
  name: string;
  /** Hash of name, description and schemas; NEVER_ACCEPTED for a new tool that is held back. */
  hash: string;
  definition: Record<string, unknown>;
  /** null: the server lists the accepted definition. */
  held_hash: string | null;
  held_definition: Record<string, unknown> | null;
  accepted_by: string;
  accepted_at: string;
  /** When the definition that is held back was first listed; later than `accepted_at` once one was. */
  seen_at: string;
}

/** In `hash`: no version of this tool has been accepted yet. No hash is equal to it. */
export const NEVER_ACCEPTED = "";

export const pinnedToolTable = table<PinnedToolRow>({
  name: "pinned_tools",
  columns: {
    id: "text",
    instance_id: "text",
    name: "text",
    hash: "text",
    definition: "json",
    held_hash: "text",
    held_definition: "json",
    accepted_by: "text",
    accepted_at: "text",
    seen_at: "text",
  },
  search: ["name"],
  sort: ["name", "seen_at"],
});

export interface ToolPin {
  id: string;
  name: string;
  hash: string;
  held_hash: string | null;
  accepted_at: string;
  seen_at: string;
}

/** Returns pins without the definitions, which are long. */
export async function listPins(db: Db, instance_id: string): Promise<ToolPin[]> {
  return await db.many<ToolPin>(
    "SELECT id, name, hash, held_hash, accepted_at, seen_at FROM pinned_tools WHERE instance_id = $1",
    instance_id,
  );
}

/** Returns whether a list of tools was recorded for the server, even an empty one. */
export async function wereToolsListed(db: Db, instance_id: string): Promise<boolean> {
  const sql = "SELECT id FROM registries WHERE id = $1 AND tools_listed";
  return (await db.one(sql, instance_id)) !== undefined;
}

/** Records that the server has listed its tools. Returns false if that was recorded before. */
export async function markToolsListed(db: Db, instance_id: string): Promise<boolean> {
  const sql = "UPDATE registries SET tools_listed = TRUE WHERE id = $1 AND NOT tools_listed";
  return (await db.run(sql, instance_id)) > 0;
}

/** Inserts a pin unless another node has inserted it already. */
export async function pinTool(db: Db, row: PinnedToolRow): Promise<void> {
  await db.run(
    `INSERT INTO pinned_tools (id, instance_id, name, hash, definition, held_hash, held_definition,
       accepted_by, accepted_at, seen_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (instance_id, name) DO NOTHING`,
    row.id,
    row.instance_id,
    row.name,
    row.hash,
    JSON.stringify(row.definition),
    row.held_hash,
    row.held_definition && JSON.stringify(row.held_definition),
    row.accepted_by,
    row.accepted_at,
    row.seen_at,
  );
}

/** Returns the ids of held-back tools in a gateway, after `after`. */
export async function heldToolIds(
  db: Db,
  gateway_id: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    `SELECT p.id FROM pinned_tools p JOIN registries r ON r.id = p.instance_id
     WHERE r.gateway_id = $1 AND p.held_hash IS NOT NULL AND p.id > $2
     ORDER BY p.id LIMIT $3`,
    gateway_id,
    after,
    limit,
  );
  return rows.map(({ id }) => id);
}
