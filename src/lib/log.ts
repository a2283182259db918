/** Structured logs: one JSON line per event, or a readable line on a terminal. Redacts secrets. */
import { redact } from "./redact.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];
export type Log = (event: string, fields: Record<string, unknown>) => void;

export interface LogOptions {
  level: Level;
  pretty: boolean;
  now: () => Date;
  write: (line: string) => void;
}

/** `fields.level` sets the level of an event; the default is info. */
export function createLog({ level: minLevel, pretty, now, write }: LogOptions): Log {
  const threshold = LEVELS.indexOf(minLevel);
  return (event, { level = "info", ...fields }) => {
    if (LEVELS.indexOf(level as Level) < threshold) return;
    const safe = redact(fields) as Record<string, unknown>;
    const at = now().toISOString();
    write(
      pretty
        ? `${at.slice(11, 23)} ${String(level).padEnd(5)} ${event}${prettyFields(safe)}\n`
        : `${JSON.stringify({ time: at, level, event, ...safe })}\n`,
    );
  };
}

const WRITE_AFTER_MS = 50;
const MAX_LINES = 10_000;

/**
 * Buffers lines and writes them together after 50 ms, so that no request waits for the disk. Lines beyond the
 * limit are dropped and counted in a log line. `write` returns false when its reader is behind: lines are then
 * buffered until `resume`.
 */
export function createLineWriter(write: (text: string) => boolean) {
  let lines: string[] = [];
  let dropped = 0;
  let behind = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (behind) return;
    if (dropped) lines.push(`{"level":"error","event":"log_lines_dropped","count":${dropped}}\n`);
    const text = lines.join("");
    lines = [];
    dropped = 0;
    if (text) behind = !write(text);
  };
  return {
    write: (line: string) => {
      if (lines.length >= MAX_LINES) dropped += 1;
      else lines.push(line);
      timer ??= setTimeout(flush, WRITE_AFTER_MS);
    },
    flush,
    resume: () => {
      behind = false;
      flush();
    },
    isBehind: () => behind,
  };
}

function prettyFields(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
}
