/** Reads technical text, in which most capitalized words are not names. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LabeledText } from "./labeled-text.ts";

const MAX_CHARACTERS = 4000;

/** Returns pieces of source files in a fixed order. `packages` is a node_modules folder. */
export function readCode(packages: string): LabeledText[] {
  const files = listFiles(packages, /\.(js|mjs|ts|css|json)$/).filter(
    (file) => !/locale|lang|i18n|LICENSE|AUTHORS/i.test(file),
  );
  return (
    sample(files, CODE_FILES)
      .map((file) => readFileSync(file, "utf8").slice(0, MAX_CHARACTERS))
      // Comments name authors.
      .map((text) =>
        text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|"author[\s\S]*?\}|"(name|email|url)".*/g, ""),
      )
      .map((text) => ({ text, spans: [] }))
  );
}

/** Returns documentation of packages, commands and their descriptions. */
export function readTechnicalTexts(packages: string, data: string): string[] {
  const lines = (file: string) =>
    readFileSync(join(data, "train/nl2bash", file), "utf8").split("\n");
  return [
    ...sample(listFiles(packages, /\.md$/), DOCUMENTS).map((file) =>
      readFileSync(file, "utf8").slice(0, 4 * MAX_CHARACTERS),
    ),
    ...lines("first_half.cm").slice(0, 2000),
    ...lines("first_half.nl").slice(0, 3000),
    ...readCodingRequests(data),
  ];
}

const readCodingRequests = (data: string): string[] =>
  (
    JSON.parse(readFileSync(join(data, "train/cse_instruct/instruct-v2.json"), "utf8")) as {
      test_case_prompt: string;
    }[]
  )
    .slice(0, 800)
    .map(({ test_case_prompt }) => test_case_prompt);

const listFiles = (folder: string, name: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file) && !file.startsWith(".cache"))
    .sort()
    .map((file) => join(folder, file));

const CODE_FILES = 1500;
const DOCUMENTS = 400;

export function sample<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, Math.ceil(items.length / count));
  return items.filter((_, index) => index % step === 0);
}
