/** Owners of stored objects, such as files: an LRU cache over the database, which is written behind the responses. */
import {
  deleteOwnedFile,
  type FileLocation,
  filterOwnedFiles,
  type OwnedFile,
  saveOwnedFile,
} from "../../db/tables/owned-files.ts";
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Deps } from "../../deps.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";

export interface ObjectOwners {
  add(file: OwnedFile): void;
  remove(location: FileLocation): void;
  /** Returns the registry that has all of these objects, each created by the consumer. */
  findRegistry(
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<string | undefined>;
  /** Returns those of a registry's objects that the consumer created. */
  findOwn(
    consumer_id: string,
    registry_id: string,
    file_ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Writes the pending changes. */
  stop(): Promise<void>;
}

const MAX_CACHED_OWNERS = 100_000;
const MAX_CACHED_ABSENCES = 10_000;
/** About 20 MB, during a long outage of the database. */
const MAX_QUEUED = 50_000;
/** ABSENCE_MS and FLUSH_MS together are well under the second within which every node learns of a new object. */
const ABSENCE_MS = 300;
const FLUSH_MS = 20;
/** A durable commit takes up to milliseconds, so rows share it; 128 rows block SQLite for about 2 ms. */
const BATCH_ROWS = 128;
const RETRY_MS = 500;

/** Without a consumer, the object was deleted. */
type Change = FileLocation & Partial<OwnedFile>;

export function createObjectOwners({ db, log }: Pick<Deps, "db" | "log">): ObjectOwners {
  /** Consumer by location. Incomplete: the database has the rest. */
  const owners = createLruCache<string>(MAX_CACHED_OWNERS);
  /** Negative cache: expiry by consumer and object. */
  const absences = createLruCache<number>(MAX_CACHED_ABSENCES);
  /** Newest change by location that is not in the database yet. Takes precedence over it. */
  const pending = new Map<string, Change>();
  const queue = createWriteBehindQueue<Change>({
    kind: "owned_file",
    log,
    write: (changes) =>
      db.transaction(async (tx) => {
        for (const change of changes) {
          if (isCreation(change)) await saveOwnedFile(tx, change);
          else await deleteOwnedFile(tx, change);
        }
      }),
    maxBatch: () => BATCH_ROWS,
    maxRows: MAX_QUEUED,
    flushMs: () => FLUSH_MS,
    retryMs: RETRY_MS,
    onDone: (changes) => {
      for (const change of changes) {
        if (pending.get(toKey(change)) === change) pending.delete(toKey(change));
      }
    },
    toLogFields: (change) => ({ ...change }),
  });

  const isOwner = (consumer_id: string, location: FileLocation): boolean => {
    const key = toKey(location);
    const change = pending.get(key);
    return (change ? change.consumer_id : owners.get(key)) === consumer_id;
  };

  /**
   * The only database read of data-plane requests. It finds objects that were created on other nodes or before
   * a restart, or that were evicted from the cache; their owner would get a 404 without it.
   */
  const read = async (
    consumer_id: string,
    registry_ids: readonly string[],
    file_ids: readonly string[],
  ): Promise<FileLocation[]> => {
    const rows = await filterOwnedFiles(db, consumer_id, { registry_ids, file_ids });
    const current = rows.filter((row) => !pending.has(toKey(row)));
    for (const row of current) owners.set(toKey(row), consumer_id);
    return current;
  };

  const enqueue = (change: Change) => {
    if (queue.add(change)) pending.set(toKey(change), change);
    else pending.delete(toKey(change));
  };

  return {
    add(file) {
      owners.set(toKey(file), file.consumer_id);
      enqueue(file);
    },
    remove({ registry_id, file_id }) {
      owners.delete(toKey({ registry_id, file_id }));
      enqueue({ registry_id, file_id });
    },
    async findRegistry(consumer_id, registry_ids, file_ids) {
      const hasFile = (file_id: string) => (registry_id: string) =>
        isOwner(consumer_id, { registry_id, file_id });
      const findInCache = () =>
        registry_ids.find((registry_id) =>
          file_ids.every((file_id) => hasFile(file_id)(registry_id)),
        );
      const cached = findInCache();
      if (cached !== undefined) return cached;
      const unknown = file_ids.filter((file_id) => !registry_ids.some(hasFile(file_id)));
      const toAbsenceKey = (file_id: string) => `${consumer_id} ${file_id}`;
      const isAbsent = (file_id: string) =>
        (absences.get(toAbsenceKey(file_id)) ?? 0) > elapsedMs();
      if (unknown.length === 0 || unknown.some(isAbsent)) return undefined;
      // Fills the cache, which is then read again.
      const rows = await read(consumer_id, registry_ids, unknown);
      const present = new Set(rows.map(({ file_id }) => file_id));
      for (const file_id of unknown) {
        if (!present.has(file_id)) absences.set(toAbsenceKey(file_id), elapsedMs() + ABSENCE_MS);
      }
      return findInCache();
    },
    async findOwn(consumer_id, registry_id, file_ids) {
      const isCached = (file_id: string) => isOwner(consumer_id, { registry_id, file_id });
      const own = new Set(file_ids.filter(isCached));
      const others = file_ids.filter((file_id) => !own.has(file_id));
      const rows = others.length > 0 ? await read(consumer_id, [registry_id], others) : [];
      for (const { file_id } of rows) own.add(file_id);
      return own;
    },
    stop: queue.stop,
  };
}

const isCreation = (change: Change): change is OwnedFile => change.consumer_id !== undefined;

/** Neither part contains a space. */
const toKey = ({ registry_id, file_id }: FileLocation): string => `${registry_id} ${file_id}`;
