/** Rejects discouraged words; CONTRIBUTING.md lists the words to use instead. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Each discouraged word, and what to write instead. */
const DISCOURAGED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(?:stands?|standing)\b/i, "is, runs, is located"],
  [/\b[Tt]old\b|[a-z]Told\b/, "recorded, reported, logged, returned"],
  [/\btells?\b/i, "reports, returns, distinguishes"],
  [/\b[Aa]sked\b|[a-z]Asked\b/, "requested, sent"],
  [
    /(?<!DNS |")\b[Aa]nswer(?:s|ed|ing)?\b|[a-z]Answer|\b[Aa]nswer[A-Z]/,
    "response, reply, returns",
  ],
  [/\b(?:whoever|whomever|whatever)\b/i, "the subject: the client, the administrator"],
  [/(?<!user=)\bnobody\b/i, "the subject: no client, no administrator"],
  [/\baside\b/i, "in a worker"],
  [/\b(?:misfit|offences?)\b/i, "validation error, violation"],
  [/\bis no such\b|\bcannot stand\b/i, "what is wrong and what to do"],
  [
    /\ba (?:text|head|thread)(?=$|[.,;:)]| (?:is|of|that|in|with|and|or|by|to|as|which|for)\b)/,
    "text, header block, worker",
  ],
  [/\b(?:MOST|LONGEST|LARGEST|LEAST|FEWEST|SHORTEST)_/, "MAX_, MIN_"],
  [/\b(?:most|longest|largest)[A-Z](?!estrictive)/, "max…"],
  [
    /\b(?:type|interface) (?:Asked|Known|Chosen|Judged|Kept|Place|Told|Backing|Named|Answered|Given|Wanted|Found)\b/,
    "a noun: MatchedRequest, CacheEntry, SourceLocation",
  ],
  [/\/\*\* (?:What|Where|Who|Whom|How|Which|Does|Do|Is|Are|May|Has)\b/, "Returns …, Reads …"],
  [
    /\b(?:behaviour|colour|honour|favour|recognise|organis|normalis|authoris|serialis|summaris|dialled|dialling|labelled(?!by)|judgement|licence|catalogue|centre)/i,
    "American spelling",
  ],
];

/** Words as data: elements of HTML, detector patterns, samples, the demo model's replies, and the list of words itself. */
const DATA: readonly string[] = [
  "CONTRIBUTING.md",
  "bench/guard/prose.ts",
  "src/lib/documents/html-elements.ts",
  "src/policy/dlp/clue-words.ts",
  "src/policy/topics/ordinary-sentences.ts",
  "src/policy/topics/topic-examples.ts",
  "test/policy/topic-sentences.ts",
];

const EXEMPT = /^test\/(?:golden|rules\/english)|\.json$|^docs\/portcullis\.schema/;
const files = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...["src", "test", "docs", "bench", "eval", "scripts"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  ),
].filter((file) => /\.(?:tsx?|md|html)$|^scripts\/\w+$/.test(file) && !EXEMPT.test(file));

/** Values on the wire that keep their name: the last stage of a connection test. */
const WIRE_VALUES = /"answer"/g;

const violationsIn = (file: string) =>
  readFileSync(file, "utf8")
    .replace(WIRE_VALUES, "")
    .split("\n")
    .flatMap((line, at) =>
      DISCOURAGED.filter(([word]) => word.test(line)).map(
        ([, instead]) => `${file}:${at + 1}: write ${instead}: ${line.trim()}`,
      ),
    );

test("no file uses a discouraged word", () => {
  const checked = files.filter((file) => !DATA.includes(file));
  expect(checked.flatMap(violationsIn)).toEqual([]);
});

test("every exception still exists", () => {
  expect(DATA.filter((path) => !existsSync(path))).toEqual([]);
});

test("no two files export a type of the same name", () => {
  const homes = Map.groupBy(
    files.filter((file) => file.startsWith("src/")).flatMap(exportedTypes),
    ({ name }) => name,
  );
  const duplicates = [...homes].filter(([, places]) => places.length > 1);
  expect(duplicates.map(([name, places]) => `${name}: ${places.map(({ file }) => file)}`)).toEqual(
    [],
  );
});

function exportedTypes(file: string): { name: string; file: string }[] {
  return [...readFileSync(file, "utf8").matchAll(/^export (?:type|interface) (\w+)/gm)].map(
    ([, name = ""]) => ({ name, file }),
  );
}
