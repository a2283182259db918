/** A failover that loses the last commit reuses its revision number; nodes must detect the difference. */
import { expect, test } from "bun:test";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { startKit } from "../kit/kit.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

// Postgres alone: SQLite has no replica to fail over to.
test("a key revoked after a failover that lost a commit is rejected on every node", async () => {
  await using database = await freshDatabase("postgres");
  using line = startCuttableProxy(database.url);
  await using one = await startKit({ database_url: line.url });
  await using other = await startKit({ database_url: database.url, data_dir: one.data_dir });
  const consumer = await makeConsumer(one, []);
  const statusAt = async (url: string) => {
    const headers = { "x-ag-api-key": consumer.key };
    return (await fetch(`${url}/${consumer.slug}/v1/models`, { headers })).status;
  };
  await one.make("/v1/gateways", { name: "Lost" });
  await until(async () => (await statusAt(other.url)) === 200);
  const before = one.deps.snapshot().revision;

  line.cut();
  // The replica took over without the last commit.
  await other.db.run("DELETE FROM gateways WHERE name = 'Lost'");
  await other.db.run(
    "UPDATE config_revision SET revision = revision - 1, change_id = 'before' WHERE id = 1",
  );
  await until(() => other.deps.snapshot().revision === before - 1);
  await other.delete(`${consumer.path}/keys/${consumer.key_id}`);
  expect(other.deps.snapshot().revision).toBe(before);
  line.mend();

  await until(async () => (await statusAt(one.url)) === 401);
});
