/** portcullis export: writes the configuration as a file. */
import { writeFileSync } from "node:fs";
import { exportConfig } from "../../config-file/export.ts";
import { withInstallation } from "../../server/open-storage.ts";
import { type Command, STORAGE_SETTINGS } from "../command.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write the configuration as a YAML file",
  options: {
    output: { type: "string", short: "o", summary: "File to write. Default: standard output." },
  },
  settings: STORAGE_SETTINGS,
  run: ({ settings, log }, { output }) =>
    withInstallation(settings, log, async (deps) => {
      const { yaml, variables } = await exportConfig(deps);
      if (typeof output !== "string") return { text: yaml.trimEnd(), json: { yaml, variables } };
      writeFileSync(output, yaml, { mode: 0o600 });
      const needed = variables.length
        ? ` It requires these variables: ${variables.join(", ")}.`
        : "";
      return { text: `Wrote ${output}.${needed}`, json: { file: output, variables } };
    }),
};
