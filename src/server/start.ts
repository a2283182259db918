/** Puts the program together: database, keys, configuration, planes; and takes it down in order. */
import { adminRoutes } from "../admin/routes.ts";
import { answer } from "../dataplane/answer.ts";
import type { Db } from "../db/db.ts";
import { dropIdempotentReplies } from "../db/idempotent-replies.ts";
import { startDemoUpstream } from "../demo/demo-upstream.ts";
import type { Deps } from "../deps.ts";
import { now } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { createSend } from "../net/send.ts";
import type { Settings } from "../settings.ts";
import { watchConfig } from "../snapshot/watch.ts";
import { answering } from "./app.ts";
import { type FirstRun, firstRun } from "./first-run.ts";
import { type Listening, listen } from "./listen.ts";
import { openStorage } from "./open.ts";
import { trackLastUsed } from "./track-last-used.ts";
import { watchConfigFile } from "./watch-config-file.ts";

export interface Running {
  deps: Deps;
  urls: Listening["urls"];
  first: FirstRun | undefined;
  /** As decided for SIGTERM: readiness, grace, refuse, finish, flush. */
  stop: () => Promise<void>;
}

/** `env` gives the values of `${NAME}` in the configuration file. */
export async function start(
  settings: Settings,
  log: Log,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Running> {
  // Taken down in the reverse order, also when a later step of the start fails.
  await using opened = new AsyncDisposableStack();
  const { db, keyring } = await openStorage(settings);
  opened.defer(() => db.close());
  const demo = startDemoUpstream({ now, newId });
  opened.defer(() => demo.stop());
  const lastUsed = trackLastUsed(db, now, log);
  opened.defer(() => lastUsed.stop());
  const config = await watchConfig(db, { keyring, demo_url: demo.url }, log);
  opened.defer(() => config.stop());
  const deps: Deps = {
    db,
    snapshot: config.snapshot,
    settings,
    keyring,
    send: createSend(),
    now,
    newId,
    random: Math.random,
    log,
    used: lastUsed.mark,
    demo_url: demo.url,
  };
  const first = await firstRun(deps);
  if (first) await config.refresh();
  const file = settings.PORTCULLIS_CONFIG;
  if (file) {
    const watched = await watchConfigFile(deps, config.refresh, { file, env });
    opened.defer(() => watched.stop());
  }
  const sweep = setInterval(() => void sweepReplies(db, log), 3_600_000);
  opened.defer(() => clearInterval(sweep));
  const app = { deps, refresh: config.refresh };
  const listening = listen(app, adminRoutes, (request, client) =>
    answering(app, "gateway", request, (ids) => answer(deps, request, { ...ids, client })),
  );

  const running = opened.move();
  return {
    deps,
    urls: listening.urls,
    first,
    stop: async () => {
      listening.drain();
      await Bun.sleep(settings.SHUTDOWN_GRACE_S * 1000);
      await listening.stop(settings.SHUTDOWN_TIMEOUT_S * 1000);
      await running.disposeAsync();
    },
  };
}

/** A retry comes within minutes; a day is generous. */
const REPLY_LIFE_MS = 86_400_000;

async function sweepReplies(db: Db, log: Log): Promise<void> {
  try {
    await dropIdempotentReplies(db, new Date(now().getTime() - REPLY_LIFE_MS));
  } catch (thrown) {
    log("sweep_failed", { level: "warn", error: thrown });
  }
}
