/** npm run bench [-- name …]: runs every benchmark, or the named ones, then prints all targets with PASS or FAIL. */
import { type Check, checksText } from "./checks.ts";

const BENCHMARKS = [
  "start",
  "gateway",
  "translate",
  "limiter",
  "guard",
  "mcp",
  "workers",
  "console",
  "storage",
] as const;

const selected = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknown = selected.filter((name) => !(BENCHMARKS as readonly string[]).includes(name));
if (unknown.length) {
  console.error(`Unknown benchmark ${unknown.join(", ")}. Use ${BENCHMARKS.join(", ")}.`);
  process.exit(2);
}
const checks: Check[] = [];
for (const name of selected.length ? selected : BENCHMARKS) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<readonly Check[]> };
  checks.push(...(await run()));
}
if (checks.length) console.log(`\n${checksText(checks)}`);
// rate-limiter-flexible keeps a timer for every key.
process.exit(checks.every(({ pass }) => pass) ? 0 : 1);
