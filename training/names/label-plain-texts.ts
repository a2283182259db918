/** Labels sentences of ordinary text in which lists explain every capitalized word. Other sentences are left out. */
import {
  CITY,
  COMMON_WORD,
  GIVEN_NAME,
  MOSTLY_LOWER,
  ORGANIZATION_WORD,
  REGION,
  readFacts,
  SURNAME,
} from "../../src/policy/names/name-lexicon.ts";
import { hashWord, toPlainWord } from "../../src/policy/names/split-words.ts";
import type { LabeledSpan, LabeledText } from "./labeled-text.ts";
import type { NameLists } from "./read-name-lists.ts";
import { COMPANY_SUFFIXES, ORGANIZATIONS, PLACES } from "./word-lists.ts";

const SENTENCE = /[^\n.!?]+(?:[.!?](?!\s|$)[^\n.!?]*)*[.!?]*/g;
const CAPITALS =
  /\p{Lu}[\p{L}'’-]*(?:\.(?= ?\p{Lu}))?(?:(?: | of | de | & )\p{Lu}[\p{L}'’-]*\.?)*/gu;
const NOT_A_NAME =
  /^(I|I'm|I'll|I've|I'd|OK|Mr|Mrs|Ms|Dr|Prof|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|June|July|August|September|October|November|December|English|German|French|Spanish|Italian|Chinese|Japanese|Russian|American|British|European|Dutch|Polish|Czech|Portuguese|Indian|African|Asian|Korean|Turkish|Christmas|Easter|Java|Python|JavaScript|TypeScript|Linux|Windows|Unix|HTML|CSS|SQL|JSON|XML|HTTP|HTTPS|API|URL|PDF|CPU|GPU|RAM|USB|Excel|Word|PowerPoint|Outlook|Docker|Kubernetes|React|Node|Perl|Ruby|Rust|Internet|Web|Email)$/;

/** Returns the label of a run of capitalized words, "none", or undefined if it is unknown. */
export type ExplainRun = (
  run: string,
  isStart: boolean,
) => LabeledSpan["label"] | "none" | undefined;

export function createExplainer(lists: NameLists, lexicon: Uint32Array): ExplainRun {
  const places = new Set(
    [...PLACES, ...lists.regions, ...lists.cities.slice(0, 4000)].filter((name) => name.length > 2),
  );
  const organizations = new Set(ORGANIZATIONS);
  const suffixes = new Set(COMPANY_SUFFIXES.map((suffix) => suffix.replace(/\.$/, "")));
  const factsOf = (word: string) =>
    readFacts(lexicon, hashWord(toPlainWord(word.replace(/['’]s$/, ""))));

  return (run, isStart) => {
    const words = run.split(/[ .]+/).filter((word) => word !== "");
    const facts = words.map(factsOf);
    const isWord = (value: number) => (value & (COMMON_WORD | MOSTLY_LOWER)) !== 0;
    const [first = 0] = facts;
    if (words.every((word) => NOT_A_NAME.test(word))) return "none";
    if (organizations.has(run) && (words.length > 1 || !isWord(first))) return "organization";
    if (words.length > 1 && suffixes.has(words.at(-1) ?? "")) return "organization";
    if (
      places.has(run) &&
      !(
        words.length === 1 &&
        (isWord(first) || ((first & (GIVEN_NAME | SURNAME)) !== 0 && (first & REGION) === 0))
      )
    )
      return "location";
    const isGiven = (value: number) =>
      (value & GIVEN_NAME) !== 0 && !isWord(value) && (value & (REGION | ORGANIZATION_WORD)) === 0;
    const isSurname = (value: number) => (value & SURNAME) !== 0 || value === 0;
    if (words.length === 2 && isGiven(first) && isSurname(facts[1] ?? 0) && !isWord(facts[1] ?? 0))
      return "person";
    if (words.length === 1 && isGiven(first) && (first & CITY) === 0) return "person";
    if (
      facts.every(
        (value) => (value & MOSTLY_LOWER) !== 0 && (value & (GIVEN_NAME | SURNAME | CITY)) === 0,
      )
    )
      return "none";
    if (words.length === 1 && isStart && (first & MOSTLY_LOWER) !== 0) return "none";
    return undefined;
  };
}

export const labelPlainTexts = (texts: readonly string[], explain: ExplainRun): LabeledText[] =>
  texts.flatMap((text) =>
    (text.match(SENTENCE) ?? []).flatMap((raw): LabeledText[] => {
      const sentence = raw.trim();
      if (sentence.length < 25 || sentence.length > 300) return [];
      if (/[<>{}=|@_]|https?:/.test(sentence)) return [];
      const spans: LabeledSpan[] = [];
      for (const { 0: run, index } of sentence.matchAll(CAPITALS)) {
        const name = run.replace(/['’]s$|\.$/, "");
        const label = explain(name, index === 0);
        if (label === undefined) return [];
        if (label !== "none") spans.push({ start: index, end: index + name.length, label });
      }
      return [{ text: sentence, spans }];
    }),
  );

/** Labels technical text: what no list explains as a name is none. */
export const labelTechnicalTexts = (texts: readonly string[], explain: ExplainRun): LabeledText[] =>
  texts.map((text) => ({
    text,
    spans: [],
    unknown: Array.from(text.matchAll(CAPITALS), ({ 0: run, index }) => {
      const label = explain(run.replace(/['’]s$|\.$/, ""), false);
      return { start: index, end: label && label !== "none" ? index + run.length : index };
    }),
  }));
