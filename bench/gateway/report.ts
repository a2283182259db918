/** The figures as a page: a table for each workload, and the targets with what was reached. */
import { cpus, loadavg, totalmem } from "node:os";
import { CHAT, STREAM, type Workload } from "./workloads.ts";

/** One contender on one workload: the median of its rounds. */
export interface Row {
  name: string;
  per_second: number;
  p50_ms: number;
  p99_ms: number;
  /** Undefined: there is no gateway. */
  cpu_us: number | undefined;
  peak_mib: number | undefined;
  requests: number;
  failed: number;
}

export interface Table {
  workload: Workload;
  rows: Row[];
}

export interface Check {
  what: string;
  measured: string;
  target: string;
  pass: boolean;
}

export function rowOf({ rows }: Table, name: string): Row {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`${name} was not measured.`);
  return row;
}

export function tableOf(tables: readonly Table[], name: string): Table {
  const table = tables.find(({ workload }) => workload.name === name);
  if (!table) throw new Error(`"${name}" was not measured.`);
  return table;
}

const MAX_OF_BARE = 1.5;
const MAX_OF_PORTKEY = 1 / 20;
const MAX_ADDED_MS = 1;

export function speedChecks(tables: readonly Table[]): Check[] {
  const chat = tableOf(tables, CHAT);
  const cpu = (name: string) => rowOf(chat, name).cpu_us ?? Number.NaN;
  const ofBare = cpu("Portcullis") / cpu("bare Bun");
  const ofPortkey = cpu("Portcullis") / cpu("Portkey");
  const added = addedMs(tableOf(tables, STREAM), "Portcullis");
  const failed = tables.reduce((all, table) => all + rowOf(table, "Portcullis").failed, 0);
  return [
    {
      what: "CPU per chat request, beside the bare Bun pass-through",
      measured: `${ofBare.toFixed(2)} ×`,
      target: `at most ${MAX_OF_BARE} ×`,
      pass: ofBare <= MAX_OF_BARE,
    },
    {
      what: "CPU per chat request, beside Portkey",
      measured: `1/${(1 / ofPortkey).toFixed(1)}`,
      target: `at most 1/${1 / MAX_OF_PORTKEY}`,
      pass: ofPortkey <= MAX_OF_PORTKEY,
    },
    {
      what: "Added to the time to the first chunk (median)",
      measured: `${added.toFixed(2)} ms`,
      target: `at most ${MAX_ADDED_MS} ms`,
      pass: added <= MAX_ADDED_MS,
    },
    {
      what: "Requests that failed, all workloads",
      measured: `${failed}`,
      target: "none",
      pass: failed === 0,
    },
  ];
}

export const addedMs = (stream: Table, name: string): number =>
  rowOf(stream, name).p50_ms - rowOf(stream, "direct").p50_ms;

export function tableText({ workload, rows }: Table): string {
  const bare = rows.find(({ name }) => name === "bare Bun")?.cpu_us;
  const lines = rows.map((row) => {
    const ratio = row.cpu_us && bare ? (row.cpu_us / bare).toFixed(2) : "–";
    const cells = [
      row.name + (row.failed ? ` (**${row.failed} of ${row.requests} failed**)` : ""),
      short(row.per_second),
      short(row.p50_ms),
      short(row.p99_ms),
      row.cpu_us === undefined ? "–" : short(row.cpu_us),
      ratio,
      row.peak_mib === undefined ? "–" : short(row.peak_mib),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return `### ${workload.name}

| | requests/s | ${workload.span}, p50 ms | p99 ms | CPU µs per request | × bare Bun | peak MiB |
|---|--:|--:|--:|--:|--:|--:|
${lines.join("\n")}
`;
}

export function checksText(checks: readonly Check[]): string {
  const lines = checks.map(
    ({ what, measured, target, pass }) =>
      `| ${what} | ${measured} | ${target} | ${pass ? "PASS" : "**FAIL**"} |`,
  );
  return `### What Portcullis must reach

| | measured | target | |
|---|--:|--:|---|
${lines.join("\n")}
`;
}

/** Three digits say what such a figure knows. */
function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value >= 10 ? 1 : 2);
}

const [loadAtStart = 0] = loadavg();

export function machineText(): string {
  const [first] = cpus();
  const model = first?.model.replaceAll("(R)", "").trim() ?? "unknown";
  const memory = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} cores (${model}), ${memory} GiB, load ${loadAtStart.toFixed(1)} before the run`;
}
