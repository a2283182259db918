/** A gateway's plugins run by priority; disabled plugins do not run. */
import { expect, test } from "bun:test";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { gatewayTable } from "../../src/db/tables/gateways.ts";
import { compileSnapshot } from "../../src/snapshot/compile.ts";
import { freshDatabase } from "../kit/services.ts";

const entry = (name: string, priority: number, enabled = true) => ({
  name,
  enabled,
  stage: "pre_request",
  priority,
  settings: {},
});

test("plugins are ordered by priority, lower first, and by list order if equal", async () => {
  await using database = await freshDatabase("sqlite");
  const db = await openDb(database.url);
  await migrate(db, new Date());
  // Inserted into the table, because the API accepts only the one plugin that exists.
  await gatewayTable.insert(db, {
    id: "g",
    name: "g",
    slug: "g",
    required_plugins: [
      entry("c", 5),
      entry("off", 0, false),
      entry("a", 1),
      entry("d", 5),
      entry("b", 2),
    ],
    metadata: {},
    store: { default_level: "request", public_catalog: false },
    guard: { collector_id: null },
    version: 1,
    created_at: "",
    updated_at: "",
  });

  const keyring = () => ({ current: "k", keys: new Map() });
  const { gateways } = await compileSnapshot(db, { keyring, demo_url: "", programs: new Map() });

  expect(gateways.get("g")?.plugins.map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
  await db.close();
});
