/** A node of the previous version and a new one serve from one schema; the previous one does not start on it again. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { $ } from "bun";
import { addConsumer, makeConsumer, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { makeGuard } from "../kit/guard.ts";
import { startProgram } from "../kit/program.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

/** The first version that can run next to a newer one. A release replaces it with the commit of the release before. */
const PREVIOUS = "38b7ed1c";

/** A downloaded archive of the sources has no history. */
const hasHistory =
  (await $`git cat-file -e ${`${PREVIOUS}^{commit}`}`.nothrow().quiet()).exitCode === 0;

/** Returns the launcher of the previous version, with the dependencies of this checkout. */
async function extractPrevious(folder: string): Promise<string> {
  await $`git archive ${PREVIOUS} bin src models package.json | tar -x -C ${folder}`.quiet();
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  return join(folder, "bin/portcullis");
}

const KEYS = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
const CHAT = "/v1/chat/completions";

describe.if(hasHistory)("with a node of the previous version", () => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-previous-"));
  let launcher = "";
  beforeAll(async () => {
    launcher = await extractPrevious(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(databaseKinds)(
    "both nodes serve and configure one schema on %s",
    async (database) => {
      await using upstream = startUpstream(() => ({ body: { object: "chat.completion" } }));
      await using fresh = await freshDatabase(database);
      const settings = { DATABASE_URL: fresh.url, PORTCULLIS_KEYS: KEYS };
      await using previous = await startProgram({ settings, launcher });
      const attached = [{ provider: "openai", url: upstream.url }];
      const first = await makeConsumer(previous, attached);
      const guard = await makeGuard(previous, { gates: [{ name: "all", action: "report" }] });

      await using current = await startProgram({ settings });
      const fromCurrent = await addConsumer(current, first.gateway, attached);
      const fromPrevious = await addConsumer(previous, first.gateway, attached);

      const requests: Promise<void>[] = [];
      for (const { slug, key } of [first, fromCurrent, fromPrevious]) {
        for (const { url } of [previous, current]) {
          const send = async () =>
            (
              await fetch(`${url}/${slug}${CHAT}`, {
                method: "POST",
                headers: { "x-ag-api-key": key, "content-type": "application/json" },
                body: JSON.stringify({ model: "m" }),
              })
            ).status === 200;
          // The other node reads the change within a second.
          requests.push(until(send).then(() => {}));
        }
      }
      await Promise.all(requests);
      // Each node decrypts what the other has sealed.
      const sent = upstream.hits.map(({ headers }) => headers.authorization);
      expect(new Set(sent)).toEqual(new Set([`Bearer ${UPSTREAM_KEY}`]));

      for (const { url } of [previous, current]) {
        const reply = await fetch(`${url}/v1/evaluate`, {
          method: "POST",
          headers: { authorization: `Bearer ${guard.key}`, "content-type": "application/json" },
          body: JSON.stringify({ payload: { input: "hello" } }),
        });
        expect(await reply.json()).toMatchObject({ status: "report" });
      }
      const events = `/v1/gateways/${first.gateway.id}/requests?limit=200`;
      for (const { admin } of [previous, current]) {
        const count = async (path: string) => {
          const reply = await admin("GET", path);
          return ((await reply.json()) as { items: { status: unknown }[] }).items.length;
        };
        await until(async () => (await count("/v1/activity")) === 2);
        await until(async () => (await count(events)) >= upstream.hits.length);
      }

      await previous.stop();
      const again = startProgram({ settings, launcher });
      expect(await again.then(String, String)).toContain("which this release does not know");
    },
    60_000,
  );
});
