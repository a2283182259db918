/** Owners of stored objects are written in batches: a durable commit for each one would delay a shutdown by seconds. */
import { describe, expect, test } from "bun:test";
import { createObjectOwners } from "../../src/dataplane/objects/object-owners.ts";
import type { Db } from "../../src/db/db.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

describe.each(databaseKinds)("%s", (database) => {
  test("the owners of 1,000 objects share few commits, and the newest change of each is stored", async () => {
    await using kit = await startKit({ database });
    const { id: consumer_id, registries } = await makeConsumer(kit, [
      { provider: "openai", url: "http://127.0.0.1:1/v1" },
    ]);
    const [{ id: registry_id } = { id: "" }] = registries;
    let commits = 0;
    const db: Db = {
      ...kit.db,
      run: (...args) => {
        commits += 1;
        return kit.db.run(...args);
      },
      transaction: (work) => {
        commits += 1;
        return kit.db.transaction(work);
      },
    };
    const owners = createObjectOwners({ db, log: () => {} });
    const [created_at, expires_at] = ["2026-01-01T00:00:00.000Z", null];
    const add = (file_id: string) =>
      owners.add({ registry_id, file_id, consumer_id, created_at, expires_at });

    for (let n = 0; n < 1000; n++) add(`file_${n}`);
    owners.remove({ registry_id, file_id: "file_1" });
    owners.remove({ registry_id, file_id: "file_2" });
    add("file_2");
    await owners.stop();

    const rows = await kit.db.many<{ file_id: string }>("SELECT file_id FROM owned_files");
    const ids = rows.map(({ file_id }) => file_id);
    expect([ids.length, ids.includes("file_1"), ids.includes("file_2")]).toEqual([
      999,
      false,
      true,
    ]);
    expect(commits).toBeLessThan(50);
  });
});
