/** portcullis export: writes the whole installation as a configuration file. */
import { writeFileSync } from "node:fs";
import { exportConfig } from "../../config-file/export.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write the installation as a configuration file (YAML)",
  options: {
    output: { type: "string", short: "o", summary: "File to write. Default: the terminal." },
  },
  settings: STORAGE_SETTINGS,
  run: ({ settings, log }, { output }) =>
    withInstallation(settings, log, async (deps) => {
      const { yaml, variables } = await exportConfig(deps);
      if (typeof output !== "string") return { text: yaml.trimEnd(), json: { yaml, variables } };
      writeFileSync(output, yaml, { mode: 0o600 });
      const needed = variables.length ? ` It needs these variables: ${variables.join(", ")}.` : "";
      return { text: `Wrote ${output}.${needed}`, json: { file: output, variables } };
    }),
};
