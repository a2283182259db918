/** Lines on disk until what they say stands elsewhere: once written, they outlive the process. */
import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { newId } from "./ids.ts";

export interface Journal {
  /** Throws where the disk does not take it whole. */
  append: (line: string) => void;
  /** What was appended so far stands elsewhere. */
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
      closeSync(handle);
      rmSync(file, { force: true });
    },
  };
}

const created = (file: string) => ({ file, handle: openSync(file, "ax", 0o600) });

export interface LeftBehind {
  lines: string[];
  /** What they say stands elsewhere. */
  remove: () => void;
}

/** What processes did not come to clear. The last line of a file may be cut off. */
export function leftBehind(path: string): LeftBehind[] {
  const folder = dirname(path);
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(path)}-`))
    .sort()
    .map((name) => {
      const file = join(folder, name);
      return {
        lines: readFileSync(file, "utf8").split("\n").filter(Boolean),
        remove: () => rmSync(file, { force: true }),
      };
    });
}
