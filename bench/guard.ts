/** The guard: CPU of an evaluation with every local detector on, growth with the text, and Activity with a million events. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Check } from "./checks.ts";
import { separateCores } from "./cores.ts";
import { openConnection } from "./gateway/connection.ts";
import { adminOf, BENCHMARK_TOKEN } from "./gateway/portcullis.ts";
import { freePort, type Program, startProgram } from "./gateway/process.ts";
import { createEveryRule, type Rule } from "./guard/every-rule.ts";
import { fillActivity } from "./guard/fill-activity.ts";
import { proseOf } from "./guard/prose.ts";
import { redaction } from "./guard/redaction.ts";

const quick = process.argv.includes("--quick");
/** A round is short and comes again: the machine has better and worse moments. */
const ROUNDS = quick ? 3 : 11;
const SECONDS = 2;
/** Until then much of the time goes to compilers. */
const WARM_UP_SECONDS = quick ? 3 : 15;
const EVENTS = quick ? 100_000 : 1_000_000;

export async function run(): Promise<readonly Check[]> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const port = freePort();
  const cores = separateCores();
  const program = await startProgram(stack, [...cores.own, resolve("bin/portcullis"), "start"], {
    port,
    env: {
      PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
      PORTCULLIS_DATA_DIR: folder,
      PORTCULLIS_ADMIN_TOKEN: BENCHMARK_TOKEN,
      PORTCULLIS_DEMO: "false",
    },
    log: join(folder, "output.log"),
  });
  const made = { program, port };
  const { input } = await createEveryRule(adminOf(`http://127.0.0.1:${port}`));
  const every = { ...made, ...(await makeCollector(port, "every local detector", input)) };
  const none = { ...made, ...(await makeCollector(port, "no rule", [])) };
  const bare = await startBare(stack, cores.own, folder);

  console.log(
    "Guard: 1 KB evaluations over HTTP, each event on disk before its response, and committed;",
  );
  console.log(`${cores.how}; median of ${ROUNDS} rounds, the lowest and the highest\n`);
  await rounds([
    { guard: bare, inFlight: 16 },
    { guard: none, inFlight: 16 },
    { guard: every, inFlight: 16 },
    { guard: bare, inFlight: 1 },
    // No other evaluation shares the commit.
    { guard: every, inFlight: 1 },
  ]);
  await growth(every);
  await redaction();
  await activity(port, folder);
  return [];
}

/** A server under test and its key. */
interface Guard {
  name: string;
  program: Program;
  port: number;
  key: string;
}

/** The baseline of every figure, because the speed of a shared machine varies. */
async function startBare(
  stack: AsyncDisposableStack,
  own: string[],
  folder: string,
): Promise<Guard> {
  const port = freePort();
  const command = [...own, process.execPath, resolve("bench/guard/bare.ts"), String(port)];
  const program = await startProgram(stack, command, { port, log: join(folder, "bare.log") });
  return { name: "bare Bun that allows all", program, port, key: "none" };
}

async function makeCollector(
  port: number,
  name: string,
  input_rules: Rule[],
): Promise<Pick<Guard, "name" | "key">> {
  const admin = adminOf(`http://127.0.0.1:${port}`);
  const policy = await admin<{ id: string }>("POST", "/v1/policies", { name, input_rules });
  const body = { name, default_policy_id: policy.id };
  const { id } = await admin<{ id: string }>("POST", "/v1/collectors", body);
  const { key } = await admin<{ key: string }>("POST", `/v1/collectors/${id}/keys`, { name });
  return { name, key };
}

/** A different text each time, as users write: nothing is found by having been seen before. */
function requestOf({ key }: Guard, kilobytes: number, turn: number) {
  const content = proseOf(kilobytes * 1000 - 120, turn);
  const payload = { model: "gpt-4o-mini", messages: [{ role: "user", content }] };
  const body = Buffer.from(JSON.stringify({ payload, direction: "input", protocol: "llm" }));
  const head = [
    "POST /v1/evaluate HTTP/1.1",
    "host: bench",
    `authorization: Bearer ${key}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "\r\n",
  ].join("\r\n");
  return { head, body };
}

async function send(
  guard: Guard,
  {
    kilobytes,
    until,
    inFlight,
  }: { kilobytes: number; until: (done: number) => boolean; inFlight: number },
): Promise<number> {
  let done = 0;
  const one = async (lane: number) => {
    const connection = await openConnection(guard.port);
    for (let turn = lane; !until(done); turn += inFlight) {
      const { head, body } = requestOf(guard, kilobytes, turn);
      const { status, text } = await connection.ask(head, [body]);
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
      done += 1;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: inFlight }, (_, lane) => one(lane)));
  return done;
}

interface Load {
  guard: Guard;
  /** At a time. */
  inFlight: number;
}

async function rounds(loads: readonly Load[]): Promise<void> {
  for (const load of loads) await cost(load, WARM_UP_SECONDS);
  const measured = loads.map((load) => ({ ...load, costs: [] as number[], rates: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { costs, rates, ...load } of measured) {
      const { each, perSecond } = await cost(load, SECONDS);
      costs.push(each);
      rates.push(perSecond);
    }
  }
  console.log("| | at a time | CPU µs each | | evaluations per second |\n|---|---|---|---|---|");
  for (const { guard, inFlight, costs, rates } of measured) {
    const [lowest, median, highest] = spread(costs);
    const range = `${lowest}–${highest}`;
    console.log(`| ${guard.name} | ${inFlight} | ${median} | ${range} | ${spread(rates)[1]} |`);
  }
}

/** The lowest, the one in the middle and the highest. */
function spread(values: readonly number[]): (string | undefined)[] {
  const sorted = values.toSorted((one, other) => one - other);
  return [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)].map((value) => value?.toFixed(0));
}

async function cost(
  { guard, inFlight }: Load,
  seconds: number,
): Promise<{ each: number; perSecond: number }> {
  const end = performance.now() + seconds * 1000;
  const load = { kilobytes: 1, inFlight, until: () => performance.now() > end };
  const before = guard.program.cpuUs();
  const done = await send(guard, load);
  return { each: (guard.program.cpuUs() - before) / done, perSecond: done / seconds };
}

async function growth(guard: Guard): Promise<void> {
  console.log(
    "\nGrowth with the text, every local detector, one at a time, median of the rounds\n",
  );
  console.log("| chat body | CPU µs | | µs per KB |\n|---|---|---|---|");
  // One size after the other: what a large text leaves behind is not the cost of a small one.
  for (const kilobytes of [1, 10, 100, 1000]) {
    const count = Math.max(5, Math.round((quick ? 500 : 2000) / kilobytes));
    const load = { kilobytes, inFlight: 1, until: (done: number) => done >= count };
    await send(guard, load);
    const costs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = guard.program.cpuUs();
      const done = await send(guard, load);
      costs.push((guard.program.cpuUs() - before) / done);
    }
    const [lowest, median, highest] = spread(costs);
    const perKilobyte = (Number(median) / kilobytes).toFixed(0);
    console.log(`| ${kilobytes} KB | ${median} | ${lowest}–${highest} | ${perKilobyte} |`);
  }
}

/** The longest of five calls each, through the API. */
async function activity(port: number, folder: string): Promise<void> {
  const admin = adminOf(`http://127.0.0.1:${port}`);
  const known = await fillActivity(`sqlite:${join(folder, "portcullis.db")}`, EVENTS);
  console.log(`\nActivity with ${EVENTS} events in SQLite, the longest of five calls (ms)\n`);
  console.log("| query | ms | events |\n|---|---|---|");
  const queries = [
    "",
    ...Object.entries(known).map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ];
  for (const query of queries) {
    const times: number[] = [];
    let items = 0;
    for (let round = 0; round < 5; round += 1) {
      const began = performance.now();
      items = (await admin<{ items: [] }>("GET", `/v1/activity?${query}`)).items.length;
      times.push(performance.now() - began);
    }
    console.log(`| ${query || "first page"} | ${Math.max(...times).toFixed(0)} | ${items} |`);
  }
}
