/** npm run bench [-- name …]: runs every benchmark, or the named ones, then prints all targets with PASS or FAIL. */
import { type Check, checksText } from "./checks.ts";

const BENCHMARKS = [
  "start",
  "gateway",
  "translate",
  "limiter",
  "guard",
  "isolation",
  "mcp",
  "workers",
  "console",
  "storage",
] as const;

const USAGE = `Usage: npm run bench [-- name … [option …]]

Benchmarks: ${BENCHMARKS.join(", ")} (default: all of them)
Options:
  --quick   runs fewer and shorter rounds
  --guard   gateway: measures the inline guard instead of the comparison
  --save    gateway: writes docs/benchmarks.md and the table of the README`;

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const known: readonly string[] = [...BENCHMARKS, "--quick", "--guard", "--save"];
const unknown = words.filter((word) => !known.includes(word));
if (unknown.length) {
  console.error(`Unknown argument ${unknown.join(", ")}.\n\n${USAGE}`);
  process.exit(2);
}
const selected = words.filter((word) => !word.startsWith("-"));
const checks: Check[] = [];
for (const name of selected.length ? selected : BENCHMARKS) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<readonly Check[]> };
  checks.push(...(await run()));
}
if (checks.length) console.log(`\n${checksText(checks)}`);
// rate-limiter-flexible keeps a timer for every key.
process.exit(checks.every(({ pass }) => pass) ? 0 : 1);
