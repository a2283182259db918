/** Enforces the dependency ranks and the single-location rules. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** A folder imports only folders of a lower rank. */
const RANK: Record<string, number> = {
  lib: 0,
  contract: 1,
  db: 2,
  net: 2,
  providers: 2,
  dialects: 2,
  policy: 2,
  demo: 2,
  plugins: 3,
  credentials: 3,
  snapshot: 3,
  ".": 4, // the files beside the folders: deps.ts, route.ts, settings.ts and others
  dataplane: 5,
  evaluate: 5,
  admin: 5,
  "mcp-store": 5,
  "config-file": 6,
  server: 7,
  cli: 8,
};
/** The console imports only these; the server imports only its page. */
const BESIDE: Record<string, string[]> = { console: ["contract", "lib"] };
const SERVED = ["server/pages/serve-console.ts imports console/index.html"];

const SRC = resolve("src");
const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(join(SRC, file), "utf8") }));
const folderOf = (file: string) => (file.includes("/") ? (file.split("/")[0] ?? ".") : ".");

test("imports go down in rank, never sideways or up", () => {
  const violations = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/from "(\.[^"]+)"/g)].flatMap(([, spec = ""]) => {
      const target = relative(SRC, resolve(SRC, dirname(file), spec));
      if (target.startsWith("..")) return [];
      const [from, to] = [folderOf(file), folderOf(target)];
      const below = BESIDE[from]?.includes(to) ?? (RANK[to] ?? 99) < (RANK[from] ?? -1);
      return from === to || below ? [] : [`${file} imports ${target}`];
    }),
  );
  expect(violations.filter((violation) => !SERVED.includes(violation))).toEqual([]);
});

/** Statements that load a module when the program starts. `await import` and types do not. */
const LOADED = /^(?:import|export) (?!type\b)[^;]*?from "([^"]+)"|^import "([^"]+)"/gm;
const isOnlyTypes = (statement: string) =>
  /\{([^}]*)\}/
    .exec(statement)?.[1]
    ?.split(",")
    .every((name) => /^\s*(?:type |$)/.test(name)) === true;

test("the start loads neither the MCP SDK nor the YAML parser, which take 100 ms each", () => {
  const texts = new Map(sources.map(({ file, text }) => [file, text]));
  const loaded = new Set(["server/start.ts"]);
  const violations: string[] = [];
  for (const file of loaded) {
    for (const [statement, from, bare] of (texts.get(file) ?? "").matchAll(LOADED)) {
      const spec = from ?? bare ?? "";
      if (isOnlyTypes(statement)) continue;
      if (/^(?:@modelcontextprotocol\/|yaml$)/.test(spec)) violations.push(`${file}: ${spec}`);
      if (spec.startsWith(".")) loaded.add(relative(SRC, resolve(SRC, dirname(file), spec)));
    }
  }
  expect(loaded.size).toBeGreaterThan(500);
  expect(violations).toEqual([]);
});

test("every folder of src has a rank", () => {
  const folders = new Set(sources.map(({ file }) => folderOf(file)));
  expect([...folders].filter((name) => !(name in RANK) && !(name in BESIDE))).toEqual([]);
});

test.each([
  ["SQL", /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\b/, /^db\//],
  ["the environment", /process\.env/, /^cli\/main\.ts$/],
  // All outbound calls go through src/net, except database and Redis connections.
  // Scripts of pages run in the browser.
  ["fetch", /(?<![\w.])fetch\(/, /^console\/|^server\/pages\/page-script\.ts$/],
  [
    "an outbound connection",
    /Bun\.connect\(|from "node:(?:tls|https?|http2)"|\b(?:connect|createConnection)\b[^;]*from "node:net"/,
    /^net\//,
  ],
  ["the clock", /Date\.now\(|new Date\(\)/, /^lib\/time\/clock\.ts$/],
  ["Bun.serve", /Bun\.serve\(/, /^(server\/http\/listen|demo\/demo-upstream)\.ts$/],
  [
    "an error response",
    /\berror\.status\b|status: [45]\d\d/,
    /^(contract\/errors|server\/http\/render-error|server\/http\/serve-request)\.ts$|^demo\//,
  ],
])("%s appears only in its one place", (_, pattern, home) => {
  const strays = sources.filter(({ file, text }) => pattern.test(text) && !home.test(file));
  expect(strays.map(({ file }) => file)).toEqual([]);
});

test("providers and policy do no I/O", () => {
  const pure = sources.filter(({ file }) => /^(providers|policy)\//.test(file));
  const violations = pure.filter(({ text }) =>
    /from "node:(fs|net|http|https|dns|child_process)"|Bun\.(file|write|spawn|serve|sql)/.test(
      text,
    ),
  );
  expect(violations.map(({ file }) => file)).toEqual([]);
});

test("the only class is AppError", () => {
  const classes = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^\s*(?:export )?(?:abstract )?class (\w+)/gm)].map(
      ([, name]) => `${file}: ${name}`,
    ),
  );
  expect(classes).toEqual(["contract/errors.ts: AppError"]);
});

test("a file states its purpose in its first line", () => {
  const silent = sources.filter(
    ({ text }) => !/^\/\*\*(?: |\n \* )\S/.test(text) && !text.startsWith("#!"),
  );
  expect(silent.map(({ file }) => file)).toEqual([]);
});

test("file names carry information", () => {
  const banned =
    /(^|[-/])(service|manager|handler|helper|util|utils|common|core|base|misc|data|info)(?=[-.])/;
  // Words of the wire, which one grep must find everywhere.
  const given = /\/(data-loss-prevention|service-token|service-clients)\./;
  const files = sources.map(({ file }) => file).filter((file) => !given.test(file));
  expect(files.filter((file) => banned.test(file))).toEqual([]);
});

test("nothing is exported by default, re-exported, typed any or silenced", () => {
  const violations = sources.filter(({ text }) =>
    /^export default|^export \* from|^(?! *(?:\*|\/[/*])).*(?:: any\b|\bas any\b)|@ts-(?:ignore|expect-error|nocheck)/m.test(
      text,
    ),
  );
  expect(violations.map(({ file }) => file)).toEqual([]);
});

/** Values in commands that are not input: fixed words, methods, modes, and a header that is quoted before. */
const UNQUOTED = ["header", "verb", "mode", "method.toUpperCase()", "purpose"];
const QUOTED = /shellQuote\((?:[^()`]|`[^`]*`|\([^()]*\))*\)/g;
/** A template string that begins with a command or an option, or contains one after a colon or an operator. */
const COMMAND =
  /`(?:[^`]*(?:: |&& |\| |\\n))?\s*(?:curl|npx|npm|bunx|docker|claude|codex|gemini|chmod|chown|export|portcullis [a-z-]+|psql|redis-cli|kill|mv|cp|rm|sh|bash|--?[a-zA-Z][\w-]*) [^`]*`/g;

test("every value in a command is quoted for the shell", () => {
  const commands = sources.flatMap(({ file, text }) =>
    [...text.replace(QUOTED, "QUOTED").matchAll(COMMAND)].map(([command]) => `${file}: ${command}`),
  );
  const isInput = (value: string) => !/^[A-Z_]+$/.test(value) && !UNQUOTED.includes(value);
  const unquoted = commands.filter((command) =>
    [...command.matchAll(/\$\{([^}]*)\}/g)].some(([, value = ""]) => isInput(value)),
  );

  expect(commands.length).toBeGreaterThan(5);
  expect(unquoted).toEqual([]);
});
