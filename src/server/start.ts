/** Starts the program: database, keys, configuration, planes; and stops it in reverse order. */
import type { ConfigFileWatch } from "../config-file/watch.ts";
import { createCredentials } from "../credentials/credentials.ts";
import { handleRequest } from "../dataplane/handle-request.ts";
import type { Db } from "../db/db.ts";
import { enableReclaim } from "../db/reclaim-space.ts";
import { startDemoUpstream } from "../demo/demo-upstream.ts";
import type { Deps } from "../deps.ts";
import { evaluateInternal } from "../evaluate/evaluate-internal.ts";
import { openResponseGuard } from "../evaluate/open-response-guard.ts";
import { createHostServices } from "../evaluate/worker/evaluation-host.ts";
import { newId as createId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { readMetrics, renderMetrics, renderReadings } from "../lib/metrics.ts";
import { elapsedMs, now as systemNow } from "../lib/time/clock.ts";
import { createSend } from "../net/send.ts";
import { openLimiter } from "../plugins/rate-limiter/limiter.ts";
import type { Settings } from "../settings.ts";
import { watchConfig } from "../snapshot/watch-config.ts";
import { createState } from "./create-state.ts";
import { endRequests } from "./end-requests.ts";
import { type FirstRun, setUpFirstRun } from "./first-run.ts";
import type { WorkerGroup } from "./group/join-group.ts";
import type { DataPlaneHandler } from "./http/create-handlers.ts";
import { createLazyMcp } from "./http/lazy-mcp.ts";
import { type Listener, listen } from "./http/listen.ts";
import { newResponseCounts } from "./http/response-counts.ts";
import { routes } from "./http/routes.ts";
import { serveRequest } from "./http/serve-request.ts";
import { openSnapshotStore } from "./local-snapshot.ts";
import { METRICS } from "./metrics.ts";
import { openServingStorage } from "./open-serving-storage.ts";
import { readEgress } from "./read-egress.ts";
import { startSweeping } from "./sweep.ts";
import { readTlsFiles, watchTlsFiles } from "./tls-files.ts";
import { watchFolders } from "./watch-folders.ts";
import { openWriters } from "./writers/open-writers.ts";

export interface RunningServer {
  deps: Deps;
  urls: Listener["urls"];
  ports: Listener["ports"];
  first: FirstRun | undefined;
  /** Stops as on SIGTERM: fail readiness, wait, reject new requests, finish running ones, flush. */
  stop: () => Promise<void>;
}

export interface StartOptions extends Partial<Pick<Deps, "now" | "newId" | "random" | "send">> {
  /** Monotonic clock of rate limits in memory. */
  elapsedMs?: () => number;
  /** Values of `${NAME}` in the configuration file, and cloud identities of the machine. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Group that this process is a worker of. */
  group?: WorkerGroup | undefined;
}

/** A test passes its own clock, ids, randomness or HTTP client. */
export async function start(
  settings: Settings,
  log: Log,
  options: StartOptions = {},
): Promise<RunningServer> {
  const { env = {}, now = systemNow, newId = createId, random = Math.random, group } = options;
  /** One process of a group runs what must run once. */
  const isFirst = group === undefined || group.index === 0;
  // Closed in reverse order, also when a later step fails.
  await using opened = new AsyncDisposableStack();
  const { db, eventDb, keyring, stored, close } = await openServingStorage(settings, log);
  opened.defer(close);
  if (isFirst) await prepareReclaim(db, log);
  const demo = group ? undefined : startDemoUpstream({ now, newId });
  opened.defer(() => demo?.stop());
  const demo_url = group?.demo_url ?? demo?.url ?? "";
  const writers = await openWriters(settings, { db, eventDb, now, log, group });
  opened.defer(() => writers.stop());
  // A SQLite database is local already.
  const snapshots =
    isFirst && db.dialect === "postgres"
      ? openSnapshotStore(settings, { db, keyring, log, now })
      : undefined;
  opened.defer(() => snapshots?.stop());
  const sources = { store: snapshots?.store, stored: stored?.rows };
  const config = await watchConfig(db, { keyring, demo_url, ...sources }, log);
  opened.defer(() => config.stop());
  const { snapshot } = config;
  const redis_url = settings.REDIS_URL;
  const limiter = openLimiter({
    ...{ db, snapshot, redis_url, keyring, now, newId, log },
    elapsedMs: options.elapsedMs ?? elapsedMs,
    callCounters: group && ((calls) => group.request("counters", calls)),
  });
  opened.defer(() => limiter.stop());
  const deadlines = { bodies: new AbortController(), responses: new AbortController() };
  const state = createState({ settings, db, log });
  opened.defer(() => state.live.object_owners.stop());
  const send =
    options.send ??
    createSend({
      ...(await readEgress(settings)),
      end: deadlines.responses.signal,
      mayReachPrivate: (url) => settings.ALLOW_PRIVATE_UPSTREAMS || url.startsWith(`${demo_url}/`),
    });
  const services = {
    ...state,
    db,
    snapshot,
    settings,
    keyring,
    send,
    credentials: createCredentials({ env, now, send, log }),
    limiter,
    now,
    newId,
    random,
    log,
    ...writers.deps,
    demo_url,
    bodyDeadline: deadlines.bodies.signal,
    responseDeadline: deadlines.responses.signal,
  };
  const deps: Deps = {
    ...services,
    hostServices: createHostServices(services),
    evaluate: (evaluation) => evaluateInternal(deps, evaluation),
    openResponseGuard: (context, work) => openResponseGuard(deps, context, work),
  };
  /** The change is in force on all workers before the response is sent. */
  const refresh = async () => {
    await config.refresh();
    await group?.request("refreshOthers", null);
  };
  const config_file = settings.PORTCULLIS_CONFIG;
  let configFile: ConfigFileWatch | undefined;
  if (config_file && isFirst) {
    const { watchConfigFile } = await import("../config-file/watch.ts");
    const from = { file: config_file, env, later: stored !== undefined };
    configFile = await watchConfigFile(deps, refresh, from);
  }
  opened.defer(() => configFile?.stop());
  const sweeping = isFirst ? startSweeping(deps) : undefined;
  opened.defer(() => sweeping?.stop());
  const counts = newResponseCounts();
  const folder = watchFolders(settings, log);
  opened.defer(() => folder.stop());
  const { events, evaluations } = writers;
  const measured = { deps, counts, events, evaluations, config, folder, configFile };
  const metrics = async () =>
    group
      ? renderReadings(METRICS, await group.request("readAll", null))
      : renderMetrics(METRICS, measured);
  let started = false;
  const isHeld = () => events.held() || evaluations.held();
  const readiness = () => ({
    problem: started ? folder.problem() : STARTING,
    degraded: [
      ...(config.isReachable() ? (isHeld() ? [NO_WRITES] : []) : [NO_DATABASE]),
      ...(deps.limiter.store.isLocal() ? [LOCAL_LIMITS] : []),
    ],
  });
  const earlyErrors = new WeakSet<Response>();
  const app = { deps, refresh, counts, earlyErrors, metrics, readiness };
  const mcp = createLazyMcp(app);
  opened.defer(() => mcp.stop());
  group?.handle({
    ping: () => undefined,
    refresh: async () => void (await config.catchUp()),
    flush: async () => void (await writers.flush()),
    read: () => readMetrics(METRICS, measured),
  });
  // A change before the line above was not announced to this worker.
  if (group && !stored) await config.catchUp();
  const handleDataPlane: DataPlaneHandler = (request, client) =>
    serveRequest(app, "gateway", request, (ids, headers) =>
      handleRequest(deps, request, { ...ids, client, headers }),
    );
  const others = { handleDataPlane, mcp: mcp.paths };
  const tls = readTlsFiles(settings);
  const listening = listen(app, { routes, others, shared: group, tls });
  opened.defer(() => listening.stop());
  const tlsFiles = tls && watchTlsFiles(settings, { log, replace: listening.replaceTls });
  opened.defer(() => tlsFiles?.stop());
  // Last: the token is shown only once, so a failing start must not use it up.
  const first = stored ? undefined : await setUpFirstRun(deps);
  // Created here, or by another node that is starting.
  if (!stored) await config.catchUp();
  started = true;

  const running = opened.move();
  return {
    deps,
    urls: listening.urls,
    ports: listening.ports,
    first,
    stop: async () => {
      listening.drain();
      await Bun.sleep(settings.SHUTDOWN_GRACE_S * 1000);
      deps.topics.stop();
      await mcp.drain();
      await endRequests(deps, listening, deadlines);
      await running.disposeAsync();
    },
  };
}

/** Logs a warning when the file cannot be converted now: it is large, in use, or the disk is full. */
async function prepareReclaim(db: Db, log: Log): Promise<void> {
  try {
    if (!(await enableReclaim(db)))
      log("database_does_not_shrink", { level: "warn", todo: REWRITE });
  } catch (thrown) {
    log("database_does_not_shrink", { level: "warn", todo: REWRITE, error: thrown });
  }
}

const REWRITE =
  "The SQLite file was created by an older release and does not free the space of deleted rows. To free it, run portcullis backup and restore into a new data folder.";

/** The node listens already, but the first token may not work yet. */
const STARTING = "The node is starting.";

const NO_DATABASE =
  "The database is unavailable: requests are served with the last known configuration, and the admin API returns 503.";

const NO_WRITES =
  "The database accepts no writes: events are in the data folder until it does, and changes return 503. `portcullis doctor` shows the cause.";

const LOCAL_LIMITS =
  "Redis, or the supervisor of the workers, is unavailable: this process counts rate limits alone.";
