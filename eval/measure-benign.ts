/** Counts what every detector reports on benign text with its default settings. */
import type { Detector } from "../src/policy/detector.ts";
import type { Example } from "./example.ts";
import type { Portcullis } from "./portcullis.ts";

export interface BenignResult {
  source: string;
  texts: number;
  characters: number;
  /** Number of texts with a finding, by kind. */
  flagged: Map<string, number>;
}

export async function measureBenign(
  portcullis: Portcullis,
  kinds: readonly Detector[],
  examples: readonly Example[],
): Promise<BenignResult[]> {
  const guard = await portcullis.createGuard(
    kinds.map(({ kind }) => ({ name: kind, kind, settings: {} })),
  );
  const results = new Map<string, BenignResult>();
  for (const example of examples) {
    const { source, text, isPositive } = example;
    if (isPositive) continue;
    const own = results.get(source) ?? { source, texts: 0, characters: 0, flagged: new Map() };
    results.set(source, own);
    own.texts += 1;
    own.characters += text.length;
    for (const kind of (await guard.evaluate(example)).keys()) {
      own.flagged.set(kind, (own.flagged.get(kind) ?? 0) + 1);
    }
  }
  return [...results.values()];
}
