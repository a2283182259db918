/** `npm run eval` on a small data folder. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "portcullis-eval-test-"));
const out = join(folder, "out");
afterAll(() => rmSync(folder, { recursive: true }));

let page = "";

const STARTER = "## The starter policy\n\nThresholds.\n\n";

const evaluate = (...args: string[]) =>
  Bun.spawn([process.execPath, "eval/main.ts", ...args], { stdout: "pipe", stderr: "pipe" });

/** Returns the cells of the row that begins with `name`. */
const rowOf = (name: string) =>
  page
    .split("\n")
    .find((line) => line.startsWith(`| ${name} |`))
    ?.split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());

beforeAll(async () => {
  const data = join(folder, "data");
  const write = (path: string, text: string) => Bun.write(join(data, path), text);
  const payloads = [
    ["1' OR '1'='1' UNION SELECT password FROM users --", "sqli"],
    ["'; DROP TABLE users; --", "sqli"],
    ["a plain name", "sqli"],
    ["calle mayor 12", "norm"],
    ["blue", "norm"],
  ];
  const csv = payloads.map(([payload, type]) => `"${payload}","9","${type}","x"`);
  await write(
    "train/httpparams/payload_train.csv",
    ["payload,length,attack_type,label", ...csv].join("\n"),
  );
  const full_text = "Write to ana@example.com, says Bo Lind.";
  const spans = [
    { entity_type: "EMAIL_ADDRESS", start_position: 9, end_position: 24 },
    { entity_type: "AGE", start_position: 0, end_position: 5 },
  ];
  await write(
    "train/presidio_research/synth_dataset_v2.json",
    JSON.stringify([{ full_text, spans }]),
  );
  const own = {
    text: "../../../../etc/passwd",
    label: "attack",
    origin: "tool_arguments",
    kind: "paths",
  };
  await write("dev/ours/lines.jsonl", `${JSON.stringify(own)}\n`);
  await Bun.write(join(out, "detection.md"), `${STARTER}## Method\n\nOld.\n`);
  const run = evaluate(data, "--no-peers", "--no-cost", "--out", out);
  const [stdout, stderr] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect({ code: await run.exited, stderr }).toMatchObject({ code: 0 });
  page = readFileSync(join(out, "detection.md"), "utf8");
  expect(stdout).toContain(page);
  expect(existsSync(join(out, "detection.svg"))).toBe(true);
}, 60_000);

test("recall is reported by source and at each level", () => {
  expect(rowOf("train/httpparams (sqli) †")).toEqual(["3", "0.833", "66.7 %", "66.7 %", "66.7 %"]);
  expect(rowOf("train/httpparams (norm) †")).toContain("0 (0 %)");
});

test("a folder in the format of our own texts is a source", () => {
  expect(rowOf("dev/ours (tool arguments)")?.[0]).toBe("1");
});

test("spans are compared by type, and types that are not scored are ignored", () => {
  expect(rowOf("email")).toEqual(["1", "1.000", "1.000", "1.000"]);
  expect(page).not.toContain("| age |");
});

test("the summary marks figures that are only from sources available for training", () => {
  expect(page).toContain("| Personal data † | F1 of spans");
  expect(page).toContain("| Injection in tool arguments | found");
});

test("the section about the starter policy, which another command writes, is kept", () => {
  expect(page).toContain(`${STARTER}## Method\n\nEvery text`);
  expect(page).not.toContain("Old.");
});

test("missing sources are listed, and the path of the folder is not shown", () => {
  expect(page).toMatch(/Sources that are not in the folder: .*dev\/raccoon.*\(generated_large\)/);
  expect(page).not.toContain(folder);
});

test("a folder that does not exist is rejected", async () => {
  const run = evaluate(join(folder, "absent"));
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stderr).text()).toContain("folder not found");
});
