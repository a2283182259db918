/** The owned_files table: the consumer that created each file or other object that an upstream stores. */
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";

export interface FileLocation {
  registry_id: string;
  /** Id of a file, batch, upload, response or conversation: unique within its registry. */
  file_id: string;
}

export interface OwnedFile extends FileLocation {
  consumer_id: string;
  created_at: string;
  /** Null: the owner is stored until the object is deleted. */
  expires_at: string | null;
}

/** Saves or replaces the owner of a file. Writes nothing if the consumer or registry was deleted meanwhile. */
export async function saveOwnedFile(db: Db, row: OwnedFile): Promise<void> {
  await db.run(
    `INSERT INTO owned_files (registry_id, file_id, consumer_id, created_at, expires_at)
     SELECT registries.id, $1, consumers.id, $2, $5 FROM registries, consumers
     WHERE registries.id = $3 AND consumers.id = $4
     ON CONFLICT (registry_id, file_id)
     DO UPDATE SET consumer_id = excluded.consumer_id, created_at = excluded.created_at,
       expires_at = excluded.expires_at`,
    row.file_id,
    row.created_at,
    row.registry_id,
    row.consumer_id,
    row.expires_at,
  );
}

export async function deleteOwnedFile(
  db: Db,
  { registry_id, file_id }: FileLocation,
): Promise<void> {
  await db.run(
    "DELETE FROM owned_files WHERE registry_id = $1 AND file_id = $2",
    registry_id,
    file_id,
  );
}

export const deleteExpiredOwners = (db: Db, now: Date): Promise<number> =>
  deleteInBatches(db, "owned_files", "expires_at <= $1", now.toISOString());

/** Returns those of the objects that the consumer owns, in one read by primary key. */
export async function filterOwnedFiles(
  db: Db,
  consumer_id: string,
  places: { registry_ids: readonly string[]; file_ids: readonly string[] },
): Promise<FileLocation[]> {
  const rows = await db.many<FileLocation & { consumer_id: string }>(
    `SELECT registry_id, file_id, consumer_id FROM owned_files
     WHERE registry_id ${isIn(db, "$1")} AND file_id ${isIn(db, "$2")}`,
    JSON.stringify(places.registry_ids),
    JSON.stringify(places.file_ids),
  );
  // Not in the SQL: SQLite would scan all files of the consumer, 60 ms for 100,000 files.
  return rows.filter((row) => row.consumer_id === consumer_id);
}

/** Passes a list of any length as one parameter, so that the statement is prepared once. */
const isIn = ({ dialect }: Db, place: string): string =>
  dialect === "sqlite"
    ? `IN (SELECT value FROM json_each(${place}))`
    : `= ANY (ARRAY(SELECT json_array_elements_text(${place}::text::json)))`;
