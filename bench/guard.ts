/** The guard: CPU of an evaluation with every local detector on, growth with the text, and Activity with a million events. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { detectors } from "../src/policy/detectors/all.ts";
import type { Check } from "./checks.ts";
import { separateCores } from "./cores.ts";
import { openConnection } from "./gateway/connection.ts";
import { freePort, type Program, startProgram } from "./gateway/process.ts";
import { fillActivity } from "./guard/fill-activity.ts";
import { proseOf } from "./guard/prose.ts";
import { redaction } from "./guard/redaction.ts";

const TOKEN = "pa_owner-token-of-the-benchmark-run-0123456789";
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
      PORTCULLIS_ADMIN_TOKEN: TOKEN,
      PORTCULLIS_DEMO: "false",
    },
    log: join(folder, "output.log"),
  });
  const made = { program, port };
  const rules = await everyRule(port);
  const every = { ...made, ...(await makeCollector(port, "every local detector", rules)) };
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

/** Settings of the kinds that find nothing without any. */
const SETTINGS: Record<string, object> = {
  tool_permission: { denied_tools: ["shell*"] },
  size_limit: { max_characters: 10_000_000 },
  prompt_moderation: {
    keywords: ["portcullis-forbidden", "secret project"],
    regex: ["\\bcodename-\\d+\\b"],
  },
};

async function everyRule(port: number): Promise<object[]> {
  const local = [...detectors.values()].filter(
    ({ remote, reads }) => !remote && reads.input.some((source) => source !== "attachment"),
  );
  const made = local.map(({ kind }) =>
    admin<{ id: string }>(port, "/v1/detectors", {
      name: kind,
      kind,
      settings: SETTINGS[kind] ?? {},
    }),
  );
  return (await Promise.all(made)).map(({ id }) => ({ detector_id: id, action: "report" }));
}

async function makeCollector(
  port: number,
  name: string,
  input_rules: object[],
): Promise<Pick<Guard, "name" | "key">> {
  const policy = await admin<{ id: string }>(port, "/v1/policies", { name, input_rules });
  const body = { name, default_policy_id: policy.id };
  const { id } = await admin<{ id: string }>(port, "/v1/collectors", body);
  const { key } = await admin<{ key: string }>(port, `/v1/collectors/${id}/keys`, { name });
  return { name, key };
}

async function admin<T>(port: number, path: string, body?: object): Promise<T> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
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
      items = (await admin<{ items: [] }>(port, `/v1/activity?${query}`)).items.length;
      times.push(performance.now() - began);
    }
    console.log(`| ${query || "first page"} | ${Math.max(...times).toFixed(0)} | ${items} |`);
  }
}
