/** Workers that share one port: consistent configuration, replacement after a crash, metrics (decision 0014). */
import { afterAll, expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { readMetrics } from "../kit/metrics.ts";
import { killWorker, runProgram, startProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";
import { entryOf } from "../limiter/limited.ts";

const program = await startProgram({ args: ["--workers", "2"], settings: { WORKER_HANG_S: "2" } });
afterAll(() => program[Symbol.asyncDispose]());

/** The kernel chooses the worker of a connection: all of this many choose one worker in 1 of 8 million runs. */
const CONNECTIONS = 24;

/** Sends a request on each of many new connections; returns the distinct statuses. */
async function statuses(url: string, headers: Record<string, string>): Promise<number[]> {
  const replies = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => fetch(url, { headers, keepalive: false })),
  );
  await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  return [...new Set(replies.map(({ status }) => status))];
}

test("a key works on all workers when it is created, and on none when it is revoked", async () => {
  const consumer = await makeConsumer(program, [{ provider: "demo", url: "" }]);
  const keys = `${consumer.path}/keys`;
  const models = `${consumer.url}/v1/models`;

  for (let round = 0; round < 3; round++) {
    const { id, key } = await program.make<{ id: string; key: string }>(keys, { name: "k" });
    const headers = { "x-ag-api-key": key };
    expect(await statuses(models, headers)).toEqual([200]);
    await program.call("DELETE", `${keys}/${id}`);
    expect(await statuses(models, headers)).toEqual([401]);
  }
});

test("all workers use one demo upstream", async () => {
  const consumer = await makeConsumer(program, [{ provider: "demo", url: "" }]);
  const file = await consumer.form("/v1/files", [
    ["purpose", "batch"],
    ["file", "content", "a.jsonl"],
  ]);
  const { id } = (await file.json()) as { id: string };

  const found = await statuses(`${consumer.url}/v1/files/${id}`, { "x-ag-api-key": consumer.key });

  expect(found).toEqual([200]);
});

test("metrics are those of every process, with its name as a label", async () => {
  const before = await readMetrics(program.url);
  await statuses(`${program.url}/v1/gateways`, {});
  const after = await readMetrics(program.url);

  const rejected = (worker: string) => {
    const series = `portcullis_errors_total{worker="${worker}",code="unauthorized"}`;
    return (after.get(series) ?? 0) - (before.get(series) ?? 0);
  };
  expect(rejected("0") + rejected("1")).toBe(CONNECTIONS);
  expect(rejected("0")).toBeWithin(1, CONNECTIONS);
  for (const worker of ["supervisor", "0", "1"]) {
    expect(after.get(`process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(0);
  }
});

test("a worker that was killed is replaced, and no request fails afterwards", async () => {
  const before = program.workers();
  await killWorker(program);

  expect(program.workers().length).toBe(2);
  expect(program.workers()).not.toEqual(before);
  expect(await statuses(`${program.url}/readyz`, {})).toEqual([200]);
  expect(program.logged()).toContain('"event":"worker_exited","worker":0,"code":137');
});

test("a worker that does not respond is killed and replaced", async () => {
  const [first = 0, second = 0] = program.workers();
  await killWorker(program, 1, "SIGSTOP");

  expect(program.workers().length).toBe(2);
  expect(program.workers()).toContain(first);
  expect(program.workers()).not.toContain(second);
  expect(program.logged()).toContain('"event":"worker_hung","worker":');
});

test("while the supervisor does not respond, on_store_error decides, and it is charged afterwards", async () => {
  const limit = { limit: 4, window: "1h" };
  const limited = async (on_store_error: string) => {
    const gateway = await program.make<{ id: string; slug: string }>("/v1/gateways", {
      name: on_store_error,
      required_plugins: [entryOf({ limits: { global: limit }, on_store_error })],
    });
    const path = `/v1/gateways/${gateway.id}/consumers`;
    const { id, slug } = await program.make<{ id: string; slug: string }>(path, { name: "c" });
    const { key } = await program.make<{ key: string }>(`${path}/${id}/keys`, { name: "k" });
    return () => fetch(`${program.url}/${slug}/v1/models`, { headers: { "x-ag-api-key": key } });
  };
  const [local, closed] = [await limited("local"), await limited("closed")];
  await local();

  program.child.kill("SIGSTOP");
  const alone = await local();
  const refused = await closed();
  program.child.kill("SIGCONT");
  await until(async () => (await closed()).status === 200);
  const states = [];
  for (let left = 4; left > 0; left--) states.push((await local()).status);

  expect([alone.status, alone.headers.get("x-ratelimit-store"), refused.status]).toEqual([
    200,
    "local",
    503,
  ]);
  // The request that timed out is counted twice: by the worker, and by the supervisor when it continues.
  expect(states.filter((status) => status === 200).length).toBeWithin(1, 3);
});

test("a second program cannot listen on the port of the workers", async () => {
  const { host } = new URL(program.url);

  const { code, err } = await runProgram(["start", "--workers", "2", "--listen", host]);

  expect(code).toBe(1);
  expect(err).toContain(`Cannot listen on ${host}: another program uses this port.`);
});
