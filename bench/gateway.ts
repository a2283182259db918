/** Compares the gateway with others on the same upstreams, in one run: speed, CPU and memory against the targets. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Check } from "./checks.ts";
import { separateCores } from "./cores.ts";
import { chart } from "./gateway/chart.ts";
import { type Contender, type Setting, startContenders } from "./gateway/contenders.ts";
import { runInlineGuard } from "./gateway/inline-guard.ts";
import { installTools } from "./gateway/install.ts";
import { checkMemory } from "./gateway/memory.ts";
import { page, readmeText, skippedText } from "./gateway/page.ts";
import type { Skipped } from "./gateway/peers.ts";
import { machineText, type Row, speedChecks, type Table, tableText } from "./gateway/report.ts";
import { startUpstreams } from "./gateway/upstreams.ts";
import { type Workload, workloads } from "./gateway/workloads.ts";

const quick = process.argv.includes("--quick");
const save = process.argv.includes("--save");
const ROUNDS = quick ? 1 : 5;

export async function run(): Promise<readonly Check[]> {
  if (process.argv.includes("--guard")) return await runInlineGuard();
  const tools = await installTools();
  const cores = separateCores();
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const upstreams = await startUpstreams(stack, tools, folder);
  return await Promise.race([bench({ tools, cores, folder, upstreams, stack }), untilStopped()]);
}

/** Ends the run as an error would, so that what was started is stopped. */
function untilStopped(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)));
    }
  });
}

async function bench(setting: Setting): Promise<readonly Check[]> {
  const { tables, skipped } = await compare(setting);
  console.log(tables.map(tableText).join("\n"));
  console.log(`${skippedText(skipped)}Machine: ${machineText()}; ${setting.cores.how}.`);
  const checks = [...speedChecks(tables), ...(await checkMemory(setting))];
  if (!save) return checks;
  writeFileSync("docs/benchmarks.svg", chart(tables));
  writeFileSync("docs/benchmarks.md", page({ tables, checks, skipped, how: setting.cores.how }));
  writeFileSync("README.md", readmeText(readFileSync("README.md", "utf8"), tables, checks));
  return checks;
}

/** Alternates between the contenders, so that a busy moment of the machine does not affect only one. */
async function compare(setting: Setting): Promise<{ tables: Table[]; skipped: Skipped[] }> {
  await using stack = setting.stack.use(new AsyncDisposableStack());
  const { contenders, skipped } = await startContenders(stack, setting);
  const [chat] = workloads;
  // Long enough for every contender's code to be compiled: a gateway runs for days, not for seconds.
  for (const contender of contenders) await chat?.pass(setting, contender, quick ? 1 : 5);
  const tables: Table[] = [];
  for (const workload of workloads) {
    const rounds: Row[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const rows: Row[] = [];
      for (const contender of contenders) rows.push(await measure(setting, workload, contender));
      rounds.push(rows);
    }
    const rows = contenders.map((_, index) => medianRow(rounds.map((rows) => rows[index])));
    tables.push({ workload, rows });
  }
  return { tables, skipped };
}

async function measure(setting: Setting, workload: Workload, contender: Contender): Promise<Row> {
  const { name, program } = contender;
  program?.resetPeak();
  const before = program?.cpuUs() ?? 0;
  const { requests, failed, seconds, p50_ms, p99_ms } = await workload.pass(
    setting,
    contender,
    quick ? 1 : workload.seconds,
  );
  return {
    name,
    per_second: requests / seconds,
    p50_ms,
    p99_ms,
    cpu_us: program && requests ? (program.cpuUs() - before) / requests : undefined,
    peak_mib: program?.peakMib(),
    requests,
    failed,
  };
}

function medianRow(given: readonly (Row | undefined)[]): Row {
  const rows = given.filter((row) => row !== undefined);
  const middle = (read: (row: Row) => number | undefined) =>
    rows.map(read).toSorted((one = 0, other = 0) => one - other)[rows.length >> 1];
  const sum = (read: (row: Row) => number) => rows.reduce((all, row) => all + read(row), 0);
  return {
    name: rows[0]?.name ?? "",
    per_second: middle(({ per_second }) => per_second) ?? 0,
    p50_ms: middle(({ p50_ms }) => p50_ms) ?? 0,
    p99_ms: middle(({ p99_ms }) => p99_ms) ?? 0,
    cpu_us: middle(({ cpu_us }) => cpu_us),
    peak_mib: middle(({ peak_mib }) => peak_mib),
    requests: sum(({ requests }) => requests),
    failed: sum(({ failed }) => failed),
  };
}
