/** Reads BIPIA: clean emails, tables and code, and attacks to plant into them. */
import { join } from "node:path";
import { seeded } from "../../test/kit/random.ts";
import { type LabeledText, plant } from "../example.ts";
import { readJson, readJsonLines } from "./read-files.ts";

type Part = "email" | "table" | "code";

/** Each attack is planted into this many contexts. */
const CONTEXTS_PER_ATTACK = 20;

export const readBipiaContexts =
  (part: Part, suffix: string) =>
  async (folder: string): Promise<LabeledText[]> => {
    const rows = await readJsonLines(join(folder, `ctx_${part}_${suffix}.jsonl`));
    return rows.map(({ context }) => ({
      text: Array.isArray(context) ? context.join("\n") : String(context),
    }));
  };

/** Code gets attacks that ask for code, as in the benchmark; other contexts get attacks in prose. */
export const readBipiaPlanted =
  (part: Part, suffix: string) =>
  async (folder: string): Promise<LabeledText[]> => {
    const contexts = await readBipiaContexts(part, suffix)(folder);
    const file = part === "code" ? "code_attack" : "text_attack";
    const attacks = readAttackTexts(await readJson(join(folder, `${file}_${suffix}.json`)));
    const random = seeded(29);
    return attacks.flatMap((attack) =>
      Array.from({ length: CONTEXTS_PER_ATTACK }, () => ({
        ...attack,
        text: plant(random.pick(contexts).text, attack.text, random).text,
      })),
    );
  };

/** Returns the texts in lists, and in objects whose members name the class of a list. */
export function readAttackTexts(value: unknown): LabeledText[] {
  if (Array.isArray(value)) {
    return value.filter((text) => typeof text === "string").map((text) => ({ text }));
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, list]) =>
    readAttackTexts(list).map(({ text }) => ({ text, class: name })),
  );
}
