/** The `portcullis` command: finds the command, reads settings from environment and flags, prints the outcome. */
import { parseArgs } from "node:util";
import { AppError } from "../contract/errors.ts";
import { createLineWriter, createLog } from "../lib/log.ts";
import { redactText } from "../lib/redact.ts";
import { now } from "../lib/time/clock.ts";
import { adviseOnDatabase, describeReason } from "../server/doctor/check.ts";
import { loadSettings, toFlag } from "../settings.ts";
import { type Command, FLAG_SETTINGS, GLOBAL_OPTIONS, type Output } from "./command.ts";
import { commands } from "./commands/all.ts";
import { renderCommandHelp, renderGeneralHelp } from "./help.ts";

// Whatever is written holds texts, hashes or sealed secrets: the database and its neighbours, backups, exports.
process.umask(0o077);

/** 0: done. 1: it could not be done, or something is wrong. 2: the command was not understood. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(given: string[], env: Record<string, string | undefined>): Promise<number> {
  const [first] = given;
  const asksHelp = first === "help" || given.includes("--help") || given.includes("-h");
  const args = first === "help" ? given.slice(1) : first === "--version" ? ["version"] : given;
  const json = args.includes("--json");
  const command = commands.find(({ name }) => isCommand(name, args));
  if (!command) {
    const asked = args.length === 0 || asksHelp;
    const wrong = asked ? "" : `${notUnderstood(args)}\n\n`;
    (asked ? process.stdout : process.stderr).write(wrong + renderGeneralHelp(commands));
    return asked ? 0 : 2;
  }
  if (asksHelp) {
    process.stdout.write(renderCommandHelp(command));
    return 0;
  }
  try {
    return await run(command, args.slice(command.name.split(" ").length), env);
  } catch (thrown) {
    return complain(thrown, command, json);
  }
}

function notUnderstood(args: string[]): string {
  return args[0]?.startsWith("-")
    ? `The command comes first, then its options such as ${args[0]}.`
    : `There is no command "${args
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join(" ")}".`;
}

/** Says what is wrong in one line; only our own bugs come with a stack. */
function complain(thrown: unknown, command: Command, json: boolean): number {
  const usage = isUsageError(thrown);
  const { code } = AppError.from(thrown);
  const text = redactText(usage ? wrongUsage(thrown, command) : whatFailed(thrown));
  const body = { error: usage ? "usage" : code, message: text };
  process.stderr.write(json ? `${JSON.stringify(body, null, 2)}\n` : `portcullis: ${text}\n`);
  return usage ? 2 : 1;
}

/** Node's sentences go on with what we have no use for, and end without a full stop. */
function wrongUsage({ message }: TypeError, { name }: Command): string {
  const [said] = message.split(/\.\s(?:To specify|This command|Did you)/);
  return `${said?.replace(/\.$/, "")}. See: portcullis ${name} --help`;
}

function whatFailed(thrown: unknown): string {
  const { code, message } = AppError.from(thrown);
  if (code === "unavailable") {
    return `The database cannot be opened: ${describeReason(thrown)}. ${adviseOnDatabase(thrown)}`;
  }
  if (code !== "internal" || !(thrown instanceof Error)) return message;
  // The machine said no, to a path the message names: nobody needs to know where we asked.
  return "syscall" in thrown ? thrown.message : (thrown.stack ?? thrown.message);
}

async function run(
  command: Command,
  args: string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  const settingOptions = FLAG_SETTINGS.map((name) => [toFlag(name), { type: "string" as const }]);
  const { values } = parseArgs({
    args,
    options: { ...Object.fromEntries(settingOptions), ...GLOBAL_OPTIONS, ...command.options },
    strict: true,
    allowPositionals: false,
  }) as { values: Record<string, string | boolean | undefined> };
  const flags = FLAG_SETTINGS.map((name) => [name, values[toFlag(name)] ?? env[name]]);
  const settings = loadSettings({ ...env, ...Object.fromEntries(flags) });

  // Nobody reads the log any more: that is no reason to end, nor to end badly.
  process.stderr.on("error", () => {});
  const lines = createLineWriter((text) => process.stderr.write(text));
  process.stderr.on("drain", lines.resume);
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
    // Who reads the log may stand still: that keeps no program from ending.
    if (lines.isBehind()) setTimeout(() => process.exit(), 1_000).unref();
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
