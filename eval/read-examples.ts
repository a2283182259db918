/** Reads the sample of every source: of a data folder, or of the project's own texts. */
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Example, ORIGINS, type Origin, sample } from "./example.ts";
import { listFiles, readJsonLines, textOf } from "./readers/read-files.ts";
import { SOURCES } from "./sources.ts";
import type { TaskName } from "./tasks.ts";

/** Maximum number of texts per source and label. */
export interface SampleSizes {
  /** Of sources that were available for training. */
  seen: number;
  unseen: number;
}

/** Own texts, written for training. */
const OWN_TEXTS = resolve(import.meta.dir, "../training/texts");
/** Harmless texts that were not used for training. Those of `w33` were used to choose thresholds. */
const HELD_OUT = ["w33", "w35", "w36", "w37", "w39"];

export interface Corpus {
  examples: Example[];
  /** Known sources whose files are not in the folder. */
  missing: string[];
}

/** Reads the known sources of a data folder, and other folders in it that have the format of our own texts. */
export async function readDataFolder(folder: string, sizes: SampleSizes): Promise<Corpus> {
  const examples: Example[] = [];
  const missing: string[] = [];
  for (const { folder: own, part, read, ...labels } of SOURCES) {
    const source = part ? `${own} (${part})` : own;
    const all = await read(join(folder, own)).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== "ENOENT") throw thrown;
      missing.push(source);
      return [];
    });
    const isSeen = own.startsWith("train/");
    const texts = sample(all, { source, size: isSeen ? sizes.seen : sizes.unseen });
    examples.push(...texts.map((text) => ({ ...text, ...labels, source, isSeen })));
  }
  const known = new Set(SOURCES.map((source) => source.folder));
  for (const split of ["dev", "train"].filter((name) => existsSync(join(folder, name)))) {
    for (const entry of readdirSync(join(folder, split), { withFileTypes: true })) {
      const name = `${split}/${entry.name}`;
      if (known.has(name) || !entry.isDirectory()) continue;
      const isSeen = split === "train";
      examples.push(...(await readOwnFormat(join(folder, name), { name, isSeen, sizes })));
    }
  }
  for (const writer of HELD_OUT) {
    const ownSource = { name: `training/texts/${writer}`, isSeen: true, sizes };
    examples.push(...(await readOwnFormat(join(OWN_TEXTS, writer), ownSource)));
  }
  return { examples, missing };
}

/** Reads the texts of `training/texts`. */
export async function readOwnTexts(sizes: SampleSizes): Promise<Corpus> {
  const folders = readdirSync(OWN_TEXTS)
    .sort()
    .map((each) => {
      const name = `training/texts/${each}`;
      return readOwnFormat(join(OWN_TEXTS, each), { name, isSeen: true, sizes });
    });
  return { examples: (await Promise.all(folders)).flat(), missing: [] };
}

const TASK_OF: Readonly<Record<Origin, TaskName>> = {
  user: "prompt_injection",
  system: "prompt_injection",
  tool_definition: "prompt_injection",
  tool_arguments: "code_injection",
  tool_result: "indirect_prompt_injection",
  document: "indirect_prompt_injection",
};

/** Reads `*.jsonl` with the members of training/README.md. Other lines are skipped. */
async function readOwnFormat(
  folder: string,
  { name: folderName, isSeen, sizes }: { name: string; isSeen: boolean; sizes: SampleSizes },
): Promise<Example[]> {
  const size = isSeen ? sizes.seen : sizes.unseen;
  const rows = (await Promise.all(listFiles(folder, /\.jsonl$/).map(readJsonLines))).flat();
  return ORIGINS.flatMap((origin) =>
    ["attack", "benign"].flatMap((label) => {
      const texts = rows
        .filter((row) => row.origin === origin && row.label === label)
        .map((row) => ({ text: textOf(row, "text"), class: textOf(row, "kind") }));
      const name = `${folderName} (${origin.replace("_", " ")})`;
      return sample(texts, { source: `${name} ${label}`, size }).map((each) => ({
        ...{ ...each, source: name, origin, isPositive: label === "attack", isSeen },
        tasks: [TASK_OF[origin]],
      }));
    }),
  );
}
