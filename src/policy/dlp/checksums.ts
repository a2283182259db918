/** Check digit algorithms. Every function takes a value without separators. */

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, doubled = false; at >= 0; at--, doubled = !doubled) {
    const digit = digits.charCodeAt(at) - 48;
    sum += doubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

/** Returns the remainder of a long number; letters count as 10 to 35 (ISO 7064). */
export function remainder(characters: string, divisor: number): number {
  let rest = 0;
  for (const character of characters) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % divisor;
  }
  return rest;
}

/** Returns the sum of each character's value times its weight. Weights repeat. */
export function weightedSum(
  characters: string,
  weights: readonly number[],
  value: (character: string) => number = Number,
): number {
  let sum = 0;
  for (let at = 0; at < characters.length; at++) {
    sum += value(characters.charAt(at)) * (weights[at % weights.length] ?? 0);
  }
  return sum;
}

/** ISO 7064 mod 11,10: the check digit is the last one. */
export function passesMod11And10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

/** Returns whether digits are a calendar date in the order of `layout`: `yymmdd`, `ddmmyy`, `yyyymmdd`. */
export function isDate(digits: string, layout: "yymmdd" | "ddmmyy" | "yyyymmdd"): boolean {
  const month = Number(digits.slice(layout.indexOf("mm"), layout.indexOf("mm") + 2));
  const day = Number(digits.slice(layout.indexOf("dd"), layout.indexOf("dd") + 2));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Detects `0000…` and `1111…`, which satisfy many checksums but are never issued. */
export const isRepeatedDigit = (digits: string) => /^(\d)\1*$/.test(digits);

export const stripSeparators = (text: string) => text.replace(/[^0-9A-Za-z]/g, "");

/** ISO 3166 codes, and those that only banks and exchanges use (EU, XK, XS). */
export const COUNTRIES: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW " +
    "BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET EU " +
    "FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN " +
    "IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD " +
    "ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA " +
    "PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SK SL SM SN SO SR SS " +
    "ST SV SX SY SZ TC TD TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS " +
    "XK XS YE YT ZA ZM ZW"
  ).split(" "),
);
