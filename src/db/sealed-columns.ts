/** Lists the columns with sealed values, and reads or rewrites all of them. */
import type { SealContext } from "../lib/crypto/seal.ts";
import type { Db } from "./db.ts";

/** Every column with sealed values, alone or inside JSON. The test kit detects a missing one. */
export const SEALED_COLUMNS = [
  "installation.value",
  "registries.provider_options",
  "registries.auth",
  "idempotent_replies.reply",
  "detectors.settings",
  "policy_versions.document",
  "pseudonyms.original",
  "approval_contents.content",
  "store_installs.config",
  "store_credentials.access_token",
  "store_credentials.refresh_token",
  "oauth_clients.client_secret",
  "oauth_registrations.client_secret",
  "oauth_flows.code_verifier",
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];

/** Returns the encryption context of one column of the row `id`. */
export const sealContextOf = (
  // A policy version contains copies of detector settings, sealed in the context of the detector.
  column: Exclude<SealedColumn, "policy_versions.document">,
  id: string,
): SealContext => ({ purpose: column, id });

/** Format of `seal()`: prefix, key id, base64url. No character needs escaping in JSON. */
const SEALED = /sealed:v[12]:[\w-]+:[\w-]+/g;

export interface SealedText {
  table: string;
  /** Id of the row. */
  id: string;
  text: string;
  context: SealContext;
}

export async function listSealedTexts(db: Db): Promise<SealedText[]> {
  const found: SealedText[] = [];
  await eachCell(db, async ({ table, id }, rewrite) => {
    rewrite((text, context) => {
      found.push({ table, id, text, context });
      return text;
    });
  });
  return found;
}

type Change = (sealed: string, context: SealContext) => string;

/** Replaces every sealed text by what `change` returns for it. Call inside a transaction. */
export async function rewriteSealed(db: Db, change: Change): Promise<void> {
  await eachCell(db, async ({ table, name, id, value }, rewrite) => {
    const next = rewrite(change);
    if (next === value) return;
    await db.run(`UPDATE ${table} SET ${name} = $1 WHERE id = $2`, next, id);
  });
}

interface Cell {
  table: string;
  name: string;
  id: string;
  value: string;
}

const CELLS_AT_ONCE = 500;

async function eachCell(
  db: Db,
  visit: (cell: Cell, rewrite: (change: Change) => string) => Promise<void>,
): Promise<void> {
  for (const column of SEALED_COLUMNS) {
    const [table = "", name = ""] = column.split(".");
    for (let after = ""; ; ) {
      const rows = await db.many<{ id: string; value: string }>(
        `SELECT id, ${name} AS value FROM ${table} WHERE ${name} LIKE '%sealed:v_:%' AND id > $1
         ORDER BY id LIMIT ${CELLS_AT_ONCE}`,
        after,
      );
      for (const { id, value } of rows) {
        const rewrite = (change: Change) =>
          column === "policy_versions.document"
            ? inDocument(value, change)
            : inText(value, sealContextOf(column, id), change);
        await visit({ table, name, id, value }, rewrite);
      }
      const last = rows.at(-1);
      if (!last || rows.length < CELLS_AT_ONCE) break;
      after = last.id;
    }
  }
}

const inText = (value: string, context: SealContext, change: Change): string =>
  value.replace(SEALED, (sealed) => change(sealed, context));

function inDocument(value: string, change: Change): string {
  // A stored PolicyDocument.
  const document: { detectors: Record<string, unknown> } = JSON.parse(value);
  const detectors = Object.entries(document.detectors).map(([id, detector]) => {
    const context = sealContextOf("detectors.settings", id);
    return [id, JSON.parse(inText(JSON.stringify(detector), context, change))];
  });
  return JSON.stringify({ ...document, detectors: Object.fromEntries(detectors) });
}
