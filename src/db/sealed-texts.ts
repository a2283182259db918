/** Where stored secrets stand, and how to go through all of them. */
import type { Db } from "./db.ts";

/** Every column that holds sealed texts, alone or inside JSON. The tests' kit finds one that is missing. */
export const SEALED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  installation: ["value"],
  registries: ["provider_options", "auth"],
  idempotent_replies: ["reply"],
  detectors: ["settings"],
  policy_versions: ["document"],
  pseudonyms: ["original"],
  approval_contents: ["content"],
  store_installs: ["config"],
  store_credentials: ["access_token", "refresh_token"],
  oauth_clients: ["client_secret"],
  oauth_flows: ["code_verifier"],
};

/** As lib/seal.ts writes them: mark, key id, base64url. None of it needs escaping in JSON. */
const SEALED = /sealed:v1:[\w-]+:[\w-]+/g;

export interface SealedText {
  table: string;
  id: string;
  text: string;
}

export async function sealedTexts(db: Db): Promise<SealedText[]> {
  const found: SealedText[] = [];
  await eachCell(db, async ({ table, id, value }) => {
    for (const [text] of value.matchAll(SEALED)) found.push({ table, id, text });
  });
  return found;
}

/** Replaces every sealed text by what `change` makes of it. Inside a transaction, please. */
export async function rewriteSealed(db: Db, change: (sealed: string) => string): Promise<void> {
  await eachCell(db, async ({ table, column, id, value }) => {
    const next = value.replace(SEALED, change);
    if (next === value) return;
    await db.run(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, next, id);
  });
}

interface Cell {
  table: string;
  column: string;
  id: string;
  value: string;
}

async function eachCell(db: Db, visit: (cell: Cell) => Promise<void>): Promise<void> {
  for (const [table, columns] of Object.entries(SEALED_COLUMNS)) {
    for (const column of columns) {
      const rows = await db.many<{ id: string; value: string }>(
        `SELECT id, ${column} AS value FROM ${table} WHERE ${column} LIKE '%sealed:v1:%'`,
      );
      for (const { id, value } of rows) await visit({ table, column, id, value });
    }
  }
}
