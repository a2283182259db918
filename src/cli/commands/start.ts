/** portcullis start: serves until SIGTERM or SIGINT, then finishes running requests. */
import { availableParallelism } from "node:os";
import { AppError } from "../../contract/errors.ts";
import type { Log } from "../../lib/log.ts";
import { renderBanner } from "../../server/banner.ts";
import { joinGroup, type WorkerGroup } from "../../server/group/join-group.ts";
import { startGroup } from "../../server/group/start-group.ts";
import type { start } from "../../server/start.ts";
import { findUnknownSettings, type Settings } from "../../settings.ts";
import { type Command, type Context, FLAG_SETTINGS, type Output } from "../command.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

export const startCommand: Command = {
  name: "start",
  summary: "Serve the gateway, the guard, the MCP endpoint and the admin API",
  options: {},
  settings: FLAG_SETTINGS,
  async run(context, values) {
    const { settings, log, env, print, writeLog } = context;
    const group = joinGroup(env);
    if (group) return await runWorker(context, group);
    for (const setting of findUnknownSettings(env))
      log("unknown_setting", { level: "warn", setting });
    const workers = countWorkers(settings);
    const program = { command: ownCommand(), env: workerEnv(context), writeLog };
    const running =
      workers > 1
        ? await startGroup({ workers, max_hang_s: settings.WORKER_HANG_S }, program, log)
        : await startServer(settings, log, { env });
    const stopped = waitForSignal();
    print(
      values.json
        ? `${JSON.stringify({ urls: running.urls, first_run: running.first ?? null })}\n`
        : renderBanner(running.urls, running.first),
    );
    const signal = await stopped;
    log("stopping", { signal });
    // A second signal ends the process at once.
    for (const again of STOP_SIGNALS) {
      process.on(again, () => {
        if ("kill" in running) running.kill();
        process.exit(1);
      });
    }
    const isClean = await running.stop();
    log("stopped", {});
    exitSoon();
    return { text: "", json: { stopped: signal }, exit: isClean === false ? 1 : 0 };
  },
};

/** Runs until a signal, or until the supervisor exits. Further signals are ignored: the supervisor decides. */
async function runWorker({ settings, log, env }: Context, group: WorkerGroup): Promise<Output> {
  const logAsWorker: Log = (event, fields) => log(event, { worker: group.index, ...fields });
  try {
    const { urls, ports, first, stop } = await startServer(settings, logAsWorker, { env, group });
    const stopped = waitForSignal();
    await group.request("ready", { urls, ports, first: first ?? null });
    await Promise.race([stopped, group.abandoned]);
    await stop();
  } finally {
    // The channel would keep the process alive.
    group.leave();
    exitSoon();
  }
  return { text: "", json: null };
}

/** Loads the server only now: the help, wrong settings and the supervisor of workers do not need it. */
const startServer: typeof start = async (...given) =>
  await (await import("../../server/start.ts")).start(...given);

const waitForSignal = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) process.on(signal, () => resolve(signal));
  });

/** A connection attempt cannot be canceled, and would keep the process alive for two minutes. */
const exitSoon = () => void setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();

/** Time to write the last log lines. */
const EXIT_AFTER_MS = 250;

function countWorkers({ PORTCULLIS_WORKERS: given }: Settings): number {
  const count = given === "auto" ? availableParallelism() : given;
  if (count > 1 && process.platform !== "linux") {
    const text =
      "PORTCULLIS_WORKERS: more than 1 requires Linux, where the kernel distributes the connections of a shared port. Set it to 1.";
    throw new AppError("bad_settings", text);
  }
  return count;
}

/** The log of a worker is a pipe, also when it is shown on a terminal. */
const workerEnv = ({ settings, env }: Context): Context["env"] =>
  settings.LOG_FORMAT === "auto" && process.stderr.isTTY ? { ...env, LOG_FORMAT: "pretty" } : env;

/** Returns the command line of this process: an executable, or Bun with the main file. */
function ownCommand(): string[] {
  const isExecutable = Bun.main.startsWith("/$bunfs/");
  const program = isExecutable ? [] : [...process.execArgv, Bun.main];
  return [process.execPath, ...program, ...process.argv.slice(2)];
}
