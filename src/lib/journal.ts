/** Lines on disk until what they say stands elsewhere: once written, they outlive the process. */
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
  /** Throws where the disk does not take it whole. */
  append: (line: string) => void;
  /** What was appended so far stands elsewhere. Throws where the file stays, which is empty then. */
  clear: () => void;
}

/** A file beside `path`, made for the first line and gone when it is cleared: two processes never share one. */
export function openJournal(path: string): Journal {
  let open: { file: string; handle: number } | undefined;
  return {
    append(line) {
      open ??= created(`${path}-${newId()}`);
      // In front, so that a line that was cut off spoils no other.
      const text = `\n${line}`;
      const taken = writeSync(open.handle, text);
      if (taken < Buffer.byteLength(text)) throw new Error("The disk took a part of a line.");
    },
    clear() {
      if (!open) return;
      const { file, handle } = open;
      open = undefined;
      // First: a file that cannot be removed must not bring back what is erased later.
      ftruncateSync(handle);
      closeSync(handle);
      rmSync(file, { force: true });
    },
  };
}

const created = (file: string) => ({ file, handle: openSync(file, "ax", 0o600) });

export interface LeftBehind {
  file: string;
  /** The last one may be cut off. None where another process was faster. */
  lines: () => string[];
  /** What they say stands elsewhere. */
  remove: () => void;
}

/** What processes did not come to clear. */
export async function leftBehind(path: string): Promise<LeftBehind[]> {
  const seen = sizes(path);
  if (seen.size === 0) return [];
  await Bun.sleep(STILL_MS);
  return [...sizes(path)]
    .filter(([file, size]) => seen.get(file) === size)
    .map(([file]) => ({
      file,
      lines: () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []),
      remove: () => rmSync(file, { force: true }),
    }));
}

/** A process that runs appends to its file, or clears it, within this: to remove it would lose what it appends next. */
const STILL_MS = 1_000;

function sizes(path: string): Map<string, number> {
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
