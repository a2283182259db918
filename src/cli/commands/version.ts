/** portcullis version: prints the release and the Bun version. */
import project from "../../../package.json" with { type: "json" };
import type { Command } from "../command.ts";

export const versionCommand: Command = {
  name: "version",
  summary: "Print the release",
  options: {},
  settings: [],
  run: async () => ({
    text: `portcullis ${project.version} (Bun ${Bun.version})`,
    json: { version: project.version, bun: Bun.version },
  }),
};
