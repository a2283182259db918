/** portcullis restore: restores a backup of SQLite or Postgres to an empty installation. */
import { AppError } from "../../contract/errors.ts";
import { restore } from "../../db/backup/restore.ts";
import { openDb } from "../../db/db.ts";
import { now } from "../../lib/time/clock.ts";
import { checkKeyring } from "../../server/keyring.ts";
import { matchKeyring, readKeyring } from "../../server/match-keyring.ts";
import { createDataFolder } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

const KEYS_NOTE = {
  fit: "The encryption keys of this node can decrypt its secrets.",
  unused: "It contains no encrypted secret.",
  missing:
    "Now copy the file `keys` from the old data folder to the new one, or set PORTCULLIS_KEYS.",
  wrong:
    "The encryption keys of this node CANNOT decrypt its secrets. Copy the old keys here first.",
};

export const restoreCommand: Command = {
  name: "restore",
  summary: "Restore a backup to an empty installation",
  options: {
    file: { type: "string", short: "f", summary: "The backup file. Required." },
    force: { type: "boolean", summary: "Delete the content of the installation first." },
  },
  settings: STORAGE_SETTINGS,
  async run({ settings }, { file, force = false }) {
    if (typeof file !== "string")
      throw new AppError("invalid_request", "-f: is required. Set it to the backup file.");
    createDataFolder(settings);
    const db = await openDb(settings.DATABASE_URL);
    try {
      const restored = await restore(db, { file, at: now(), force: force === true });
      const keys = await matchKeyring(settings, db);
      const keyring = readKeyring(settings);
      // A running node reads the restored secrets at once.
      if (keys === "fit" && keyring) await checkKeyring(db, keyring);
      const text = `Restored ${restored.rows} rows from the backup of ${restored.created_at}.`;
      return { text: `${text}\n${KEYS_NOTE[keys]}`, json: { ...restored, keys } };
    } finally {
      await db.close();
    }
  },
};
