/** The commands by name, in the order the help lists them. Each is loaded only when it runs. */
import type { Command } from "../command.ts";

/** Loading all of them takes ten times as long as loading `ready`, which health checks run every few seconds. */
const LOADERS: Record<string, () => Promise<Command>> = {
  start: async () => (await import("./start.ts")).startCommand,
  "token create": async () => (await import("./token-create.ts")).tokenCreateCommand,
  "key create": async () => (await import("./key-create.ts")).keyCreateCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  apply: async () => (await import("./apply.ts")).applyCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  ready: async () => (await import("./ready.ts")).readyCommand,
  "secrets rotate": async () => (await import("./secrets-rotate.ts")).secretsRotateCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  version: async () => (await import("./version.ts")).versionCommand,
};

/** Returns the command that the arguments begin with. */
export async function loadCommand(args: readonly string[]): Promise<Command | undefined> {
  const name = Object.keys(LOADERS).find((words) =>
    words.split(" ").every((word, index) => args[index] === word),
  );
  return name === undefined ? undefined : await LOADERS[name]?.();
}

export const loadCommands = (): Promise<Command[]> =>
  Promise.all(Object.values(LOADERS).map((load) => load()));
