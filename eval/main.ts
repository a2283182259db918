/** npm run eval [-- DATA] [--all] [--no-peers] [--no-cost] [--out FOLDER]: measures every detector, and writes docs/detection.md. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { detectors } from "../src/policy/detectors/all.ts";
import type { Example } from "./example.ts";
import { measureBenign } from "./measure-benign.ts";
import { measureCosts } from "./measure-cost.ts";
import { measureOurs, type TaskResult } from "./measure-task.ts";
import { runPeers } from "./peers/run-peer.ts";
import { type Portcullis, startPortcullis } from "./portcullis.ts";
import { readDataFolder, readOwnTexts } from "./read-examples.ts";
import { chart } from "./report/chart.ts";
import { page } from "./report/page.ts";
import { findStarterSection, placeStarterSection } from "./report/starter-section.ts";
import { tasks } from "./tasks.ts";

const { values, positionals } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    "no-peers": { type: "boolean", default: false },
    "no-cost": { type: "boolean", default: false },
    out: { type: "string" },
  },
  allowPositionals: true,
});
const [data] = positionals;
if (data !== undefined && !existsSync(data)) {
  console.error(`${data}: folder not found. Pass a folder with train/ and dev/, or no folder.`);
  process.exit(2);
}

/** Rates of 0.1 % need a thousand benign texts of the sources that count most. */
const SIZES = { seen: 300, unseen: 1000 };
const ALL = { seen: Number.POSITIVE_INFINITY, unseen: Number.POSITIVE_INFINITY };

const began = performance.now();
const report = (text: string) =>
  console.error(`${((performance.now() - began) / 1000).toFixed(0).padStart(4)} s  ${text}`);

const sizes = values.all ? ALL : SIZES;
const { examples, missing } = data ? await readDataFolder(data, sizes) : await readOwnTexts(sizes);
report(`${examples.length} texts of ${new Set(examples.map(({ source }) => source)).size} sources`);

await using portcullis = await startPortcullis();
const local = [...detectors.values()].filter(
  ({ remote, reads, settings }) =>
    !remote && reads.input.length > 0 && settings.safeParse({}).success,
);
const results = await measureTasks(portcullis);
report("benign text, other detectors");
// Detectors that score every text have sections of their own, and are slow.
const others = local.filter(({ scores }) => !scores);
const benign = await measureBenign(portcullis, others, examples);
const costs = values["no-cost"]
  ? []
  : await measureCosts(portcullis, local, examples, (kind) => report(`cost of ${kind}`));

const svg = chart(results);
// Own texts say too little to replace a page that was measured on data.
const out = values.out ?? (data === undefined ? undefined : "docs");
const file = out === undefined ? undefined : Bun.file(resolve(out, "detection.md"));
const starter = (await file?.exists()) ? findStarterSection((await file?.text()) ?? "") : "";
const measured = page(
  {
    command: showCommand(),
    date: new Date().toISOString().slice(0, 10),
    isOwn: data === undefined,
    texts: examples.length,
    ...{ sizes, missing, results, benign, costs },
  },
  svg ? "detection.svg" : undefined,
);
const text = placeStarterSection(measured, starter);
console.log(text);
if (out !== undefined) {
  await Bun.write(resolve(out, "detection.md"), text);
  if (svg) await Bun.write(resolve(out, "detection.svg"), svg);
  report(`${join(out, "detection.md")} written`);
}

async function measureTasks(portcullis: Portcullis): Promise<TaskResult[]> {
  const measured: TaskResult[] = [];
  for (const task of tasks) {
    const own = examples.filter((example) => example.tasks.includes(task.name));
    if (!own.some(({ isPositive }: Example) => isPositive)) continue;
    report(`${task.kind}, ${own.length} texts`);
    const ours = await measureOurs(portcullis, task, own);
    const texts = own.map(({ text }) => text);
    const peers = values["no-peers"]
      ? []
      : await runPeers(task.name, texts, (peer) => report(`${task.name}: ${peer}`));
    measured.push({ task, examples: own, ours, peers });
  }
  return measured;
}

/** Returns the command that repeats the measurement. */
function showCommand(): string {
  const flags = (["all", "no-peers", "no-cost"] as const).filter((name) => values[name]);
  const args = [...(data === undefined ? [] : ["DATA"]), ...flags.map((name) => `--${name}`)];
  return ["npm run eval", ...(args.length > 0 ? ["--", ...args] : [])].join(" ");
}
