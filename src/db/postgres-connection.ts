/**
 * Connects to Postgres and detects a server that no longer responds. A frozen server or a network that drops packets
 * would otherwise delay queries for hours: open queries fail, and new ones fail immediately until a probe succeeds.
 */
import { SQL } from "bun";
import { AppError } from "../contract/errors.ts";
import { elapsedMs } from "../lib/time/clock.ts";

/** A query that runs longer triggers a probe; many are slow for good reasons. */
const PROBE_AFTER_MS = 2_000;
const CHECK_INTERVAL_MS = 500;
/** Probe timeout in polls instead of milliseconds: a pause of this process is not a silent server. */
const PROBE_POLLS = 60;
const POLL_MS = 50;

export interface PostgresConnection {
  query<T>(run: (sql: SQL) => Promise<T>): Promise<T>;
  listen(channel: string, call: () => void): Promise<void>;
  close(): Promise<void>;
}

export function connectPostgres(url: string): PostgresConnection {
  const connect = (max: number) =>
    new SQL({ url, max, idleTimeout: 60, connectionTimeout: 5, bigint: true });
  const listening: [channel: string, call: () => void][] = [];
  /** Start times of the open queries, oldest first. */
  const open = new Set<{ started: number }>();
  let sql = connect(10);
  let unavailable = false;
  let probing = false;
  let lastProbe = 0;

  const listen = () => {
    // Missed notifications are found by polling the revision.
    for (const [channel, call] of listening) sql.listen(channel, call).catch(() => {});
  };
  const probe = async () => {
    const wasUnavailable = unavailable;
    unavailable = await isSilent(connect(1));
    lastProbe = elapsedMs();
    if (wasUnavailable && !unavailable) listen();
    if (wasUnavailable || !unavailable) return;
    const lost = sql;
    sql = connect(10);
    await lost.close({ timeout: 0 }); // rejects every open query
  };
  const timer = setInterval(async () => {
    const [oldest] = open;
    const isLate = oldest && elapsedMs() - Math.max(oldest.started, lastProbe) > PROBE_AFTER_MS;
    if (probing || !(unavailable || isLate)) return;
    probing = true;
    await probe().catch(() => {}); // the next interval probes again
    probing = false;
  }, CHECK_INTERVAL_MS);
  timer.unref();

  return {
    async query(run) {
      if (unavailable) throw new AppError("unavailable");
      const entry = { started: elapsedMs() };
      open.add(entry);
      try {
        return await run(sql);
      } finally {
        open.delete(entry);
      }
    },
    async listen(channel, call) {
      listening.push([channel, call]);
      await sql.listen(channel, call);
    },
    async close() {
      clearInterval(timer);
      await sql.close({ timeout: 5 });
    },
  };
}

/** Reports whether the server does not respond. A rejected connection is a response. */
async function isSilent(sql: SQL): Promise<boolean> {
  let responded = false;
  const settle = () => {
    responded = true;
  };
  sql.unsafe("SELECT 1").then(settle, settle);
  for (let poll = 0; poll < PROBE_POLLS && !responded; poll++) await Bun.sleep(POLL_MS);
  const silent = !responded; // read first: closing the connection rejects the query
  await sql.close({ timeout: 0 });
  return silent;
}
