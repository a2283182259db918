/** Renders help from the definitions of the commands. */
import { readDefault, type SettingName, Settings, toFlag } from "../settings.ts";
import { type Command, GLOBAL_OPTIONS } from "./command.ts";

export function renderGeneralHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }): [string, string] => [name, summary]);
  return `Portcullis: a gateway between people, programs and agents and the AI systems they use.

Usage: portcullis <command> [options]

${table(rows)}

All commands accept --json and --help. Each setting is an environment variable (DATABASE_URL) or,
unless it is a secret, a flag (--database-url). See docs/settings.md.
`;
}

export function renderCommandHelp({ name, summary, options, settings }: Command): string {
  const rows = Object.entries({ ...options, ...GLOBAL_OPTIONS }).map(
    ([long, { short, type, summary }]): [string, string] => [
      `${short ? `-${short}, ` : ""}--${long}${type === "string" ? " VALUE" : ""}`,
      summary,
    ],
  );
  const flags = settings.map((name): [string, string] => [
    `--${toFlag(name)} VALUE`,
    describeSetting(name),
  ]);
  const read = flags.length ? `\n\nSettings:\n${table(flags)}` : "";
  return `portcullis ${name}: ${summary}.\n\nOptions:\n${table(rows)}${read}\n`;
}

function describeSetting(name: SettingName): string {
  const known = readDefault(name);
  const fallback = known === undefined ? "" : ` Default: ${known}.`;
  return `${Settings.shape[name].description ?? ""}${fallback} (${name})`;
}

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
