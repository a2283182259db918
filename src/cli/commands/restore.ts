/** portcullis restore: fills an empty installation from a backup, of either database. */
import { AppError } from "../../contract/errors.ts";
import { openDb } from "../../db/db.ts";
import { restore } from "../../db/restore.ts";
import { now } from "../../lib/time/clock.ts";
import { checkKeyring } from "../../server/keyring.ts";
import { matchKeyring, readKeyring } from "../../server/match-keyring.ts";
import { createDataFolder } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

const KEYS_NOTE = {
  fit: "The encryption keys of this node open its secrets.",
  unused: "It holds no sealed secret yet.",
  missing: "Now copy the file `keys` of the old data folder here, or set PORTCULLIS_KEYS.",
  wrong: "This node's encryption keys do NOT open its secrets: copy the old ones here first.",
};

export const restoreCommand: Command = {
  name: "restore",
  summary: "Fill an empty installation from a backup",
  options: {
    file: { type: "string", short: "f", summary: "The backup. Required." },
    force: { type: "boolean", summary: "Delete what is in the installation first." },
  },
  settings: STORAGE_SETTINGS,
  async run({ settings }, { file, force = false }) {
    if (typeof file !== "string") throw new AppError("invalid_request", "-f: name the backup.");
    createDataFolder(settings);
    const db = await openDb(settings.DATABASE_URL);
    try {
      const restored = await restore(db, { file, at: now(), force: force === true });
      const keys = await matchKeyring(settings, db);
      const keyring = readKeyring(settings);
      // A node that still runs reads the restored secrets at once.
      if (keys === "fit" && keyring) await checkKeyring(db, keyring);
      const text = `Restored ${restored.rows} rows from the backup of ${restored.created_at}.`;
      return { text: `${text}\n${KEYS_NOTE[keys]}`, json: { ...restored, keys } };
    } finally {
      await db.close();
    }
  },
};
