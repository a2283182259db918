/** Checks the documents against the code: error codes, paths, and the steps of the pipelines. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ERRORS } from "../../src/contract/errors.ts";
import { hookAgents } from "../../src/contract/guard/hook-agents.ts";
import { hookSnippet } from "../../src/contract/guard/hook-snippets.ts";
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
    [...read(file).matchAll(/`((?:src|test|docs|scripts|bin|bench|eval|training)\/[\w./-]*\w)`/g)]
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

test.each(hookAgents)("the guide has the hook settings that the console shows for %s", (agent) => {
  const target = { url: "http://127.0.0.1:8080", fail_mode: "open" } as const;
  const { path, content } = hookSnippet(agent, target);
  const guide = read("docs/guides/coding-agents.md");

  expect(guide).toContain(`\`${path}\``);
  expect(guide).toContain(`\`\`\`json\n${content}\n\`\`\``);
});

/** Sections of ARCHITECTURE.md, each with the function whose steps it lists and the files that contain them. */
const PIPELINES = [
  ["### Data plane", "handleRequest", ["src/dataplane/handle-request.ts"]],
  [
    "### Evaluation",
    "handleEvaluate",
    ["src/evaluate/handle-evaluate.ts", "src/evaluate/evaluate-body.ts"],
  ],
] as const;

test.each(PIPELINES)("the section %s lists the steps of %s in order", (heading, entry, files) => {
  const [, section = ""] = read("ARCHITECTURE.md").split(`\n${heading}`);
  const [own = ""] = section.split("\n#");
  const listed = [...own.matchAll(/^\d+\. `(src\/[\w./-]+)`/gm)].map(([, path]) => path);

  expect(listed.length).toBeGreaterThan(10);
  expect(listed).toEqual(stepsOf(entry, files));
});

/** Returns the files whose main export a function calls, also through other functions of `files`, in order. */
function stepsOf(entry: string, files: readonly string[]): string[] {
  const functions = new Map<string, string>();
  const steps = new Map<string, string>();
  for (const file of files) {
    const source = read(file);
    for (const [, name = "", body = ""] of source.matchAll(FUNCTION)) functions.set(name, body);
    for (const [, path = ""] of source.matchAll(/from "(\.[\w./-]+)\.ts"/g)) {
      steps.set(camel(basename(path)), join(dirname(file), `${path}.ts`));
    }
  }
  const walk = (name: string): string[] =>
    [...(functions.get(name) ?? "").matchAll(/\b(\w+)\(/g)].flatMap(([, called = ""]) => {
      const step = functions.has(called) ? undefined : steps.get(called);
      return step ? [step] : walk(called);
    });
  return [...new Set(walk(entry))];
}

const FUNCTION = /^(?:export )?(?:async )?function (\w+)(.*?)^}/gms;

test("the README's tables of providers match src/providers", () => {
  const documented = new Map<string, (string | undefined)[]>();
  let columns: (string | undefined)[] = [];
  for (const [row] of read("README.md").matchAll(/^\| (?:Provider|`\w+`).*$/gm)) {
    const cells = row.split("|").map((cell) => cell.trim());
    const [, kind] = /`(\w+)`/.exec(row) ?? [];
    if (kind === undefined) columns = cells.map((title) => COLUMNS[title]);
    else {
      const marked = cells.flatMap((cell, at) => (cell === "✓" ? [columns[at]] : []));
      documented.set(kind, [...(documented.get(kind) ?? []), ...marked]);
    }
  }
  const actual = Object.values(providers).map((one) => [
    one.kind,
    listCapabilities(one).toSorted(),
  ]);

  const sorted = [...documented].map(([kind, marked]) => [kind, marked.toSorted()]);
  expect(Object.fromEntries(sorted)).toEqual(Object.fromEntries(actual));
});

test("the messages in the troubleshooting table of store-users.md are in the code", () => {
  const [, section = ""] =
    /^## Troubleshooting$(.*?)^## /ms.exec(read("docs/guides/store-users.md")) ?? [];
  const messages = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, message = ""]) => message);
  const code = readdirSync("src/mcp-store", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => read(join("src/mcp-store", file)))
    .join("\n");

  expect(messages.length).toBeGreaterThan(4);
  expect(messages.filter((message) => !code.includes(message))).toEqual([]);
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
  Gemini: "generate_content",
  Embeddings: "embeddings",
  Images: "images",
  Speech: "audio_speech",
  Transcription: "audio_transcription",
  Files: "files",
  Completions: "completions",
  Moderations: "moderations",
  Rerank: "rerank",
  "Token counts": "count_tokens",
  "Gemini token counts": "count_content_tokens",
  Compaction: "response_context",
  "Stored responses": "stored_responses",
  Conversations: "conversations",
  Uploads: "uploads",
  Batches: "batches",
  "Message batches": "message_batches",
  Converse: "converse",
};

const camel = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
