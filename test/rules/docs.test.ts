/** Checks the documents against the code: error codes, paths and request flows. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/contract/errors.ts";
import { providers } from "../../src/providers/all.ts";
import { listCapabilities } from "../../src/providers/provider.ts";

const read = (file: string) => readFileSync(file, "utf8");
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];

test("every error code has a heading in docs/errors.md with its status, and the reverse", () => {
  const headings = [...read("docs/errors.md").matchAll(/^## (\d+) `(\w+)`$/gm)].map(
    ([, status, code]) => `${status} ${code}`,
  );
  const codes = Object.entries(ERRORS).map(([code, { status }]) => `${status} ${code}`);

  expect(headings.toSorted()).toEqual(codes.toSorted());
});

test("every project path in a document exists", () => {
  const missing = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:src|test|docs|scripts|bin|bench)\/[\w./-]*\w)`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => !existsSync(path))
      .map((path) => `${file}: ${path}`),
  );

  expect(missing).toEqual([]);
});

test("every link between documents resolves", () => {
  const dead = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(file, "..", target)))
      .map((target) => `${file}: ${target}`),
  );

  expect(dead).toEqual([]);
});

test("ARCHITECTURE.md lists the steps of dataplane/handle-request.ts in order", () => {
  const called = [
    ...read("src/dataplane/handle-request.ts").matchAll(/from "\.\/([\w-]+)\.ts"/g),
  ].map(([, name]) => name);
  const documented = [
    ...read("ARCHITECTURE.md").matchAll(/^\d+\. `src\/dataplane\/([\w-]+)\.ts`/gm),
  ].map(([, name]) => name);
  const body = read("src/dataplane/handle-request.ts");
  const order = (names: (string | undefined)[]) =>
    names.filter((name) => name !== "handle-request" && body.includes(`${camel(name ?? "")}(`));

  expect(documented.filter((name) => name !== "handle-request")).toEqual(
    order(called).toSorted(
      (one, other) => body.indexOf(`${camel(one ?? "")}(`) - body.indexOf(`${camel(other ?? "")}(`),
    ),
  );
});

test("the README's table of providers matches src/providers", () => {
  const [header = "", ...rows] = [...read("README.md").matchAll(/^\| (?:Provider|`\w+`).*$/gm)].map(
    ([row]) => row,
  );
  const columns = header.split("|").map((title) => COLUMNS[title.trim()]);
  const documented = rows.map((row) => {
    const [, kind = ""] = /`(\w+)`/.exec(row) ?? [];
    const marked = row.split("|").flatMap((cell, at) => (cell.trim() === "✓" ? [columns[at]] : []));
    return [kind, marked.toSorted()];
  });
  const actual = Object.values(providers).map((one) => [
    one.kind,
    listCapabilities(one).toSorted(),
  ]);

  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(actual));
});

test("the README shows the two commands", () => {
  expect(read("README.md")).toContain("npm ci && npm start");
  expect(read("README.md")).toContain("npm ci && npm test");
});

test("the README's figures are those of docs/benchmarks.md", () => {
  const [, speed = ""] = /^## Speed$(.*?)^## /ms.exec(read("README.md")) ?? [];
  const numbers = (text: string) => text.match(/\d[\d,.]*\d|\d/g) ?? [];
  const measured = new Set(numbers(read("docs/benchmarks.md")));

  expect(numbers(speed).length).toBeGreaterThan(20);
  expect(numbers(speed).filter((number) => !measured.has(number))).toEqual([]);
});

const COLUMNS: Record<string, string> = {
  Chat: "chat",
  Responses: "responses",
  Messages: "messages",
  Embeddings: "embeddings",
  Images: "images",
  Speech: "audio_speech",
  Transcription: "audio_transcription",
  Files: "files",
};

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
