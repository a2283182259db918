/** Checks an installation and gives advice. Read-only. */
import { readFileSync } from "node:fs";
import { readConfigFile } from "../../config-file/read-file.ts";
import { AppError } from "../../contract/errors.ts";
import { learnedModels } from "../../evaluate/learned-models.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { now } from "../../lib/time/clock.ts";
import { openRedis } from "../../plugins/rate-limiter/redis-link.ts";
import { findUnknownSettings, Settings } from "../../settings.ts";
import { type Check, type CheckContext, describeReason } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMachine } from "./check-machine.ts";

export async function runChecks({ settings, env }: Omit<CheckContext, "now">): Promise<Check[]> {
  const context = { settings, env, now };
  return [
    checkSettings(context),
    ...checkConfigFile(context),
    ...(await checkMachine(context)),
    ...(await checkDatabase(context)),
    ...(await checkRedis(context)),
    await checkModels(),
  ];
}

function checkSettings({ env }: CheckContext): Check {
  const unknown = findUnknownSettings(env);
  if (unknown.length === 0) {
    const set = Object.keys(Settings.shape).filter((name) => env[name]).length;
    return { name: "settings", state: "ok", message: `valid, ${set} set in the environment` };
  }
  return {
    name: "settings",
    state: "warn",
    message: `unknown setting ${unknown.join(", ")}`,
    todo: "Correct the name, or unset it. See docs/settings.md.",
  };
}

function checkConfigFile({ settings, env }: CheckContext): Check[] {
  const file = settings.PORTCULLIS_CONFIG;
  if (!file) return [];
  try {
    readConfigFile(readFileSync(file, "utf8"), { file, env, keepSecrets: false });
    return [{ name: "configuration file", state: "ok", message: `${file} is valid` }];
  } catch (thrown) {
    const todo = `Correct it, then run: portcullis apply --dry-run -f ${shellQuote(file)}`;
    return [{ name: "configuration file", state: "fail", message: describeReason(thrown), todo }];
  }
}

async function checkRedis({ settings }: CheckContext): Promise<Check[]> {
  if (!settings.REDIS_URL) return [];
  const name = "redis";
  try {
    (await openRedis(settings.REDIS_URL)).close();
    return [{ name, state: "ok", message: "available" }];
  } catch (thrown) {
    const message = `cannot connect: ${describeReason(thrown)}`;
    const todo =
      "Check that it is running, and that REDIS_URL has the right password. Until then each node counts alone.";
    return [{ name, state: "fail", message, todo }];
  }
}

/** Loads every learned model: with a damaged weight file, fail-closed guards reject all traffic. */
async function checkModels(): Promise<Check> {
  const name = "detection models";
  try {
    for (const load of Object.values(learnedModels)) await load();
    return { name, state: "ok", message: "all weight files are complete" };
  } catch (thrown) {
    const todo = "Install the release again, with its folder `models`.";
    return { name, state: "fail", message: AppError.from(thrown).message, todo };
  }
}
