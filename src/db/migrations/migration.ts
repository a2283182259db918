/** One schema migration. Forward only; never edited after its release. */
export interface Migration {
  id: string;
  /** Runs unchanged on SQLite and Postgres. */
  sql: string;
}
