/** The `portcullis` command: finds the command, reads settings from environment and flags, prints the outcome. */
import { parseArgs } from "node:util";
import { AppError } from "../contract/errors.ts";
import { now } from "../lib/clock.ts";
import { createLineWriter, createLog } from "../lib/log.ts";
import { redactText } from "../lib/redact.ts";
import { flagOf, loadSettings, SECRET_SETTINGS, type SettingName, Settings } from "../settings.ts";
import type { Command, Option, Output } from "./command.ts";
import { commands } from "./commands/all.ts";
import { commandHelp, generalHelp } from "./help.ts";

const FLAG_SETTINGS = (Object.keys(Settings.shape) as SettingName[]).filter(
  (name) => !SECRET_SETTINGS.includes(name),
);

const GLOBAL_OPTIONS: Record<string, Option> = {
  json: { type: "boolean", summary: "Print JSON instead of text." },
  help: { type: "boolean", short: "h", summary: "Explain the command." },
};

/** 0: done. 1: it could not be done, or something is wrong. 2: the command was not understood. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(args: string[], env: Record<string, string | undefined>): Promise<number> {
  const words = args.filter((word) => !word.startsWith("-"));
  const json = args.includes("--json");
  const command = commands.find(({ name }) => isCommand(name, args));
  if (!command) {
    const asked = words.length === 0 || args.includes("--help") || words[0] === "help";
    const unknown = asked ? "" : `There is no command "${words.slice(0, 2).join(" ")}".\n\n`;
    (asked ? process.stdout : process.stderr).write(unknown + generalHelp(commands));
    return asked ? 0 : 2;
  }
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(commandHelp(command, FLAG_SETTINGS));
    return 0;
  }
  try {
    return await run(command, args.slice(command.name.split(" ").length), env);
  } catch (thrown) {
    return complain(thrown, command, json);
  }
}

/** Says what is wrong in one line; only our own bugs come with a stack. */
function complain(thrown: unknown, command: Command, json: boolean): number {
  const usage = isUsageError(thrown);
  const { code, message } = AppError.from(thrown);
  const unexpected = code === "internal" && thrown instanceof Error;
  const text = redactText(
    usage
      ? `${thrown.message.replace(/\. To specify.*$/, ".")} See: portcullis ${command.name} --help`
      : unexpected
        ? (thrown.stack ?? thrown.message)
        : message,
  );
  const body = { error: usage ? "usage" : code, message: text };
  process.stderr.write(json ? `${JSON.stringify(body, null, 2)}\n` : `portcullis: ${text}\n`);
  return usage ? 2 : 1;
}

async function run(
  command: Command,
  args: string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const settingOptions = FLAG_SETTINGS.map((name) => [flagOf(name), { type: "string" as const }]);
  const { values } = parseArgs({
    args,
    options: { ...Object.fromEntries(settingOptions), ...GLOBAL_OPTIONS, ...command.options },
    strict: true,
    allowPositionals: false,
  }) as { values: Record<string, string | boolean | undefined> };
  const flags = FLAG_SETTINGS.map((name) => [name, values[flagOf(name)] ?? env[name]]);
  const settings = loadSettings({ ...env, ...Object.fromEntries(flags) });

  const lines = createLineWriter((text) => void process.stderr.write(text));
  const pretty =
    settings.LOG_FORMAT === "pretty" || (settings.LOG_FORMAT === "auto" && process.stderr.isTTY);
  const log = createLog({ level: settings.LOG_LEVEL, pretty, now, write: lines.write });
  const print = (text: string) => void process.stdout.write(text);
  try {
    const output = await command.run({ settings, log, env, print }, values);
    print(shown(output, values.json === true));
    return output.exit ?? 0;
  } finally {
    lines.flush();
  }
}

function shown({ text, json }: Output, asJson: boolean): string {
  return asJson ? `${JSON.stringify(json, null, 2)}\n` : text && `${text}\n`;
}

function isCommand(name: string, args: string[]): boolean {
  return name.split(" ").every((word, index) => args[index] === word);
}

function isUsageError(thrown: unknown): thrown is TypeError {
  const code = thrown instanceof TypeError && "code" in thrown ? String(thrown.code) : "";
  return code.startsWith("ERR_PARSE_ARGS");
}
