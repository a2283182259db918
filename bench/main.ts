/** npm run bench [-- name …]: every benchmark, or the named ones. Each prints a table of its own. */
const BENCHMARKS = ["start", "gateway", "limiter", "guard", "mcp"] as const;

const asked = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknown = asked.filter((name) => !(BENCHMARKS as readonly string[]).includes(name));
if (unknown.length) {
  console.error(`There is no benchmark ${unknown.join(", ")}; there is ${BENCHMARKS.join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length ? asked : BENCHMARKS) {
  const { run } = (await import(`./${name}.ts`)) as { run: () => Promise<void> };
  await run();
}

export {};
