/** npm run bench [-- name …]: every benchmark, or the named ones. Each prints a table of its own. */
const BENCHMARKS = ["start", "gateway", "limiter", "guard", "mcp"] as const;

const selected = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknown = selected.filter((name) => !(BENCHMARKS as readonly string[]).includes(name));
if (unknown.length) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there is ${BENCHMARKS.join(", ")}.`);
  process.exit(2);
}
for (const name of selected.length ? selected : BENCHMARKS) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
  await run();
}

export {};
