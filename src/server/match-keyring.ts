/** Compares this node's encryption keys with the database, read-only: creates no key file and changes no file mode. */
import { existsSync, readFileSync } from "node:fs";
import type { Db } from "../db/db.ts";
import { installationFact } from "../db/tables/installation.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import type { Settings } from "../settings.ts";
import { keyFile, opensKeyCheck, parseKeys } from "./keyring.ts";

/** Returns undefined when there is no key file yet. */
export function readKeyring(settings: Settings): Keyring | undefined {
  if (settings.PORTCULLIS_KEYS !== undefined) {
    return parseKeys(settings.PORTCULLIS_KEYS.split(","), "PORTCULLIS_KEYS");
  }
  const file = keyFile(settings);
  return existsSync(file) ? parseKeys(readFileSync(file, "utf8").split("\n"), file) : undefined;
}

export async function matchKeyring(
  settings: Settings,
  db: Db,
): Promise<"fit" | "unused" | "missing" | "wrong"> {
  const check = await installationFact(db, "key_check");
  if (check === undefined) return "unused";
  const keyring = readKeyring(settings);
  if (!keyring) return "missing";
  return opensKeyCheck(keyring, check) ? "fit" : "wrong";
}
