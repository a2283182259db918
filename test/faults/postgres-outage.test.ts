/** Postgres unavailable: acknowledged events survive the exit of the node. */
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const CHAT = "/v1/chat/completions";

const journalsIn = (dir: string) => readdirSync(dir).filter((name) => /-(act|req)\w+-/.test(name));

test.concurrent.each([
  ["SIGKILL", "cut", "after"],
  ["SIGKILL", "cut", "before"],
  ["SIGTERM", "cut", "after"],
  ["SIGKILL", "freeze", "after"],
] as const)(
  "events that Postgres did not accept survive %s (connection %s, commit %s), once each",
  async (signal, fault, ACTIVITY_COMMIT) => {
    await using stack = new AsyncDisposableStack();
    const database = stack.use(await freshDatabase("postgres"));
    const line = stack.use(startCuttableProxy(database.url));
    const upstream = stack.use(startUpstream({ body: { ok: true } }));
    const dir = mkdtempSync(join(tmpdir(), "portcullis-outage-"));
    stack.defer(() => rmSync(dir, { recursive: true, force: true }));
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: line.url, ACTIVITY_COMMIT };
    const program = await startProgram({ settings });
    const consumer = await makeConsumer(program, [{ provider: "openai", url: upstream.url }]);
    const guard = await makeGuard(program, {});
    const both = async () => [
      (await consumer.post(CHAT, { model: "m" })).headers.get("x-request-id"),
      (await guard.evaluate({ payload: { input: "x" } })).request_id,
    ];
    const acknowledged = [await both()];

    line[fault]();
    for (let round = 0; round < 20; round += 1) acknowledged.push(await both());
    await until(() => journalsIn(dir).length === 2);
    // Bun itself reports that it cannot listen for notifications.
    if (signal === "SIGTERM") await until(() => program.logged().includes("LISTEN"));
    for (const text of program.logged().split("\n").slice(0, -1))
      expect(() => JSON.parse(text)).not.toThrow();
    for (let round = 0; round < 20; round += 1) acknowledged.push(await both());
    program.child.kill(signal);
    await program.child.exited;
    if (fault === "cut") line.mend();
    else line.thaw();
    await using next = await startProgram({ settings });

    const requests = await next.call(
      "GET",
      `/v1/gateways/${consumer.gateway.id}/requests?limit=200`,
    );
    const events: { id: string }[] = (await requests.json()).items;
    const activity = await next.call("GET", `/v1/activity?limit=200`);
    const evaluations: { id: string }[] = (await activity.json()).items;
    const sorted = (ids: (string | null | undefined)[]) => ids.map(String).sort();
    expect(sorted(events.map(({ id }) => id))).toEqual(sorted(acknowledged.map(([id]) => id)));
    expect(sorted(evaluations.map(({ id }) => id))).toEqual(
      sorted(acknowledged.map(([, id]) => id)),
    );
    expect(journalsIn(dir)).toEqual([]);
  },
  40_000,
);

test.concurrent("a read-only Postgres is reported by readiness and doctor, and the log reports when events are written", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase("postgres"));
  const line = stack.use(startCuttableProxy(database.url));
  const upstream = stack.use(startUpstream({ body: { ok: true } }));
  const kit = stack.use(await startKit({ database_url: line.url }));
  const consumer = await makeConsumer(kit, [{ provider: "openai", url: upstream.url }]);
  const guard = await makeGuard(kit, {});
  const logged = (event: string) => kit.lines.some((text) => text.includes(event));

  const server = new SQL(process.env.TEST_DATABASE_URL ?? "", { max: 1 });
  stack.defer(() => server.close());
  /** New sessions begin with this state. */
  const restartPostgres = async (readOnly: "on" | "off") => {
    line.cut();
    const name = new URL(database.url).pathname.slice(1);
    await server.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${readOnly}`);
    line.mend();
  };
  const degraded = async () => (await (await fetch(`${kit.url}/readyz`)).json()).degraded?.join();

  await restartPostgres("on");
  await consumer.post(CHAT, { model: "m" });
  await guard.evaluate({ payload: { input: "x" } });
  await until(() => logged("events_held") && logged("evaluations_held"));
  await until(async () => (await degraded())?.includes("accepts no writes"));
  const doctor = await runProgram(["doctor", "--json"], { DATABASE_URL: database.url });
  await restartPostgres("off");

  await until(() => logged("events_written") && logged("evaluations_written"));
  await until(async () => (await degraded()) === undefined);
  expect(JSON.parse(doctor.out).checks).toContainEqual({
    name: "database",
    state: "fail",
    message: expect.stringContaining("read-only"),
    todo: expect.stringContaining("DATABASE_URL"),
  });
}, 40_000);
