/** One step of the schema. Forward only; never edited after it was released. */
export interface Migration {
  id: string;
  /** Runs unchanged on SQLite and Postgres. */
  sql: string;
}
