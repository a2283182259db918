/** Calls back when one of several files may have changed. */
import { type FSWatcher, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";

/** Debounce: editors write a file in several steps. */
const DEBOUNCE_MS = 100;
/** Some file systems (network shares, mounted secrets) send no change events. */
const POLL_MS = 5_000;

export interface FilesWatch {
  /** Resolves when the last call has finished. */
  stop: () => Promise<void>;
}

/** `onChange` compares the content itself: it is also called every five seconds. Calls do not overlap. */
export function watchFiles(
  files: readonly string[],
  onChange: () => void | Promise<void>,
): FilesWatch {
  let running: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const schedule = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(onChange);
    }, DEBOUNCE_MS);
  };
  const poll = setInterval(schedule, POLL_MS);
  const watchers = files.map((file) => watchFolder(resolve(file), schedule));
  return {
    stop: async () => {
      for (const watcher of watchers) watcher?.close();
      clearInterval(poll);
      clearTimeout(timer);
      await running;
    },
  };
}

/** Watches the folder, because an editor that saves by rename replaces the file. */
function watchFolder(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_, name) => {
      // Mounted secrets change a link next to the file (`..data`).
      if (name === null || name === basename(path) || name.startsWith("..")) onChange();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined; // No watches left on this machine: the poll still detects changes.
  }
}
