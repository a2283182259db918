/** Is everything as it should be, and if not, what is to be done? Looks at things and changes none. */
import { readFileSync } from "node:fs";
import { readConfigFile } from "../../config-file/read-file.ts";
import { shellQuote } from "../../lib/text/shell-quote.ts";
import { now } from "../../lib/time/clock.ts";
import { openRedis } from "../../plugins/rate-limiter/redis-link.ts";
import { findUnknownSettings, Settings } from "../../settings.ts";
import { type Check, type CheckContext, describeReason } from "./check.ts";
import { checkDatabase } from "./check-database.ts";
import { checkMachine } from "./check-machine.ts";

export async function runChecks({ settings, env }: Omit<CheckContext, "now">): Promise<Check[]> {
  const patient = { settings, env, now };
  return [
    checkSettings(patient),
    ...checkConfigFile(patient),
    ...(await checkMachine(patient)),
    ...(await checkDatabase(patient)),
    ...(await checkRedis(patient)),
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
    message: `${unknown.join(", ")}: no such setting`,
    todo: "Correct the name, or unset it. docs/settings.md lists them.",
  };
}

function checkConfigFile({ settings, env }: CheckContext): Check[] {
  const file = settings.PORTCULLIS_CONFIG;
  if (!file) return [];
  try {
    readConfigFile(readFileSync(file, "utf8"), { file, env, keepSecrets: false });
    return [{ name: "configuration file", state: "ok", message: `${file} is valid` }];
  } catch (thrown) {
    const todo = `Correct it, and try it with: portcullis apply --dry-run -f ${shellQuote(file)}`;
    return [{ name: "configuration file", state: "fail", message: describeReason(thrown), todo }];
  }
}

async function checkRedis({ settings }: CheckContext): Promise<Check[]> {
  if (!settings.REDIS_URL) return [];
  const name = "redis";
  try {
    (await openRedis(settings.REDIS_URL)).close();
    return [{ name, state: "ok", message: "answers" }];
  } catch (thrown) {
    const message = `cannot be reached: ${describeReason(thrown)}`;
    const todo =
      "See that it runs, and that REDIS_URL names it with the right password. Until then every node counts alone.";
    return [{ name, state: "fail", message, todo }];
  }
}
