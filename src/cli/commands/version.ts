/** portcullis version: which release this is, and on which Bun it runs. */
import project from "../../../package.json" with { type: "json" };
import type { Command } from "../command.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Say which release this is",
  options: {},
  settings: [],
  run: async () => ({
    text: `portcullis ${project.version} (Bun ${Bun.version})`,
    json: { version: project.version, bun: Bun.version },
  }),
};
