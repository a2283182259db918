/** portcullis secrets rotate: a new encryption key, and every stored secret sealed with it. Servers go on. */
import { localActor } from "../../admin/perform.ts";
import { rotateSecrets } from "../../admin/rotate-secrets.ts";
import { addKey, keyFile } from "../../server/keyring.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const secretsRotateCommand: Command = {
  name: "secrets rotate",
  summary: "Encrypt all stored secrets with a new key",
  options: {},
  settings: STORAGE_SETTINGS,
  run: ({ settings, log }) =>
    withInstallation(settings, log, async (deps) => {
      const fromFile = settings.PORTCULLIS_KEYS === undefined;
      // With PORTCULLIS_KEYS the new key is the one that was put first there.
      if (fromFile) addKey(keyFile(settings));
      const rotated = await rotateSecrets(deps, localActor("portcullis secrets rotate"));
      const { key, resealed, unreadable } = rotated;
      const lines = [`Sealed ${resealed} secret${resealed === 1 ? "" : "s"} with the key ${key}.`];
      if (unreadable) {
        lines.push(`${unreadable} could not be opened by any key and stay as they were.`);
      }
      if (fromFile && deps.db.dialect === "postgres") {
        lines.push(`Copy ${keyFile(settings)} to every other node now: they need the new key.`);
      }
      lines.push("Keep the old keys for as long as you keep backups that were made before.");
      return { text: lines.join("\n"), json: rotated, exit: unreadable ? 1 : 0 };
    }),
};
