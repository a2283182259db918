/** Generates secrets in the formats that the rules of gitleaks describe, in the forms in which people write them. */
import { join } from "node:path";
import { seeded } from "../../test/kit/random.ts";
import type { LabeledText } from "../example.ts";
import { generateMatch } from "./generate-match.ts";

interface SecretRule {
  id: string;
  regex?: string;
}

/** Writes the value of a rule such as `acme-api-key`. */
const FORMS: Readonly<Record<string, (words: readonly string[]) => string>> = {
  "environment variable": (words) => `export ${words.join("_").toUpperCase()}=`,
  "JSON member": (words) => `{"retries": 3, "${words.join("_")}": "`,
  sentence: (words) => `We still use the ${words.join(" ")} `,
};
const ENDS: Readonly<Record<string, string>> = {
  "JSON member": '", "region": "eu"}',
  sentence: " on the old server, please rotate it.",
};

export async function readSecrets(folder: string): Promise<LabeledText[]> {
  const text = await Bun.file(join(folder, "gitleaks.toml")).text();
  const { rules } = Bun.TOML.parse(text) as { rules: SecretRule[] };
  const random = seeded(31);
  return rules.flatMap(({ id, regex }) =>
    Object.entries(FORMS).flatMap(([form, begin]) => {
      const value = regex ? generateMatch(regex, random) : "";
      // Some rules describe a whole line, or a value that needs its line.
      if (!/^[^\s"']{12,}$/.test(value)) return [];
      const before = begin(id.split("-"));
      const span = { type: "secret", start: before.length, end: before.length + value.length };
      return [{ text: `${before}${value}${ENDS[form] ?? ""}`, class: form, spans: [span] }];
    }),
  );
}
