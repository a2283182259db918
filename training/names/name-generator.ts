/** Generates names of persons, places and organizations that resemble a given one in length and case. */
import type { LabeledSpan } from "./labeled-text.ts";
import type { Random } from "./random.ts";
import type { NameLists } from "./read-name-lists.ts";
import {
  AMBIGUOUS_GIVEN_NAMES,
  AMBIGUOUS_SURNAMES,
  COMPANY_KINDS,
  COMPANY_SUFFIXES,
  COMPANY_WORDS,
  INSTITUTION_PATTERNS,
  ORDINALS,
  ORGANIZATIONS,
  PLACE_PATTERNS,
  PLACES,
  STATE_CODES,
  STREET_PATTERNS,
  TREES,
} from "./word-lists.ts";

/** Returns a name of the same kind as `name`, in the same case. */
export type GenerateName = (name: string, label: LabeledSpan["label"]) => string;

export function createNameGenerator(lists: NameLists, random: Random): GenerateName {
  const { pick, chance, below, next } = random;
  const regions = [...lists.regions].filter((name) => name !== name.toLowerCase());
  const cities = lists.cities.filter((name) => name !== name.toLowerCase());
  const longCities = cities.filter((name) => name.includes(" "));
  const english = lists.locales.filter(
    ({ given }) => given.includes("Emily") || given.includes("Oliver"),
  );
  /** Large cities are more frequent in text. */
  const pickCity = () => cities[Math.floor(cities.length * next() ** 3)] ?? "";
  const pickLocale = () => pick(english.length > 0 && chance(0.4) ? english : lists.locales);

  const fill = (pattern: string): string =>
    pattern.replace(/\{(\w+)\}/g, (_, slot: string) => {
      if (slot === "city") return chance(0.3) ? pick(PLACES) : pickCity();
      if (slot === "region") return pick(regions);
      if (slot === "given") return pick(pickLocale().given);
      if (slot === "surname") return surname(pickLocale());
      if (slot === "kind") return pick(COMPANY_KINDS);
      if (slot === "tree") return pick(TREES);
      if (slot === "ordinal") return pick(ORDINALS);
      if (slot === "small") return String(1 + below(150));
      return String(1 + below(chance(0.5) ? 200 : 9999));
    });

  function invent(): string {
    const syllables = Array.from(
      { length: 2 + below(2) },
      () =>
        pick([..."bcdfghjklmnprstvwz", "ch", "sh", "kr", "th", "st"]) +
        pick([..."aeiou", "ai", "ee", "o"]),
    );
    const word =
      syllables.join("") +
      pick(["", "", "n", "s", "r", "k", "sky", "ov", "ez", "son", "wala", "ić"]);
    return word.charAt(0).toUpperCase() + word.slice(1);
  }
  const surname = ({ surnames }: { surnames: readonly string[] }) =>
    chance(0.1) ? pick(AMBIGUOUS_SURNAMES) : chance(0.06) ? invent() : pick(surnames);
  const given = (locale: { given: readonly string[] }) =>
    chance(0.1) ? pick(AMBIGUOUS_GIVEN_NAMES) : chance(0.04) ? invent() : pick(locale.given);

  function person(words: number): string {
    const locale = pickLocale();
    if (words === 1) return chance(0.65) ? given(locale) : surname(locale);
    const initial = () => `${String.fromCharCode(65 + below(26))}${chance(0.8) ? "." : ""}`;
    const first = chance(0.08) ? initial() : given(locale);
    const last = chance(0.04) ? `${surname(locale)}-${surname(locale)}` : surname(locale);
    if (words === 2 && !chance(0.12)) return `${first} ${last}`;
    const middle = chance(0.4)
      ? initial()
      : chance(0.5)
        ? given(locale)
        : pick(["de", "van", "von", "de la", "van der", "bin", "al", "Mac", surname(locale)]);
    return `${first} ${middle} ${last}`;
  }

  function location(name: string, words: number): string {
    if (/\d/.test(name)) {
      const street = fill(pick(STREET_PATTERNS));
      if (!/[,\n]/.test(name) && chance(0.6)) return street;
      const code = chance(0.5) ? ` ${10_000 + below(89_999)}` : "";
      return `${street}, ${pickCity()}${chance(0.6) ? `, ${pick(STATE_CODES)}${code}` : code}`;
    }
    if (/, [A-Z]{2}$/.test(name))
      return `${chance(0.4) ? pick(PLACES).split(",")[0] : pickCity()}, ${pick(STATE_CODES)}`;
    if (chance(0.35)) return pick(PLACES);
    if (words > 1) return chance(0.6) ? pick(longCities) : fill(pick(PLACE_PATTERNS));
    if (chance(0.2)) return pick(regions);
    return chance(0.1) ? fill(pick(PLACE_PATTERNS)) : pickCity();
  }

  function organization(): string {
    if (chance(0.4)) return pick(ORGANIZATIONS);
    if (chance(0.3)) return fill(pick(INSTITUTION_PATTERNS));
    const join = chance(0.2) ? "" : " ";
    const first = chance(0.4)
      ? surname(pickLocale())
      : chance(0.15)
        ? invent()
        : pick(COMPANY_WORDS) +
          (chance(0.4)
            ? join + (join ? pick(COMPANY_WORDS) : pick(COMPANY_WORDS).toLowerCase())
            : "");
    const kind = chance(0.6) ? ` ${pick(COMPANY_KINDS)}` : "";
    const suffix =
      kind === "" || chance(0.35) ? `${chance(0.2) ? "," : ""} ${pick(COMPANY_SUFFIXES)}` : "";
    return `${first}${kind}${chance(0.2) && kind ? "" : suffix}`;
  }

  return (name, label) => {
    const words = name.split(/\s+/).length;
    const made =
      label === "person"
        ? person(words)
        : label === "location"
          ? location(name, words)
          : organization();
    if (/\p{L}{2}/u.test(name) && name === name.toLowerCase()) return made.toLowerCase();
    return name.length > 3 && /[A-Z]{2}/.test(name) && name === name.toUpperCase()
      ? made.toUpperCase()
      : made;
  };
}
