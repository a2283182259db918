/** portcullis start: serves until SIGTERM or SIGINT, then finishes running requests. */
import { renderBanner } from "../../server/banner.ts";
import { start } from "../../server/start.ts";
import { findUnknownSettings } from "../../settings.ts";
import { type Command, FLAG_SETTINGS } from "../command.ts";

export const startCommand: Command = {
  name: "start",
  summary: "Serve the gateway, the guard, the MCP endpoint and the admin API",
  options: {},
  settings: FLAG_SETTINGS,
  async run({ settings, log, env, print }, values) {
    for (const setting of findUnknownSettings(env))
      log("unknown_setting", { level: "warn", setting });
    const running = await start(settings, log, { env });
    const stopped = new Promise<string>((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const)
        process.on(signal, () => resolve(signal));
    });
    print(
      values.json
        ? `${JSON.stringify({ urls: running.urls, first_run: running.first ?? null })}\n`
        : renderBanner(running.urls, running.first),
    );
    const signal = await stopped;
    log("stopping", { signal });
    // A second signal ends the process at once.
    for (const again of ["SIGTERM", "SIGINT"] as const) process.on(again, () => process.exit(1));
    await running.stop();
    log("stopped", {});
    // A connection attempt cannot be canceled, and would keep the process alive for two minutes.
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
    return { text: "", json: { stopped: signal } };
  },
};

/** Time to write the last log lines. */
const EXIT_AFTER_MS = 250;
