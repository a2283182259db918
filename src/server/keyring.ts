/** Reads the encryption keys of stored secrets from the setting, or from a file that is created on first use. */
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AppError } from "../contract/errors.ts";
import type { Db } from "../db/db.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import { installationFact, setInstallationFact } from "../db/tables/installation.ts";
import { isSealedV1, type Keyring, seal, unseal, unsealV1 } from "../lib/crypto/seal.ts";
import type { Settings } from "../settings.ts";
import { upgradeSecrets } from "./upgrade-secrets.ts";

export const keyFile = (settings: Settings): string => join(settings.PORTCULLIS_DATA_DIR, "keys");

/** The key file during a first start, before the database contains its check. */
export const firstKeyFile = (settings: Settings): string => `${keyFile(settings)}.first`;

/** Reads the keys, and reads them again when the file changes: a rotation needs no restart. */
export function openKeyring(settings: Settings): () => Keyring {
  if (settings.PORTCULLIS_KEYS !== undefined) {
    const fixed = parseKeys(settings.PORTCULLIS_KEYS.split(","), "PORTCULLIS_KEYS");
    return () => fixed;
  }
  const file = keyFile(settings);
  const first = firstKeyFile(settings);
  if (!existsSync(file)) createKeyFile(first);
  const given = existsSync(file) ? file : first;
  let [readAt, keyring] = [modifiedAt(given), readKeyFile(given)];
  return () => {
    try {
      const changed = modifiedAt(file);
      if (changed !== readAt) [readAt, keyring] = [changed, readKeyFile(file)];
    } catch {
      // Partly copied, or missing: the current keys stay in use until the file is complete.
    }
    return keyring;
  };
}

/** Renames the key file of a first start to its final name, after the database is written. */
export function confirmKeyFile(settings: Settings): void {
  if (settings.PORTCULLIS_KEYS !== undefined || existsSync(keyFile(settings))) return;
  try {
    renameSync(firstKeyFile(settings), keyFile(settings));
  } catch (thrown) {
    // Another node that is starting renamed it first.
    if (!existsSync(keyFile(settings))) throw thrown;
  }
}

/** Prepends a key, which encrypts from now on. The old keys stay: they decrypt older secrets. */
export function addKey(file: string): string {
  const old = readFileSync(file, "utf8");
  const line = newKeyLine();
  const part = `${file}.new`;
  writeFileSync(part, `${line}\n${old}`, { mode: 0o600 });
  renameSync(part, file);
  return line.slice(0, line.indexOf(":"));
}

const CHECK = sealContextOf("installation.value", "key_check");
const CHECK_TEXT = "portcullis";

export const opensKeyCheck = (keyring: Keyring, check: string): boolean =>
  (unseal(keyring, CHECK, check) ?? unsealV1(keyring, check)) === CHECK_TEXT;

/**
 * Rejects keys that do not match the database, before this node writes secrets that no other node can read; then
 * upgrades secrets of an older release.
 */
export async function checkKeyring(db: Db, keyring: Keyring): Promise<void> {
  const known = await rejectOtherKeys(db, keyring);
  if (known === undefined) {
    await setInstallationFact(db, "key_check", seal(keyring, CHECK, CHECK_TEXT));
  } else if (isSealedV1(known)) {
    await upgradeSecrets(db, keyring);
  }
}

/** Returns the check of the database; undefined if it has none yet. */
export async function rejectOtherKeys(db: Db, keyring: Keyring): Promise<string | undefined> {
  const known = await installationFact(db, "key_check");
  if (known === undefined || opensKeyCheck(keyring, known)) return known;
  throw new AppError(
    "bad_settings",
    "The encryption keys of this node cannot decrypt the secrets in this database. Copy the file `keys` from the data folder of the node that created it, or set PORTCULLIS_KEYS.",
  );
}

/** Creates the file atomically: another node that is starting may read it. */
function createKeyFile(file: string): void {
  mkdirSync(join(file, ".."), { recursive: true, mode: 0o700 });
  const part = `${file}.${randomBytes(4).toString("hex")}`;
  writeFileSync(part, `${newKeyLine()}\n`, { mode: 0o600 });
  try {
    linkSync(part, file);
  } catch (thrown) {
    // Another node created it first; its file is used.
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
  } finally {
    rmSync(part);
  }
}

function readKeyFile(file: string): Keyring {
  // A key must not be readable by other users of this machine.
  if (statSync(file).mode & 0o077) chmodSync(file, 0o600);
  return parseKeys(readFileSync(file, "utf8").split("\n"), file);
}

const modifiedAt = (file: string): number => statSync(file).mtimeMs;

const newKeyLine = (): string =>
  `k${randomBytes(4).toString("hex")}:${randomBytes(32).toString("base64")}`;

export function parseKeys(lines: string[], source: string): Keyring {
  const keys = new Map<string, Uint8Array>();
  for (const line of lines.map((text) => text.trim()).filter(Boolean)) {
    const [, id, text] = /^([\w-]{1,64}):([A-Za-z0-9+/_=-]+)$/.exec(line) ?? [];
    const key = Buffer.from(text ?? "", "base64");
    if (!id || key.length !== 32) {
      throw new AppError("bad_settings", `${source}: each key must be id:base64 of 32 bytes.`);
    }
    keys.set(id, key);
  }
  const [current] = keys.keys();
  if (!current) throw new AppError("bad_settings", `${source}: contains no key.`);
  return { current, keys };
}
