/** Records and finds the consumer that uploaded a file: in memory, else in the database. Writes follow the response. */
import {
  deleteOwnedFile,
  type FileLocation,
  filterOwnedFiles,
  type OwnedFile,
  saveOwnedFile,
} from "../db/owned-files.ts";
import { createWriteBehindQueue } from "../db/write-behind-queue.ts";
import type { Deps } from "../deps.ts";
import { createLruCache } from "../lib/lru-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";

export interface FileOwners {
  remember(file: OwnedFile): void;
  forget(place: FileLocation): void;
  /** Returns the registry that has all of these files, each uploaded by the consumer. */
  findRegistry(
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<string | undefined>;
  /** Returns those of a registry's files that the consumer uploaded. */
  findOwn(
    consumer_id: string,
    registry_id: string,
    file_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Writes the pending changes. */
  stop(): Promise<void>;
}

const MAX_KNOWN = 100_000;
const MAX_ABSENT = 10_000;
/** About 20 MB, during a long outage of the database. */
const MAX_QUEUED = 50_000;
/** ABSENT_MS and FLUSH_MS together are well under the second within which every node learns of an upload. */
const ABSENT_MS = 300;
const FLUSH_MS = 20;
const RETRY_MS = 500;

/** Without a consumer: the file was deleted. */
type Change = FileLocation & Partial<OwnedFile>;

export function createFileOwners({ db, log }: Pick<Deps, "db" | "log">): FileOwners {
  /** Consumer by file location. Incomplete: the database has the rest. */
  const known = createLruCache<string>(MAX_KNOWN);
  /** By consumer and file: until when the file counts as another consumer's without a database read. */
  const absent = createLruCache<number>(MAX_ABSENT);
  /** By file location: the newest change that is not in the database yet. */
  const pending = new Map<string, Change>();
  const queue = createWriteBehindQueue<Change>({
    kind: "owned_file",
    log,
    write: async ([change]) => {
      if (!change) return;
      if (isOwned(change)) await saveOwnedFile(db, change);
      else await deleteOwnedFile(db, change);
    },
    batchSize: () => 1,
    maxRows: MAX_QUEUED,
    flushMs: () => FLUSH_MS,
    retryMs: RETRY_MS,
    onDone: ([change]) => {
      if (change && pending.get(keyOf(change)) === change) pending.delete(keyOf(change));
    },
    toLogFields: (change) => ({ ...change }),
  });

  const isOwn = (consumer_id: string, place: FileLocation): boolean => {
    const key = keyOf(place);
    const change = pending.get(key);
    return (change ? change.consumer_id : known.get(key)) === consumer_id;
  };

  /**
   * Reads the database, the only time that a data-plane request does: files may have been uploaded on another node,
   * before a restart, or be too many for memory, and their owner must not get a 404.
   */
  const read = async (
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<FileLocation[]> => {
    const rows = await filterOwnedFiles(db, consumer_id, { registry_ids, file_ids });
    const current = rows.filter((row) => !pending.has(keyOf(row)));
    for (const row of current) known.set(keyOf(row), consumer_id);
    return current;
  };

  const record = (change: Change) => {
    if (queue.add(change)) pending.set(keyOf(change), change);
    else pending.delete(keyOf(change));
  };

  return {
    remember(file) {
      known.set(keyOf(file), file.consumer_id);
      record(file);
    },
    forget({ registry_id, file_id }) {
      known.delete(keyOf({ registry_id, file_id }));
      record({ registry_id, file_id });
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
      // Stores what it finds in `known`, for the second search.
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
    stop: queue.stop,
  };
}

const isOwned = (change: Change): change is OwnedFile => change.consumer_id !== undefined;

/** Neither part contains a space. */
const keyOf = ({ registry_id, file_id }: FileLocation): string => `${registry_id} ${file_id}`;
