/**
 * Whether the digits behind a plus sign are a number that some country gives out. The plans are those of
 * libphonenumber; its own parser takes 40 µs for each number, and 40 ms to load, where this takes one pattern.
 */
interface PhoneMetadata {
  country_calling_codes: Record<string, string[]>;
  countries: Record<string, NumberingPlan>;
  nonGeographic: Record<string, NumberingPlan>;
}
/** At 2 the pattern of all numbers, at 11 a pattern for each use, such as mobile. */
type NumberingPlan = readonly unknown[];

export function isInternationalNumber(digits: string): boolean {
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return false;
  for (let length = 1; length <= 3; length++) {
    const isNational = compileCallingCode(digits.slice(0, length));
    if (isNational) return isNational.test(digits.slice(length));
  }
  return false;
}

/** Digits with the calling code; the most is a limit of the numbering plans of the world (E.164). */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;

const compiled = new Map<string, RegExp | undefined>();

/** No calling code is the beginning of another. */
function compileCallingCode(code: string): RegExp | undefined {
  if (compiled.has(code)) return compiled.get(code);
  // Loaded by the first number that needs it: it is larger than all of this folder.
  const metadata: PhoneMetadata = require("libphonenumber-js/metadata.max.json");
  const { country_calling_codes, countries, nonGeographic } = metadata;
  const plans = country_calling_codes[code]?.map((country) => countries[country]) ?? [
    nonGeographic[code],
  ];
  const patterns = plans.flatMap((plan) => (plan ? readPatterns(plan) : []));
  const pattern = patterns.length > 0 ? new RegExp(`^(?:${patterns.join("|")})$`) : undefined;
  compiled.set(code, pattern);
  return pattern;
}

function readPatterns(plan: NumberingPlan): string[] {
  const uses = (plan[11] ?? []) as readonly (readonly [pattern: string] | 0)[];
  const patterns = uses.flatMap((use) => (use === 0 || use[0] === "" ? [] : [use[0]]));
  return patterns.length > 0 ? patterns : [plan[2] as string];
}
