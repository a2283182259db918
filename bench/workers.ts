/** Compares one worker with two: requests per second, and CPU per request of all processes of the group. */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { Check } from "./checks.ts";
import type { Setting } from "./gateway/contenders.ts";
import { installTools } from "./gateway/install.ts";
import { type Portcullis, startPortcullis } from "./gateway/portcullis.ts";
import { machineText } from "./gateway/report.ts";
import { startUpstreams } from "./gateway/upstreams.ts";
import { CHAT, workloads } from "./gateway/workloads.ts";

const ROUNDS = process.argv.includes("--quick") ? 2 : 5;
const SECONDS = 3;
const GENERATORS = 2;
/** Two cores for the workers, the others for the load generators and the upstream. */
const MIN_CORES = 2 + GENERATORS + 1;
const MIN_RATIO = 1.7;

interface Figures {
  per_second: number;
  cpu_us: number;
}

export async function run(): Promise<readonly Check[]> {
  const tools = await installTools();
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const isPinned = availableParallelism() >= MIN_CORES;
  if (isPinned)
    Bun.spawnSync(["taskset", "-acp", `2-${availableParallelism() - 1}`, `${process.pid}`]);
  const own = isPinned ? ["taskset", "--cpu-list", "0,1"] : [];
  const upstreams = await startUpstreams(stack, tools, folder);
  const setting: Setting = { tools, cores: { own, how: "" }, folder, upstreams, stack };
  const start = (workers: number) =>
    startPortcullis(stack, setting, { PORTCULLIS_WORKERS: `${workers}` });
  const programs = [await start(1), await start(2)] as const;

  for (const program of programs) await measure(setting, program); // compiles the code
  const rounds: (readonly [Figures, Figures])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([await measure(setting, programs[0]), await measure(setting, programs[1])]);
  }
  const single = medianOf(rounds.map(([one]) => one));
  const group = medianOf(rounds.map(([, two]) => two));
  console.log(`${CHAT}, ${GENERATORS} generators, four rate limits\n`);
  console.log("| workers | requests/s | CPU µs per request, all processes |\n|--:|--:|--:|");
  for (const [at, { per_second, cpu_us }] of [single, group].entries()) {
    console.log(`| ${at + 1} | ${Math.round(per_second)} | ${cpu_us.toFixed(1)} |`);
  }
  console.log(`\nMachine: ${machineText()}.`);
  // Two saturated cores serve 2 / cpu2 requests, where one serves 1 / cpu1.
  const ratio = isPinned
    ? group.per_second / single.per_second
    : (2 * single.cpu_us) / group.cpu_us;
  const how = isPinned
    ? "by requests per second; the workers have two cores, everything else the others"
    : "by CPU per request, because everything shares the cores";
  const what = `Throughput of two workers beside one, ${how}`;
  const measured = `${ratio.toFixed(2)} ×`;
  return [{ what, measured, target: `at least ${MIN_RATIO} ×`, pass: ratio >= MIN_RATIO }];
}

/** Runs the load generators, each a process with connections of its own. */
async function measure(setting: Setting, portcullis: Portcullis): Promise<Figures> {
  const [chat] = workloads;
  const before = portcullis.program.cpuUs();
  const passes = await Promise.all(
    Array.from({ length: GENERATORS }, () => chat?.pass(setting, portcullis, SECONDS)),
  );
  const requests = passes.reduce((sum, pass) => sum + (pass?.requests ?? 0), 0);
  if (passes.some((pass) => pass?.failed !== 0)) throw new Error("Requests failed.");
  const cpu_us = (portcullis.program.cpuUs() - before) / requests;
  return { per_second: requests / SECONDS, cpu_us };
}

const medianOf = (figures: readonly Figures[]): Figures => ({
  per_second: median(figures.map(({ per_second }) => per_second)),
  cpu_us: median(figures.map(({ cpu_us }) => cpu_us)),
});

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
