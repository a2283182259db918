/** Compares one worker with two: requests per second, and CPU per request of all processes of the group. */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Check } from "./checks.ts";
import type { Target } from "./gateway/contenders.ts";
import { type Portcullis, startPortcullis } from "./gateway/portcullis.ts";

const ROUNDS = process.argv.includes("--quick") ? 2 : 5;
/** Per round and load generator. A fixed number, so that a busy machine only takes longer. */
const REQUESTS = 5_000;
const GENERATORS = 3;
/** Two cores for the workers, one for each generator and one for the upstream. */
const MIN_CORES = 2 + GENERATORS + 1;
const MIN_RATIO = 1.7;

interface Figures {
  per_second: number;
  cpu_us: number;
}

export async function run(): Promise<readonly Check[]> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const reply = JSON.stringify({ id: "1", choices: [{ message: { content: "x".repeat(900) } }] });
  const headers = { "content-type": "application/json" };
  const upstream = Bun.serve({ port: 0, fetch: () => new Response(reply, { headers }) });
  stack.defer(() => upstream.stop(true));
  const isPinned = availableParallelism() >= MIN_CORES;
  const own = isPinned ? ["taskset", "--cpu-list", "0,1"] : [];
  const ports = { plain: upstream.port ?? 0, paced: upstream.port ?? 0 };
  const start = (workers: number) =>
    startPortcullis(
      stack,
      { cores: { own, how: "" }, folder, upstreams: ports },
      { PORTCULLIS_WORKERS: `${workers}` },
    );
  const [one, two] = [await start(1), await start(2)];

  const rounds: [Figures, Figures][] = [];
  for (const program of [one, two]) await measure(program, isPinned); // compiles the code
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([await measure(one, isPinned), await measure(two, isPinned)]);
  }
  const [single, group] = [0, 1].map((at) => medianOf(rounds.map((pair) => pair[at] as Figures)));
  if (!single || !group) throw new Error("No round was measured.");
  console.log(
    `Chat requests of 1 KB with four rate limits, ${ROUNDS} rounds of ${GENERATORS * REQUESTS}\n`,
  );
  console.log("| workers | requests/s | CPU µs per request, all processes |\n|--:|--:|--:|");
  for (const [workers, { per_second, cpu_us }] of [single, group].entries()) {
    console.log(`| ${workers + 1} | ${Math.round(per_second)} | ${cpu_us.toFixed(1)} |`);
  }
  // Two saturated cores serve 2 / cpu2 requests, where one serves 1 / cpu1.
  const ratio = isPinned
    ? group.per_second / single.per_second
    : (2 * single.cpu_us) / group.cpu_us;
  const how = isPinned
    ? "measured; the workers have two cores, the load generators the others"
    : "from the CPU per request, because the load generators share the cores";
  const what = `Throughput of two workers beside one (${how})`;
  const measured = `${ratio.toFixed(2)} ×`;
  return [{ what, measured, target: `at least ${MIN_RATIO} ×`, pass: ratio >= MIN_RATIO }];
}

/** Runs the load generators, each a process with connections of its own. */
async function measure({ program, target }: Portcullis, isPinned: boolean): Promise<Figures> {
  const { port, path, headers }: Target = target("plain", "/v1/chat/completions");
  const load = JSON.stringify({
    url: `http://127.0.0.1:${port}${path}`,
    headers,
    requests: REQUESTS,
  });
  const [cpuBefore, began] = [program.cpuUs(), performance.now()];
  await Promise.all(
    Array.from({ length: GENERATORS }, async (_, index) => {
      const pin = isPinned ? ["taskset", "--cpu-list", `${3 + index}`] : [];
      const child = Bun.spawn([...pin, process.execPath, resolve("bench/workers-load.ts"), load]);
      if ((await child.exited) !== 0) throw new Error("A load generator failed.");
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const requests = GENERATORS * REQUESTS;
  return { per_second: requests / seconds, cpu_us: (program.cpuUs() - cpuBefore) / requests };
}

const medianOf = (figures: readonly Figures[]): Figures => ({
  per_second: median(figures.map(({ per_second }) => per_second)),
  cpu_us: median(figures.map(({ cpu_us }) => cpu_us)),
});

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
