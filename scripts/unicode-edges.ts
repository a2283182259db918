/** Writes the code points at which a Unicode property of JavaScript begins or ends. Run it after an update of Bun. */
import { unicodeProperties } from "../test/kit/unicode-properties.ts";

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** Surrogates are separate, because two of them would be another character. */
const texts = [
  joinCharacters(0, FIRST_SURROGATE - 1),
  ...Array.from({ length: LAST_SURROGATE - FIRST_SURROGATE + 1 }, (_, index) =>
    String.fromCodePoint(FIRST_SURROGATE + index),
  ),
  joinCharacters(LAST_SURROGATE + 1, LAST_CODE_POINT),
];

const edges = new Set([FIRST_SURROGATE, LAST_SURROGATE + 1]);
for (const name of unicodeProperties()) {
  const member = new RegExp(`\\p{${name}}+`, "gu");
  for (const text of texts) {
    const end = (text.codePointAt(text.length - 1) ?? 0) + 1;
    for (const { 0: run, index } of text.matchAll(member)) {
      edges.add(text.codePointAt(index) ?? 0);
      edges.add(text.codePointAt(index + run.length) ?? end);
    }
  }
}

let last = 0;
const steps = [...edges]
  .filter((edge) => edge > 0 && edge <= LAST_CODE_POINT)
  .sort((one, other) => one - other)
  .map((edge) => {
    const step = (edge - last).toString(36);
    last = edge;
    return step;
  });
await Bun.write(
  "src/lib/linear-regex/unicode-edges.ts",
  `/** Code points at which a Unicode property begins or ends: distances in base 36, written by \`scripts/unicode-edges.ts\`. */
export const UNICODE_EDGES =
  "${steps.join(" ")}";
`,
);

function joinCharacters(from: number, to: number): string {
  let text = "";
  for (let point = from; point <= to; point++) text += String.fromCodePoint(point);
  return text;
}
