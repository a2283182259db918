/** The help texts, made from the commands themselves. */
import { flagOf, type SettingName, Settings } from "../settings.ts";
import type { Command } from "./command.ts";

export function generalHelp(commands: readonly Command[]): string {
  const rows = commands.map(({ name, summary }): [string, string] => [name, summary]);
  return `Portcullis: one service between your people, programs and agents and the AI systems they use.

Usage: portcullis <command> [options]

${table(rows)}

Every command takes --json and --help, and every setting as a flag (--database-url) or an
environment variable (DATABASE_URL). docs/settings.md lists them.
`;
}

export function commandHelp(command: Command, settings: readonly SettingName[]): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    `${option.short ? `-${option.short}, ` : ""}--${name}${option.type === "string" ? " VALUE" : ""}`,
    option.summary,
  ]);
  const flags = settings.map((name): [string, string] => [
    `--${flagOf(name)} VALUE`,
    `${Settings.shape[name].description ?? ""} (${name})`,
  ]);
  const own = options.length ? `\n\nOptions:\n${table(options)}` : "";
  return `portcullis ${command.name}: ${command.summary}.${own}\n\nSettings:\n${table(flags)}\n`;
}

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n");
}
