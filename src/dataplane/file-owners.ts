/** Knows which consumer uploaded a file: from memory, else from the database, which is written after the response. */
import { AppError } from "../contract/errors.ts";
import {
  deleteOwnedFile,
  type FileLocation,
  filterOwnedFiles,
  type OwnedFile,
  saveOwnedFile,
} from "../db/owned-files.ts";
import type { Deps } from "../deps.ts";
import { createLruCache } from "../lib/lru-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";

export interface FileOwners {
  remember(file: OwnedFile): void;
  forget(place: FileLocation): void;
  /** The one of these registries that has all of these files, each uploaded by the consumer. */
  findRegistry(
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<string | undefined>;
  /** Those of a registry's files that are the consumer's. */
  findOwn(
    consumer_id: string,
    registry_id: string,
    file_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Writes what is not written yet. */
  stop(): Promise<void>;
}

const MAX_KNOWN = 100_000;
const MAX_ABSENT = 10_000;
/** Some 20 MB, should the database be away for long. */
const MAX_WAITING = 50_000;
/** Together well under the second after which every node knows of an upload. */
const ABSENT_MS = 300;
const SOON_MS = 20;
const AGAIN_MS = 500;

/** Without a consumer: the file was deleted. */
type Change = FileLocation & Partial<OwnedFile>;

export function createFileOwners({ db, log }: Pick<Deps, "db" | "log">): FileOwners {
  /** By place: the consumer. Not all of them; the database has the rest. */
  const known = createLruCache<string>(MAX_KNOWN);
  /** By consumer and file: until when "not yours" holds without another look. */
  const absent = createLruCache<number>(MAX_ABSENT);
  /** By place: what the database does not know yet, and so is wrong about. */
  const waiting = new Map<string, Change>();
  /** Set from the first change until all are written: there is one writer, so they keep their order. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing = Promise.resolve();
  let failing = false;

  const isOwn = (consumer_id: string, place: FileLocation): boolean => {
    const key = keyOf(place);
    const change = waiting.get(key);
    return (change ? change.consumer_id : known.get(key)) === consumer_id;
  };

  /**
   * The one read of the database on the way of a request. Files are uploaded on other nodes and before
   * a restart, and there may be more than memory should hold: without it their owner would get a 404.
   */
  const read = async (
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<FileLocation[]> => {
    const rows = await filterOwnedFiles(db, consumer_id, { registry_ids, file_ids });
    const current = rows.filter((row) => !waiting.has(keyOf(row)));
    for (const row of current) known.set(keyOf(row), consumer_id);
    return current;
  };

  const change = (next: Change) => {
    const key = keyOf(next);
    // Behind the ones that wait, also when it replaces one of them.
    waiting.delete(key);
    if (waiting.size < MAX_WAITING) waiting.set(key, next);
    else log("owned_file_dropped", { level: "error", ...next });
    timer ??= writeIn(SOON_MS);
  };
  const writeIn = (ms: number) =>
    setTimeout(() => {
      writing = write();
    }, ms);
  const write = async () => {
    await drain();
    timer = waiting.size > 0 ? writeIn(AGAIN_MS) : undefined;
  };
  /** Changes that come while it runs are written too. */
  const drain = async () => {
    try {
      for (const [key, next] of waiting) {
        await save(next);
        if (waiting.get(key) === next) waiting.delete(key);
        failing = false;
        // On SQLite the process waits for each write: others get their turn.
        await new Promise(setImmediate);
      }
    } catch (thrown) {
      // They stay where they are and go out when the database is back.
      const count = waiting.size;
      if (!failing) log("owned_files_held", { level: "error", waiting: count, error: thrown });
      failing = true;
    }
  };
  /** Throws only when the database is away: a row it refuses would hold up all that follow. */
  const save = async (next: Change) => {
    try {
      if (isOwned(next)) await saveOwnedFile(db, next);
      else await deleteOwnedFile(db, next);
    } catch (thrown) {
      if (AppError.from(thrown).code === "unavailable") throw thrown;
      log("owned_file_refused", { level: "error", ...next, error: thrown });
    }
  };

  return {
    remember(file) {
      known.set(keyOf(file), file.consumer_id);
      change(file);
    },
    forget({ registry_id, file_id }) {
      known.delete(keyOf({ registry_id, file_id }));
      change({ registry_id, file_id });
    },
    async findRegistry(consumer_id, registry_ids, file_ids) {
      const holds = (file_id: string) => (registry_id: string) =>
        isOwn(consumer_id, { registry_id, file_id });
      const holder = () =>
        registry_ids.find((registry_id) =>
          file_ids.every((file_id) => holds(file_id)(registry_id)),
        );
      const found = holder();
      if (found !== undefined) return found;
      const unknown = file_ids.filter((file_id) => !registry_ids.some(holds(file_id)));
      const absenceOf = (file_id: string) => `${consumer_id} ${file_id}`;
      const isAbsent = (file_id: string) => (absent.get(absenceOf(file_id)) ?? 0) > elapsedMs();
      if (unknown.length === 0 || unknown.some(isAbsent)) return undefined;
      // What it finds is remembered, and so found by the second look.
      const rows = await read(consumer_id, registry_ids, unknown);
      const present = new Set(rows.map(({ file_id }) => file_id));
      for (const file_id of unknown) {
        if (!present.has(file_id)) absent.set(absenceOf(file_id), elapsedMs() + ABSENT_MS);
      }
      return holder();
    },
    async findOwn(consumer_id, registry_id, file_ids) {
      const isKnown = (file_id: string) => isOwn(consumer_id, { registry_id, file_id });
      const own = new Set(file_ids.filter(isKnown));
      const others = file_ids.filter((file_id) => !own.has(file_id));
      const rows = others.length > 0 ? await read(consumer_id, [registry_id], others) : [];
      for (const { file_id } of rows) own.add(file_id);
      return own;
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      clearTimeout(timer);
      await drain();
      for (const lost of waiting.values()) log("owned_file_dropped", { level: "error", ...lost });
    },
  };
}

const isOwned = (change: Change): change is OwnedFile => change.consumer_id !== undefined;

/** Neither part holds a space. */
const keyOf = ({ registry_id, file_id }: FileLocation): string => `${registry_id} ${file_id}`;
