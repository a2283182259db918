/**
 * Does Postgres still answer? One that is frozen, or a network that swallows everything, says nothing, and whoever
 * asked would wait for hours. Then every open question fails, and new ones at once, until it answers again.
 */
import { SQL } from "bun";
import { AppError } from "../contract/errors.ts";
import { elapsedMs } from "../lib/time/clock.ts";

/** A question that is open for so long makes us look; many take longer for good reasons. */
const PATIENCE_MS = 2_000;
const LOOK_EVERY_MS = 500;
/** How long it may take to answer us. Turns, not milliseconds: when this process stood still, Postgres was not silent. */
const ANSWER_TURNS = 60;
const TURN_MS = 50;

export interface PostgresLink {
  ask<T>(question: (sql: SQL) => Promise<T>): Promise<T>;
  listen(channel: string, call: () => void): Promise<void>;
  close(): Promise<void>;
}

export function keepPostgres(url: string): PostgresLink {
  const connect = (max: number) =>
    new SQL({ url, max, idleTimeout: 60, connectionTimeout: 5, bigint: true });
  const listening: [channel: string, call: () => void][] = [];
  /** When each open question was asked, the oldest first. */
  const open = new Set<{ asked: number }>();
  let sql = connect(10);
  let away = false;
  let looking = false;
  let looked = 0;

  const listen = () => {
    // A notice that is missed is found by looking at the revision.
    for (const [channel, call] of listening) sql.listen(channel, call).catch(() => {});
  };
  const look = async () => {
    const was_away = away;
    away = await isSilent(connect(1));
    looked = elapsedMs();
    if (was_away && !away) listen();
    if (was_away || !away) return;
    const lost = sql;
    sql = connect(10);
    await lost.close({ timeout: 0 }); // ends every open question on it
  };
  const timer = setInterval(async () => {
    const [oldest] = open;
    const late = oldest && elapsedMs() - Math.max(oldest.asked, looked) > PATIENCE_MS;
    if (looking || !(away || late)) return;
    looking = true;
    await look().catch(() => {}); // it is looked at again
    looking = false;
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    async ask(question) {
      if (away) throw new AppError("unavailable");
      const asked = { asked: elapsedMs() };
      open.add(asked);
      try {
        return await question(sql);
      } finally {
        open.delete(asked);
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

/** A refusal is an answer as well: whoever asks gets it too. */
async function isSilent(sql: SQL): Promise<boolean> {
  let answered = false;
  const over = () => {
    answered = true;
  };
  sql.unsafe("SELECT 1").then(over, over);
  for (let turn = 0; turn < ANSWER_TURNS && !answered; turn++) await Bun.sleep(TURN_MS);
  const silent = !answered; // before the end of the connection is taken for an answer
  await sql.close({ timeout: 0 });
  return silent;
}
