/** portcullis secrets rotate: creates an encryption key and encrypts all stored secrets with it, while servers run. */
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
      // With PORTCULLIS_KEYS, the first key is the new one.
      if (fromFile) addKey(keyFile(settings));
      const rotated = await rotateSecrets(deps, localActor("portcullis secrets rotate"));
      const { key, resealed, unreadable } = rotated;
      const lines = [
        `Encrypted ${resealed} secret${resealed === 1 ? "" : "s"} with the key ${key}.`,
      ];
      if (unreadable) {
        lines.push(`${unreadable} could not be decrypted by any key and are unchanged.`);
      }
      if (fromFile && deps.db.dialect === "postgres") {
        lines.push(`Copy ${keyFile(settings)} to all other nodes now: they require the new key.`);
      }
      lines.push("Keep the old keys as long as you keep older backups.");
      return { text: lines.join("\n"), json: rotated, exit: unreadable ? 1 : 0 };
    }),
};
