/** Appends lines to a file that outlives the process, until their content is stored elsewhere. */
import {
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { newId } from "./ids.ts";

export interface Journal {
  /** Throws when the file would exceed its limit, or the disk does not take all of the lines. */
  append: (lines: readonly string[]) => void;
  /** Removes the file. Throws when it cannot be removed; it is empty then. */
  clear: () => void;
}

const LINE_BREAK = 10;
/** Bytes of most writes; longer ones get a buffer of their own. */
const BUFFER_BYTES = 64 * 1024;

/** Creates a file beside `path` with the first line and removes it on clear: two processes never share one. */
export function openJournal(path: string, maxBytes = Number.POSITIVE_INFINITY): Journal {
  let open: { file: string; handle: number } | undefined;
  let size = 0;
  // Joined text and a buffer for each write would take a third of the time.
  const shared = Buffer.allocUnsafe(BUFFER_BYTES);
  return {
    append(lines) {
      const bytes = lines.reduce((sum, line) => sum + 1 + Buffer.byteLength(line), 0);
      if (size + bytes > maxBytes) throw new Error(`The journal is full: ${maxBytes} bytes.`);
      open ??= createFile(`${path}-${newId()}`);
      const buffer = bytes > BUFFER_BYTES ? Buffer.allocUnsafe(bytes) : shared;
      let end = 0;
      for (const line of lines) {
        // The line break comes first, so that a truncated line does not spoil the next.
        buffer[end] = LINE_BREAK;
        end += 1 + buffer.write(line, end + 1);
      }
      const written = writeSync(open.handle, buffer, 0, end);
      size += written;
      if (written < bytes) throw new Error("The disk accepted only part of a line.");
    },
    clear() {
      if (!open) return;
      const { file, handle } = open;
      open = undefined;
      size = 0;
      // First: a file that cannot be removed must not bring back what is erased later.
      ftruncateSync(handle);
      closeSync(handle);
      rmSync(file, { force: true });
    },
  };
}

const createFile = (file: string) => ({ file, handle: openSync(file, "ax", 0o600) });

export interface AbandonedJournal {
  file: string;
  bytes: number;
  /** The last line may be truncated. Empty when another process has removed the file. */
  lines: () => string[];
  /** Call once the lines are stored elsewhere. */
  remove: () => void;
}

/** Returns the files of processes that ended without clearing them. */
export async function findAbandonedJournals(path: string): Promise<AbandonedJournal[]> {
  const before = listSizes(path);
  if (before.size === 0) return [];
  await Bun.sleep(IDLE_MS);
  return [...listSizes(path)]
    .filter(([file, size]) => before.get(file) === size)
    .map(([file, bytes]) => ({
      file,
      bytes,
      lines: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []),
      remove: () => rmSync(file, { force: true }),
    }));
}

/** A running process appends to its file, or clears it, within this time. Its file must not be removed. */
const IDLE_MS = 1_000;

function listSizes(path: string): Map<string, number> {
  const found = new Map<string, number>();
  const folder = dirname(path);
  for (const name of readdirSync(folder).sort()) {
    if (!name.startsWith(`${basename(path)}-`)) continue;
    const file = join(folder, name);
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile()) found.set(file, stat.size);
  }
  return found;
}
