/** Runs a `portcullis` command with settings from the environment and flags, and prints the result. */
import { parseArgs } from "node:util";
import { AppError } from "../contract/errors.ts";
import { createLineWriter, createLog } from "../lib/log.ts";
import { redactText } from "../lib/redact.ts";
import { now } from "../lib/time/clock.ts";
import { adviseOnDatabase, describeReason } from "../server/doctor/check.ts";
import { loadSettings, toFlag } from "../settings.ts";
import { type Command, FLAG_SETTINGS, GLOBAL_OPTIONS, type Output } from "./command.ts";
import { loadCommand, loadCommands } from "./commands/all.ts";
import { renderCommandHelp, renderGeneralHelp } from "./help.ts";

// Files contain texts, hashes or sealed secrets: database, journals, backups, exports.
process.umask(0o077);

/** 0: success. 1: failure. 2: invalid command line. */
process.exitCode = await main(process.argv.slice(2), process.env);

async function main(given: string[], env: Record<string, string | undefined>): Promise<number> {
  const [first] = given;
  const wantsHelp = first === "help" || given.includes("--help") || given.includes("-h");
  const args = first === "help" ? given.slice(1) : first === "--version" ? ["version"] : given;
  const json = args.includes("--json");
  const command = await loadCommand(args);
  if (!command) {
    const isHelp = args.length === 0 || wantsHelp;
    const error = isHelp ? "" : `${describeUnknownCommand(args)}\n\n`;
    (isHelp ? process.stdout : process.stderr).write(
      error + renderGeneralHelp(await loadCommands()),
    );
    return isHelp ? 0 : 2;
  }
  if (wantsHelp) {
    process.stdout.write(renderCommandHelp(command));
    return 0;
  }
  try {
    return await run(command, args.slice(command.name.split(" ").length), env);
  } catch (thrown) {
    return reportError(thrown, command, json);
  }
}

function describeUnknownCommand(args: string[]): string {
  return args[0]?.startsWith("-")
    ? `Put the command before its options, such as ${args[0]}.`
    : `Unknown command "${args
        .filter((word) => !word.startsWith("-"))
        .slice(0, 2)
        .join(" ")}".`;
}

/** Prints the error in one line; only an internal error is printed with its stack. */
function reportError(thrown: unknown, command: Command, json: boolean): number {
  const usage = isUsageError(thrown);
  const { code } = AppError.from(thrown);
  const text = redactText(usage ? describeUsageError(thrown, command) : describeFailure(thrown));
  const body = { error: usage ? "usage" : code, message: text };
  process.stderr.write(json ? `${JSON.stringify(body, null, 2)}\n` : `portcullis: ${text}\n`);
  return usage ? 2 : 1;
}

/** Drops the advice that Node appends to its message, which does not apply here. */
function describeUsageError({ message }: TypeError, { name }: Command): string {
  const [problem] = message.split(/\.\s(?:To specify|This command|Did you)/);
  return `${problem?.replace(/\.$/, "")}. See: portcullis ${name} --help`;
}

function describeFailure(thrown: unknown): string {
  const { code, message } = AppError.from(thrown);
  if (code === "unavailable") {
    return `The database cannot be opened: ${describeReason(thrown)}. ${adviseOnDatabase(thrown)}`;
  }
  if (code !== "internal" || !(thrown instanceof Error)) return message;
  // A system error: its message names the path, and the stack adds nothing.
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

  // A closed log pipe must not end the program.
  process.stderr.on("error", () => {});
  const lines = createLineWriter((text) => process.stderr.write(text));
  process.stderr.on("drain", lines.resume);
  const pretty =
    settings.LOG_FORMAT === "pretty" || (settings.LOG_FORMAT === "auto" && process.stderr.isTTY);
  const log = createLog({ level: settings.LOG_LEVEL, pretty, now, write: lines.write });
  // Warnings of Bun, such as those of its Postgres client, would not be JSON lines.
  console.warn = (...parts) => log("runtime_warning", { level: "warn", message: parts.join(" ") });
  const print = (text: string) => void process.stdout.write(text);
  const writeLog = async (text: Uint8Array) => {
    if (!process.stderr.write(text)) {
      await new Promise((resolve) => process.stderr.once("drain", resolve));
    }
  };
  try {
    const output = await command.run({ settings, log, env, print, writeLog }, values);
    print(renderOutput(output, values.json === true));
    return output.exit ?? 0;
  } finally {
    lines.flush();
    // A log reader that does not read must not keep the program from ending.
    if (lines.isBehind()) setTimeout(() => process.exit(), 1_000).unref();
  }
}

function renderOutput({ text, json }: Output, asJson: boolean): string {
  return asJson ? `${JSON.stringify(json, null, 2)}\n` : text && `${text}\n`;
}

function isUsageError(thrown: unknown): thrown is TypeError {
  const code = thrown instanceof TypeError && "code" in thrown ? String(thrown.code) : "";
  return code.startsWith("ERR_PARSE_ARGS");
}
