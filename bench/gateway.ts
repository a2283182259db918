/** The gateway beside others on the same upstreams, in one run: speed, CPU and memory against the targets. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chart } from "./gateway/chart.ts";
import { type Contender, type Setting, startContenders } from "./gateway/contenders.ts";
import { runInlineGuard } from "./gateway/inline-guard.ts";
import { installTools } from "./gateway/install.ts";
import { checkMemory } from "./gateway/memory.ts";
import { page } from "./gateway/page.ts";
import {
  checksText,
  machineText,
  type Row,
  speedChecks,
  type Table,
  tableText,
} from "./gateway/report.ts";
import { startUpstreams } from "./gateway/upstreams.ts";
import { type Workload, workloads } from "./gateway/workloads.ts";

const quick = process.argv.includes("--quick");
const save = process.argv.includes("--save");
const ROUNDS = quick ? 1 : 5;

export async function run(): Promise<void> {
  if (process.argv.includes("--guard")) return await runInlineGuard();
  const tools = await installTools();
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const upstreams = await startUpstreams(stack, tools, folder);
  await Promise.race([bench({ tools, folder, upstreams, stack }), untilStopped()]);
}

/** Ends the run as an error would, so that what was started is stopped. */
function untilStopped(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.once(signal, () => reject(new Error(`Stopped by ${signal}.`)));
    }
  });
}

async function bench(setting: Setting): Promise<void> {
  const { tables, limits } = await compare(setting);
  const checks = [...speedChecks(tables), ...(await checkMemory(setting))];
  const text = [...tables.map(tableText), checksText(checks)].join("\n");
  console.log(`${text}\n${limitsText(limits)}\nMachine: ${machineText()}.`);
  if (checks.some(({ pass }) => !pass)) process.exitCode = 1;
  if (!save) return;
  writeFileSync("docs/benchmarks.svg", chart(tables));
  writeFileSync("docs/benchmarks.md", page(text, limits));
}

const limitsText = (limits: boolean): string =>
  limits
    ? "The rate limiter was on, with four limits."
    : "The rate limiter was off: there is none.";

/** In turns, so that a busy moment of the machine does not fall on one of them. */
async function compare(setting: Setting): Promise<{ tables: Table[]; limits: boolean }> {
  await using stack = setting.stack.use(new AsyncDisposableStack());
  const contenders = await startContenders(stack, setting);
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
  return { tables, limits: contenders.some((one) => "limits" in one && one.limits === true) };
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
    cpu_us: program && (program.cpuUs() - before) / requests,
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
