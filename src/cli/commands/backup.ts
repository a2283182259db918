/** portcullis backup: writes the whole database to one file, while servers run. */
import { existsSync } from "node:fs";
import { AppError } from "../../contract/errors.ts";
import { backup } from "../../db/backup/backup.ts";
import { openDb } from "../../db/db.ts";
import { now } from "../../lib/time/clock.ts";
import { keyFile } from "../../server/keyring.ts";
import { checkInstalled } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const backupCommand: Command = {
  name: "backup",
  summary: "Write the whole database to one file",
  options: {
    output: {
      type: "string",
      short: "o",
      summary: "File to write. Default: portcullis-<time>.jsonl.gz.",
    },
  },
  settings: STORAGE_SETTINGS,
  async run({ settings }, { output }) {
    const at = now();
    const file =
      typeof output === "string"
        ? output
        : `portcullis-${at.toISOString().replace(/[-:]|\.\d+/g, "")}.jsonl.gz`;
    if (existsSync(file))
      throw new AppError("already_exists", `${file}: already exists. Choose another file with -o.`);
    checkInstalled(settings);
    // Opened without a migration: a backup is made before one.
    const db = await openDb(settings.DATABASE_URL);
    try {
      const { rows } = await backup(db, file, at);
      const keys = settings.PORTCULLIS_KEYS === undefined ? keyFile(settings) : "PORTCULLIS_KEYS";
      const note = `Secrets in it are encrypted: store ${keys} too, in another place.`;
      return { text: `Wrote ${rows} rows to ${file}.\n${note}`, json: { file, rows, keys } };
    } finally {
      await db.close();
    }
  },
};
