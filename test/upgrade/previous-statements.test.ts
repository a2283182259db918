/** Statements of the previous release work in the newest schema, so that nodes of both releases can run side by side. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type Db, openDb, type Value } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";
import { fixtureFile } from "./load-fixture.ts";

const RELEASE = "eb2e1da";

interface Recorded {
  sql: string;
  values: Value[];
  /** Set if only this database supports the statement. */
  dialect?: Db["dialect"];
}

const recorded: Recorded[] = readFileSync(fixtureFile(RELEASE, "statements.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

const UNDONE = new Error("undone");

/** Returns the error of the statement; undefined if it succeeds. Its changes are rolled back. */
async function failureOf(db: Db, { sql, values }: Recorded): Promise<string | undefined> {
  const outcome = db.transaction(async (tx) => {
    // Disables foreign keys, because the referenced rows do not exist.
    if (tx.dialect === "postgres") await tx.run("SET LOCAL session_replication_role = replica");
    await tx.many(sql, ...values);
    throw UNDONE;
  });
  const thrown = await outcome.catch((reason: Error) => reason);
  return thrown === UNDONE ? undefined : `${sql}: ${String(thrown.cause ?? thrown)}`;
}

test.each(databaseKinds)(
  "every statement of the previous release runs in the newest schema of %s",
  async (database) => {
    await using fresh = await freshDatabase(database);
    const db = await openDb(fresh.url);
    await migrate(db, new Date());
    if (database === "sqlite") await db.run("PRAGMA foreign_keys = OFF");
    const failures: string[] = [];
    for (const statement of recorded) {
      if (statement.dialect && statement.dialect !== database) continue;
      const failure = await failureOf(db, statement);
      if (failure !== undefined) failures.push(failure);
    }
    await db.close();

    expect(failures).toEqual([]);
  },
);
