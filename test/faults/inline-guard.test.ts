/** Faults while guarded traffic flows: the evaluations of both directions are recorded. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { startKit } from "../kit/kit.ts";
import { startProgram } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const CHAT = "/v1/chat/completions";
const STREAM = { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] };
const SSE = { "content-type": "text/event-stream" };
const sayInStream = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

test.each([
  ["observe", "completes"],
  ["observe", "loses its client"],
  ["exact", "loses its client"],
  ["exact", "ends, and loses its client while it is evaluated"],
] as const)(
  "a shutdown waits for the evaluation of a large stream (%s) that %s",
  async (stream, ending) => {
    const dir = mkdtempSync(join(tmpdir(), "portcullis-guarded-"));
    const settings = { PORTCULLIS_DATA_DIR: dir };
    await using program = await startProgram({ settings });
    const { id } = await makeDetector(program, "data_loss_prevention");
    const rest = Promise.withResolvers<void>();
    // Large enough for a worker.
    const text = sayInStream("Write to jane.doe@example.com. ".repeat(100));
    const isComplete = ending === "completes";
    const chunks = [...Array(60).fill(text), rest.promise, isComplete ? "data: [DONE]\n\n" : ""];
    await using it = await makeGuardedConsumer(
      program,
      { output_rules: [{ detector_id: id, action: "transform" }] },
      { guard: { stream }, script: { headers: SSE, chunks } },
    );
    const leaving = new AbortController();
    const body = JSON.stringify(STREAM);
    const reply = await it.call(CHAT, { method: "POST", body, signal: leaving.signal });
    const reading = reply.text().catch(() => "left");

    program.child.kill("SIGTERM");
    await until(() => fetch(program.url).then(never, () => true));
    if (ending !== "loses its client") rest.resolve();
    if (ending.startsWith("ends")) await Bun.sleep(50);
    if (!isComplete) leaving.abort();
    await reading;
    await program.child.exited;

    await using next = await startProgram({ settings });
    const trace_id = reply.headers.get("x-ag-trace-id");
    const activity = await next.call("GET", `/v1/activity?trace_id=${trace_id}`);
    const { items } = (await activity.json()) as { items: Record<string, string>[] };
    const outcomes = items.map(({ direction, status }) => `${direction} ${status}`);
    // An event that the client has received in part is evaluated beside the response.
    expect([...new Set(outcomes)]).toEqual(["output transform", "input allow"]);
    rmSync(dir, { recursive: true, force: true });
  },
  40_000,
);

test("a masked stream that runs after SHUTDOWN_TIMEOUT_S ends with shutting_down, also if it is large", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-guarded-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, SHUTDOWN_TIMEOUT_S: "1" };
  await using program = await startProgram({ settings });
  const { id } = await makeDetector(program, "data_loss_prevention");
  const chunks = Array(60).fill(sayInStream("Write to jane.doe@example.com. ".repeat(100)));
  await using it = await makeGuardedConsumer(
    program,
    { output_rules: [{ detector_id: id, action: "transform" }] },
    { script: { headers: SSE, chunks, ending: "hang" } },
  );
  const reply = await it.post(CHAT, STREAM);
  const reading = reply.text();

  program.child.kill("SIGTERM");
  const text = await reading;
  await program.child.exited;

  expect(text).not.toContain("jane");
  expect(text.slice(-300)).toContain('"code":"shutting_down"');
  await using next = await startProgram({ settings });
  const activity = await next.call("GET", `/v1/activity?direction=output`);
  const uninspected = [{ detail: "This node is shutting down." }];
  expect((await activity.json()).items).toMatchObject([{ detectors: { uninspected } }]);
  const events = await next.call("GET", `/v1/gateways/${it.gateway.id}/requests`);
  expect((await events.json()).items).toMatchObject([{ error_code: "shutting_down" }]);
  rmSync(dir, { recursive: true, force: true });
}, 40_000);

test("Postgres unavailable: only requests that need approval are a 503, and only they read the database", async () => {
  await using database = await freshDatabase("postgres");
  using line = startCuttableProxy(database.url);
  await using kit = await startKit({ database_url: line.url });
  const when = { field: "model.name", op: "eq", value: "large" };
  const gates = [{ name: "large", when, action: "ask" }];
  await using it = await makeGuardedConsumer(kit, { gates });
  const send = (model: string) => it.post(CHAT, { ...STREAM, stream: false, model });
  const reads = () => kit.lines.filter((text) => text.includes("evaluated_without_database"));
  line.cut();

  const passed = await send("small");
  const readsOfPassed = reads().length;
  const asking = await send("large");

  expect([passed.status, asking.status]).toEqual([200, 503]);
  expect(await asking.json()).toMatchObject({ error: { code: "guard_unavailable" } });
  expect(readsOfPassed).toBe(0);
  expect(reads().length).toBeGreaterThan(0);
}, 30_000);

const never = () => false;
