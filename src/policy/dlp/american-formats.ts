/** Formats of identification numbers in the Americas. */
import { isRepeatedDigit, passesLuhn, stripSeparators, weightedSum } from "./checksums.ts";
import {
  cluedFormat,
  distinctFormat,
  type EntityFormat,
  matchPattern,
  range,
} from "./entity-format.ts";

export const AMERICAN_FORMATS: readonly EntityFormat[] = [
  {
    entity: "ssn",
    startsWith: "digit",
    leadingLengths: [3],
    ...matchPattern(/\d{3}-\d{2}-\d{4}/, isSsn),
    confidence: 0.85,
    confidenceWithClue: 0.97,
  },
  {
    entity: "ssn",
    startsWith: "digit",
    leadingLengths: [3],
    ...matchPattern(/\d{3}([ .])\d{2}\1\d{4}/, isSsn),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    entity: "ssn",
    startsWith: "digit",
    leadingLengths: [9],
    ...matchPattern(/\d{9}/, isSsn),
    confidence: 0,
    confidenceWithClue: 0.8,
  },
  distinctFormat("us_itin", [3], /9\d{2}-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])-\d{4}/),
  cluedFormat(
    "us_itin",
    [3, 9],
    /9\d{2}([ -]?)(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\1\d{4}/,
    undefined,
    { confidenceWithClue: 0.95 },
  ),
  cluedFormat("canadian_sin", [3, 9], /[1-79]\d{2}([ -]?)\d{3}\1\d{3}/, passesLuhn),
  cluedFormat("argentine_cuit", [2, 11], /(?:2[03467]|3[034])(-?)\d{8}\1\d/, isCuit),
  {
    entity: "us_medicare",
    startsWith: "digit",
    leadingLengths: [4, 11],
    ...matchPattern(
      /[1-9][AC-HJKMNPQRT-Y][0-9AC-HJKMNPQRT-Y]\d(-?)[AC-HJKMNPQRT-Y][0-9AC-HJKMNPQRT-Y]\d\1[AC-HJKMNPQRT-Y]{2}\d{2}/,
    ),
    confidence: 0.85,
    confidenceWithClue: 0.97,
  },
  {
    entity: "brazilian_cpf",
    startsWith: "digit",
    leadingLengths: [3],
    ...matchPattern(/\d{3}\.\d{3}\.\d{3}-\d{2}/, isCpf),
    confidence: 0.95,
    confidenceWithClue: 0.98,
  },
  {
    entity: "brazilian_cpf",
    startsWith: "digit",
    leadingLengths: [9, 11],
    ...matchPattern(/\d{9}-?\d{2}/, isCpf),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    // Alphanumeric since July 2026.
    entity: "brazilian_cnpj",
    startsWith: "either",
    leadingLengths: [2],
    ...matchPattern(/[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}\/[0-9A-Z]{4}-\d{2}/, isCnpj),
    confidence: 0.95,
    confidenceWithClue: 0.98,
  },
  {
    entity: "brazilian_cnpj",
    startsWith: "either",
    leadingLengths: [14],
    ...matchPattern(/[0-9A-Z]{12}\d{2}/, isCnpj),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    entity: "mexican_curp",
    startsWith: "letter",
    leadingLengths: [18],
    ...matchPattern(
      /[A-Z][AEIOUX][A-Z]{2}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[HMX](?:A[SG]|B[CS]|C[SHLM]|D[FG]|G[TR]|HG|JC|M[CNS]|N[ETL]|OC|PL|Q[TR]|S[PLR]|T[CSL]|VZ|YN|ZS)[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z]\d/i,
      isCurp,
    ),
    confidence: 0.98,
    confidenceWithClue: 0.99,
  },
  {
    entity: "mexican_rfc",
    startsWith: "letter",
    leadingLengths: [3, 4, 12, 13],
    ...matchPattern(
      /[A-ZÑ]{3,4}(-?)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\1[0-9A-Z]{2}[0-9A]/i,
      isRfc,
    ),
    confidence: 0.85,
    confidenceWithClue: 0.97,
  },
  {
    entity: "chilean_rut",
    startsWith: "digit",
    leadingLengths: [1, 2],
    ...matchPattern(/\d{1,2}\.\d{3}\.\d{3}-[0-9Kk]/, isRut),
    confidence: 0.9,
    confidenceWithClue: 0.97,
  },
  {
    entity: "chilean_rut",
    startsWith: "digit",
    leadingLengths: [7, 8],
    ...matchPattern(/\d{7,8}-[0-9Kk]/, isRut),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    entity: "colombian_cc",
    startsWith: "digit",
    leadingLengths: [1, 2, ...range(6, 10)],
    ...matchPattern(/\d{6,10}|\d{1,2}\.\d{3}\.\d{3}|1\.\d{3}\.\d{3}\.\d{3}/),
    confidence: 0,
    confidenceWithClue: 0.7,
    clueScope: "linked",
  },
  {
    entity: "argentine_dni",
    startsWith: "digit",
    leadingLengths: [1, 2, 7, 8],
    ...matchPattern(/\d{1,2}\.\d{3}\.\d{3}|\d{7,8}/),
    confidence: 0,
    confidenceWithClue: 0.7,
    clueScope: "linked",
  },
  {
    entity: "peruvian_dni",
    startsWith: "digit",
    leadingLengths: [8],
    ...matchPattern(/\d{8}(?:-\d)?/),
    confidence: 0,
    confidenceWithClue: 0.7,
    clueScope: "linked",
  },
];

/** Rejects areas, groups and serials that are never issued. */
function isSsn(matched: string): boolean {
  const digits = stripSeparators(matched);
  return !/^(?:000|666|9)|^...00|0000$/.test(digits) && !isRepeatedDigit(digits);
}

function isCuit(digits: string): boolean {
  const check = (11 - (weightedSum(digits.slice(0, 10), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return Math.min(check, 9) === Number(digits.charAt(10));
}

const mod11CheckDigit = (
  characters: string,
  weights: readonly number[],
  value?: (one: string) => number,
) => {
  const rest = weightedSum(characters, weights, value) % 11;
  return rest < 2 ? 0 : 11 - rest;
};

function isCpf(matched: string): boolean {
  const digits = stripSeparators(matched);
  return (
    !isRepeatedDigit(digits) &&
    mod11CheckDigit(digits.slice(0, 9), [10, 9, 8, 7, 6, 5, 4, 3, 2]) ===
      Number(digits.charAt(9)) &&
    mod11CheckDigit(digits.slice(0, 10), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) ===
      Number(digits.charAt(10))
  );
}

function isCnpj(matched: string): boolean {
  const characters = stripSeparators(matched);
  const value = (one: string) => one.charCodeAt(0) - 48;
  const weights = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  return (
    !isRepeatedDigit(characters) &&
    mod11CheckDigit(characters.slice(0, 12), weights, value) === Number(characters.charAt(12)) &&
    mod11CheckDigit(characters.slice(0, 13), [6, ...weights], value) ===
      Number(characters.charAt(13))
  );
}

const CURP_ORDER = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ";

function isCurp(matched: string): boolean {
  const code = matched.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 17; at++) sum += CURP_ORDER.indexOf(code.charAt(at)) * (18 - at);
  return (10 - (sum % 10)) % 10 === Number(code.charAt(17));
}

const RFC_ORDER = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";

/** Pads the code of a company, which is one letter shorter, with a leading space. */
function isRfc(matched: string): boolean {
  const code = matched.replaceAll("-", "").toUpperCase().padStart(13, " ");
  let sum = 0;
  for (let at = 0; at < 12; at++) sum += RFC_ORDER.indexOf(code.charAt(at)) * (13 - at);
  return "0A987654321".charAt(sum % 11) === code.charAt(12);
}

function isRut(matched: string): boolean {
  const characters = stripSeparators(matched).toUpperCase();
  const reversed = [...characters.slice(0, -1)].reverse().join("");
  const check = 11 - (weightedSum(reversed, [2, 3, 4, 5, 6, 7]) % 11);
  return characters.at(-1) === (check === 11 ? "0" : check === 10 ? "K" : String(check));
}
