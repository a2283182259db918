/** Renders the figures as a table for each workload, and compares them with the targets. */
import { cpus, loadavg, totalmem } from "node:os";
import { atMost, type Check } from "../checks.ts";
import { CHAT, IMAGE, STREAM, type Workload } from "./workloads.ts";

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

export const FIRST_CHUNK = "Added to the time to the first chunk (median)";

/** Ratios are those of medians of one run, with bare Bun in the same rounds. */
export function speedChecks(tables: readonly Table[]): Check[] {
  const [chat, stream, image] = [CHAT, STREAM, IMAGE].map((name) => tableOf(tables, name));
  if (!chat || !stream || !image) throw new Error("Not all workloads were measured.");
  const ofBare = (table: Table, read: (row: Row) => number | undefined) =>
    (read(rowOf(table, "Portcullis")) ?? Number.NaN) / (read(rowOf(table, "bare Bun")) ?? 0);
  const times = (max: number) => ({ max, unit: "× bare Bun", digits: 2 });
  const ours = tables.map((table) => rowOf(table, "Portcullis"));
  const peak = Math.max(...ours.map(({ peak_mib = 0 }) => peak_mib));
  const failed = ours.reduce((all, row) => all + row.failed, 0);
  return [
    atMost(
      "CPU per chat request",
      ofBare(chat, ({ cpu_us }) => cpu_us),
      times(1.2),
    ),
    atMost(
      "p99 of a chat request",
      ofBare(chat, ({ p99_ms }) => p99_ms),
      times(1.3),
    ),
    atMost(
      "CPU per stream of 20 chunks",
      ofBare(stream, ({ cpu_us }) => cpu_us),
      times(1.4),
    ),
    atMost(
      "p99 of an image of 4 MiB",
      ofBare(image, ({ p99_ms }) => p99_ms),
      times(1.5),
    ),
    atMost("Peak memory under load, all workloads", peak, { max: 120, unit: "MiB", digits: 0 }),
    atMost(FIRST_CHUNK, addedMs(stream, "Portcullis"), { max: 1, unit: "ms", digits: 2 }),
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
  return `### ${workload.name}

${rowsText(rows, workload.span)}
`;
}

export function rowsText(rows: readonly Row[], span: string): string {
  const bare = rows.find(({ name }) => name === "bare Bun")?.cpu_us;
  const ours = rows.find(({ name }) => name === "Portcullis");
  const lines = rows.map((row) => {
    const cells = [
      row.name + (row.failed ? ` (**${row.failed} of ${row.requests} failed**)` : ""),
      short(row.per_second),
      ours ? (row.per_second / ours.per_second).toFixed(2) : "–",
      short(row.p50_ms),
      short(row.p99_ms),
      row.cpu_us === undefined ? "–" : short(row.cpu_us),
      row.cpu_us && bare ? (row.cpu_us / bare).toFixed(2) : "–",
      row.peak_mib === undefined ? "–" : short(row.peak_mib),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return `| | requests/s | × Portcullis | ${span}, p50 ms | p99 ms | CPU µs per request | × bare Bun | peak MiB |
|---|--:|--:|--:|--:|--:|--:|--:|
${lines.join("\n")}`;
}

/** More than three digits would be noise. */
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
