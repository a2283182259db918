/** Extracts prompts and descriptions of tools from an installed package: string literals, templates and values of YAML and JSON. */
import { readFileSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { Glob } from "bun";
import { parseAllDocuments } from "yaml";
import { isObject } from "../../src/lib/json/json-object.ts";

/** Literals of JavaScript. After a quote in a comment, code is found instead, which is no prose. */
const JS = /"((?:[^"\\\n]|\\.){200,})"|'((?:[^'\\\n]|\\.){200,})'|`((?:[^`\\]|\\.){200,40000})`/gs;
const PYTHON = /"""((?:[^\\]|\\.){200,40000}?)"""|'''((?:[^\\]|\\.){200,40000}?)'''/gs;
/** Strings of a compiled program follow one another without an end. */
const PARAGRAPH = /[\x20-\x7e](?:[\t\x20-\x7e]|\n(?!\n)){199,4000}/g;

const findLiterals = (pattern: RegExp) => (source: string) =>
  Array.from(source.matchAll(pattern), ([, ...groups]) => readEscapes(groups.find(Boolean) ?? ""));

const ESCAPES: Record<string, string> = { n: "\n", t: "\t", r: "\r", "\n": "" };
const readEscapes = (literal: string): string =>
  literal
    .replace(/\\(?:u([\da-f]{4})|x([\da-f]{2}))/gi, (_, long, short) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    )
    .replace(/\\(.)/gs, (_, character) => ESCAPES[character] ?? character);

const listStrings = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value) || isObject(value)
      ? Object.values(value).flatMap(listStrings)
      : [];

const readYaml = (source: string) =>
  parseAllDocuments(source).flatMap((document) => listStrings(document.toJS({ maxAliasCount: 9 })));
const readWhole = (source: string) => [source];

const EXTRACTORS: Record<string, (source: string) => string[]> = {
  ...Object.fromEntries([".js", ".mjs", ".cjs"].map((type) => [type, findLiterals(JS)])),
  ".py": findLiterals(PYTHON),
  ...Object.fromEntries([".yaml", ".yml", ".json"].map((type) => [type, readYaml])),
  ...Object.fromEntries(
    [".md", ".txt", ".j2", ".jinja", ".jinja2"].map((type) => [type, readWhole]),
  ),
};
/** Programs that contain JavaScript, or that are compiled. */
const readBinary = (source: string) => [
  ...findLiterals(JS)(source),
  ...(source.match(PARAGRAPH) ?? []),
];
const MIN_BINARY_BYTES = 20_000_000;
const MAX_CHARACTERS = 40_000;
/** Files that no model reads. */
const SKIPPED =
  /^(?:readme|changelog|license|notice|third|package-lock|package\.json)|\.schema\.json$/i;

/** `patterns` select files below `folder`. */
export function extractTexts(folder: string, patterns: readonly string[]): string[] {
  const texts = new Set<string>();
  for (const path of patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(folder)])) {
    if (SKIPPED.test(basename(path)) || /(?:^|\/)tests?\//.test(path)) continue;
    const file = join(folder, path);
    const extract = EXTRACTORS[extname(path)] ?? readBinaryOf(file);
    for (const text of extract?.(readSource(file)) ?? []) if (isProse(text)) texts.add(text);
  }
  return [...texts];
}

const readBinaryOf = (file: string) =>
  statSync(file).size >= MIN_BINARY_BYTES ? readBinary : undefined;

const readSource = (file: string): string =>
  readFileSync(file, statSync(file).size >= MIN_BINARY_BYTES ? "latin1" : "utf8");

/** Prompts address the model, and are neither code nor bytes. */
function isProse(text: string): boolean {
  if (text.length < 200 || text.length > MAX_CHARACTERS || /[^\P{C}\n\r\t]/u.test(text))
    return false;
  const words = text.match(/(?<![\p{L}\d_.$])\p{L}+(?=[\s,.:;!?)'’]|$)/gu) ?? [];
  if (words.join(" ").length < text.length * 0.6) return false;
  return /\b(?:you|your|must|never|always|should|do not|don't|use this)\b/i.test(text);
}
