/** Texts to choose the thresholds of the starter policy: no model was trained on them, and files are as coding agents read them. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { seeded } from "../test/kit/random.ts";
import { type Example, type LabeledText, plant, sample } from "./example.ts";
import { readDataFolder } from "./read-examples.ts";
import { readAttackTexts } from "./readers/read-bipia.ts";
import { readJson, readJsonLines, readLines, readRows, textOf } from "./readers/read-files.ts";
import { SOURCES } from "./sources.ts";

export interface StarterText extends Pick<Example, "text" | "origin" | "source" | "isPositive"> {
  /** The goal holds for each group. Undefined: the text is not used to choose, only to check the choice. */
  group: string | undefined;
}

interface Part extends Omit<StarterText, "text"> {
  size: number;
  read: (data: string) => Promise<LabeledText[]>;
}

export const DOCUMENTS = "documents of agents";
export const FILES = "files of packages";

const harmless = (source: string, read: Part["read"], size: number): Part => ({
  ...{ source, group: source, origin: "tool_result", isPositive: false, size, read },
});
const fromUser = (source: string, read: Part["read"], size = 2000): Part => ({
  ...{ ...harmless(source, read, size), group: "messages", origin: "user" },
});
const planted = (host: string, read: Part["read"]): Part => ({
  ...{ ...harmless(`dev/bipia, in ${host}`, plantAttacks(read), 500), isPositive: true },
});
/** Returns parts of files instead of whole files. */
const partly = (read: Part["read"]) => async (data: string) => (await read(data)).flatMap(partOf);

/** Parts that `training/prepare.py` does not read, documents of agents, and files of packages. */
const PARTS: readonly Part[] = [
  fromUser("train/cse_instruct (rest)", readRequests),
  fromUser("train/nl2bash (rest)", readTasks, 200),
  { ...fromUser("train/hh_harmless_test (later turns)", readLaterTurns), group: undefined },
  harmless(`${DOCUMENTS}, whole`, readDocuments, 2000),
  harmless(`${DOCUMENTS}, parts`, partly(readDocuments), 1000),
  { ...harmless(`${DOCUMENTS}, attached`, readDocuments, 500), origin: "document" },
  harmless(`${FILES}, whole`, readPackages, 1000),
  harmless(`${FILES}, parts`, partly(readPackages), 1000),
  planted(DOCUMENTS, readDocuments),
  planted(`parts of ${DOCUMENTS}`, partly(readDocuments)),
];

/** As much as one call of a tool returns. */
const MAX_CHARACTERS = 65_536;

/** Reads the sources above and those of `npm run eval`, without the ones that models were trained on. */
export async function readStarterTexts(data: string): Promise<StarterText[]> {
  const known = new Set(SOURCES.map(({ folder }) => folder));
  const { examples } = await readDataFolder(data, { seen: 1000, unseen: 1000 });
  const unseen = examples
    .filter(({ source, tasks }) => !source.startsWith("train/") && tasks.some(isInjection))
    .map((each): StarterText => {
      const isForChoice = each.isSeen || known.has(each.source.replace(/ \(.*/, ""));
      const group = each.origin === "user" ? "messages" : "short tool results";
      return { ...each, group: isForChoice ? group : undefined };
    });
  const parts = PARTS.map(async ({ read, size, ...labels }) =>
    sample(await read(data), { source: labels.source, size }).map(({ text }) => ({
      ...{ ...labels, text: text.slice(0, MAX_CHARACTERS) },
    })),
  );
  return [...unseen, ...(await Promise.all(parts)).flat()];
}

const isInjection = (task: string): boolean => task.endsWith("prompt_injection");

async function readRequests(data: string): Promise<LabeledText[]> {
  const rows = await readRows(join(data, "train/cse_instruct/instruct-v2.json"));
  return rows.slice(1500).map((row) => ({ text: textOf(row, "test_case_prompt") }));
}

async function readTasks(data: string): Promise<LabeledText[]> {
  const lines = await readLines(join(data, "train/nl2bash/first_half.nl"));
  return lines.filter((_, index) => index % 3 !== 0).map((text) => ({ text }));
}

async function readLaterTurns(data: string): Promise<LabeledText[]> {
  const rows = await readJsonLines(join(data, "train/hh_harmless_test/test.jsonl.gz"));
  const turns = rows.flatMap((row) =>
    [...textOf(row, "chosen").matchAll(/\n\nHuman: (.*?)(?=\n\nAssistant:|$)/gs)].slice(2),
  );
  return turns.map(([, text = ""]) => ({ text }));
}

async function readDocuments(data: string): Promise<LabeledText[]> {
  const path = join(data, "dev/agent_documents/documents.jsonl.xz");
  const { stdout } = Bun.spawn(["xz", "-dc", path]);
  const lines = (await new Response(stdout).text()).split("\n").filter(Boolean);
  return lines.map((line) => ({ text: textOf(JSON.parse(line), "text") }));
}

const MODULES = resolve(import.meta.dir, "../node_modules");
const IS_TRAINED = /(?:^|\/)README\.md$|^[^/]+\/(?:[^/]+\.js|src\/[^/]+\.ts|lib\/[^/]+\.js)$/i;

async function readPackages(): Promise<LabeledText[]> {
  const files = new Bun.Glob("**/*.{md,ts,js,mjs,cjs,json,yml,yaml,css,html,txt,py,sh}");
  const paths = [...files.scanSync({ cwd: MODULES })].filter((it) => !IS_TRAINED.test(it));
  const names = Map.groupBy(paths.sort(), (path) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "");
  // A few packages have most of the files.
  const chosen = [...names].flatMap(([source, own]) =>
    sample(
      own.map((text) => ({ text })),
      { source, size: 40 },
    ),
  );
  return chosen.map(({ text }) => ({ text: readFileSync(join(MODULES, text), "utf8") }));
}

/** As tools of coding agents number the lines of a file. */
const NUMBERINGS: readonly ((line: string, number: number) => string)[] = [
  (line) => line,
  (line, number) => `${String(number).padStart(6)}\t${line}`,
  (line, number) => `${String(number).padStart(6)}→${line}`,
  (line, number) => `${String(number).padStart(5, "0")}| ${line}`,
];

/** Returns 50 to 400 lines of a file; nothing of a short one. */
function partOf({ text }: LabeledText): LabeledText[] {
  const lines = text.split("\n");
  if (lines.length < 50) return [];
  const random = seeded(Bun.hash.crc32(text));
  const first = random.below(lines.length - 49);
  const number = random.pick(NUMBERINGS);
  const part = lines.slice(first, first + 50 + random.below(351));
  return [{ text: part.map((line, index) => number(line, first + index + 1)).join("\n") }];
}

function plantAttacks(readHosts: Part["read"]): Part["read"] {
  return async (data) => {
    const attacks = readAttackTexts(await readJson(join(data, "dev/bipia/text_attack_test.json")));
    const random = seeded(31);
    const hosts = (await readHosts(data)).map(({ text }) => text.slice(0, MAX_CHARACTERS - 2000));
    return hosts.map((host) => plant(host, random.pick(attacks).text, random));
  };
}
