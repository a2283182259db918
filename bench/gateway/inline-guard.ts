/** The cost of the inline guard: the same requests to consumers without a guard, with it, and in observe mode. */
import { resolve } from "node:path";
import type { Check } from "../checks.ts";
import { proseOf } from "../guard/prose.ts";
import { openConnection } from "./connection.ts";
import type { Target } from "./contenders.ts";
import { type Admin, adminOf } from "./portcullis.ts";
import { freePort, type Program } from "./process.ts";
import { machineText } from "./report.ts";
import { startWithUpstream } from "./start-with-upstream.ts";
import { headOf } from "./workloads.ts";

const ROUNDS = process.argv.includes("--quick") ? 3 : 9;
/** The JIT compiler takes a part of the CPU of the first 15,000 requests, and of more on a busy machine. Streams run cold code at first, too. */
const WARM_UP_ROUNDS = 20;
const REQUESTS = 1500;
const CONNECTIONS = 16;
const STREAMS_PER_ROUND = 15;
const OPEN_STREAMS = 1000;
/** All streams have reached their pause, and none has continued. */
const PAUSED_MS = 4000;

const MODES = ["off", "exact", "observe"] as const;
type Mode = (typeof MODES)[number];
type Targets = Record<Mode | "both", Target>;

export async function runInlineGuard(): Promise<readonly Check[]> {
  await using stack = new AsyncDisposableStack();
  const heapPort = freePort();
  const { program, port, upstream } = await startWithUpstream(
    stack,
    "bench/gateway/prose-upstream.ts",
    {
      BUN_OPTIONS: `--preload=${resolve("bench/gateway/heap-port.ts")}`,
      HEAP_PORT: String(heapPort),
    },
  );
  const targets = await configure(adminOf(`http://127.0.0.1:${port}`), port, upstream);
  const checks = [
    await measureChat(program, targets),
    ...(await measureStreams(targets)),
    await measureMemory(heapPort, targets),
  ];
  console.log(`Machine: ${machineText()}.`);
  return checks;
}

/**
 * Each mode is a consumer with its own guard. Streams are evaluated in the output direction only, so that the
 * evaluation of the prompt is not counted for them.
 */
async function configure(admin: Admin, port: number, upstream: number): Promise<Targets> {
  const { items: gateways } = await admin<{ items: { id: string }[] }>("GET", "/v1/gateways");
  const base = `/v1/gateways/${gateways[0]?.id}`;
  const registry = await admin<{ id: string }>("POST", `${base}/registries`, {
    name: "Prose",
    provider: "openai",
    provider_options: { base_url: `http://127.0.0.1:${upstream}/v1` },
    auth: { type: "api_key", api_key: "sk-upstream" },
    allow_private: true,
  });
  const targetOf = async (name: string, guard: object): Promise<Target> => {
    const consumer = await admin<{ id: string; slug: string }>("POST", `${base}/consumers`, {
      name,
      registries: [{ id: registry.id }],
      guard,
    });
    const keys = `${base}/consumers/${consumer.id}/keys`;
    const { key } = await admin<{ key: string }>("POST", keys, { name: "benchmark" });
    const path = `/${consumer.slug}/v1/chat/completions`;
    return { port, path, headers: { "x-ag-api-key": key } };
  };
  const collector_id = await createPatternCollector(admin);
  const output = { collector_id, llm: { input: false, output: true } };
  return {
    off: await targetOf("off", { off: true }),
    both: await targetOf("both", { collector_id }),
    exact: await targetOf("exact", { ...output, stream: "exact" }),
    observe: await targetOf("observe", { ...output, stream: "observe" }),
  };
}

/** Creates a policy with the rules of the starter policy, except for the learned detectors. */
async function createPatternCollector(admin: Admin): Promise<string> {
  const rule = async (kind: string, action: string) => {
    const { id } = await admin<{ id: string }>("POST", "/v1/detectors", { name: kind, kind });
    return { detector_id: id, action };
  };
  const output_rules = [
    await rule("data_loss_prevention", "transform"),
    await rule("secrets", "transform"),
    await rule("unicode", "report"),
    await rule("url_analyzer", "report"),
  ];
  const input_rules = [
    await rule("injection_protection", "block"),
    ...output_rules,
    await rule("doc_analyzer", "report"),
  ];
  const name = "Patterns";
  const policy = { name, input_rules, output_rules };
  const { id: default_policy_id } = await admin<{ id: string }>("POST", "/v1/policies", policy);
  const collector = { name, default_policy_id };
  return (await admin<{ id: string }>("POST", "/v1/collectors", collector)).id;
}

function chatBody(stream: boolean): object {
  const messages = [{ role: "user", content: proseOf(900, 7) }];
  return { model: "gpt-4o-mini", messages, ...(stream && { stream }) };
}

/** Median of the ratios of rounds in turns: a busy moment falls on both. */
async function measureChat(program: Program, targets: Targets): Promise<Check> {
  const ratios: number[] = [];
  const costs = { off: [] as number[], both: [] as number[] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    const off = await cpuPerRequest(program, targets.off);
    const both = await cpuPerRequest(program, targets.both);
    if (round < 0) continue;
    ratios.push(both / off);
    costs.off.push(off);
    costs.both.push(both);
  }
  const ratio = median(ratios);
  return {
    what: "CPU of a 1 KB chat request with the pattern detectors in both directions, against none",
    measured: `${ratio.toFixed(2)} x (${median(costs.both).toFixed(0)} and ${median(costs.off).toFixed(0)} us)`,
    target: "at most 2.0 x",
    pass: ratio <= 2,
  };
}

async function cpuPerRequest(program: Program, target: Target): Promise<number> {
  const body = Buffer.from(JSON.stringify(chatBody(false)));
  const head = headOf(target, "application/json", body.length);
  const before = program.cpuUs();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await openConnection(target.port);
      for (let count = 0; count < REQUESTS / CONNECTIONS; count += 1) {
        const { status, text } = await connection.ask(head, [body]);
        if (status !== 200) throw new Error(text);
      }
      connection.close();
    }),
  );
  return (program.cpuUs() - before) / REQUESTS;
}

async function measureStreams(targets: Targets): Promise<Check[]> {
  const firsts: Record<Mode, number[]> = { off: [], exact: [], observe: [] };
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
    for (const mode of MODES) {
      const times = await timeFirstTexts(targets[mode], STREAMS_PER_ROUND);
      if (round >= 0) firsts[mode].push(...times);
    }
  }
  const added = (mode: Mode) => median(firsts[mode]) - median(firsts.off);
  return [
    {
      what: "Time added to the first text of a stream, exact (chunks every 50 ms)",
      measured: `${added("exact").toFixed(1)} ms`,
      target: "at most 50 ms",
      pass: added("exact") <= 50,
    },
    {
      what: "Time added to the first text of a stream, observe",
      measured: `${added("observe").toFixed(2)} ms`,
      target: "at most 0.2 ms",
      pass: added("observe") <= 0.2,
    },
  ];
}

/** From the request to the first text of the response. */
async function timeFirstTexts(target: Target, streams: number): Promise<number[]> {
  const url = `http://127.0.0.1:${target.port}${target.path}`;
  const headers = { ...target.headers, "content-type": "application/json" };
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await Bun.sleep(index * 13); // not all in step
      const began = performance.now();
      const reply = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(chatBody(true)),
      });
      let text = "";
      for await (const chunk of reply.body ?? []) {
        text += Buffer.from(chunk).toString();
        if (!/"content":"[^"]/.test(text)) continue;
        times.push(performance.now() - began);
        break;
      }
    }),
  );
  return times;
}

/**
 * Growth of the heap by streams that pause after ten words, against streams without a guard. Resident memory would
 * depend on the garbage of earlier rounds.
 */
async function measureMemory(heapPort: number, targets: Targets): Promise<Check> {
  const heapBytes = async () =>
    (await (await fetch(`http://127.0.0.1:${heapPort}`)).json()) as number;
  const growths: Record<"off" | "exact", number[]> = { off: [], exact: [] };
  for (let round = -1; round < 3; round += 1) {
    for (const mode of ["off", "exact"] as const) {
      const before = await heapBytes();
      const open = Array.from({ length: OPEN_STREAMS }, () => readPaused(targets[mode]));
      await Bun.sleep(PAUSED_MS);
      if (round >= 0) growths[mode].push((await heapBytes()) - before);
      await Promise.all(open);
    }
  }
  const kib = (median(growths.exact) - median(growths.off)) / OPEN_STREAMS / 1024;
  return {
    what: `Memory added to each of ${OPEN_STREAMS} open streams, exact`,
    measured: `${kib.toFixed(0)} KiB`,
    target: "at most 32 KiB",
    pass: kib <= 32,
  };
}

/** Not by `fetch`, which keeps at most 256 requests in flight. */
async function readPaused(target: Target): Promise<void> {
  const body = Buffer.from(JSON.stringify({ ...chatBody(true), model: "pause" }));
  const connection = await openConnection(target.port);
  const { text } = await connection.ask(headOf(target, "application/json", body.length), [body]);
  connection.close();
  if (!text.includes("[DONE]")) throw new Error(`The stream is not complete: ${text.slice(-200)}`);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
