/** Formats of cards, bank accounts, securities and wallets. */
import { createOpenTest } from "../../lib/text/open-pattern.ts";
import {
  COUNTRIES,
  isRepeatedDigit,
  passesLuhn,
  remainder,
  stripSeparators,
  weightedSum,
} from "./checksums.ts";
import { type EntityFormat, matchPattern, range } from "./entity-format.ts";
import { isWalletAddress } from "./is-wallet-address.ts";

const isIbanOpen = createOpenTest(/[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){1,30}(?!-?[A-Za-z0-9])/);

export const FINANCIAL_FORMATS: readonly EntityFormat[] = [
  {
    // Excludes four groups within a longer table of (hexadecimal) four-digit numbers.
    entity: "credit_card",
    startsWith: "digit",
    leadingLengths: [1, 4],
    ...matchPattern(
      /(?<!(?:[\dA-Fa-f]{4} ){2})\d{4}([ .-])\d{4}\1\d{4}\1\d{4}(?!(?: [\dA-Fa-f]{4}){2})|\d{4}([ .-])\d{6}\2\d{4,5}|(?<!\d[ -])\d(?:([ -])\d)(?:\3\d){10,17}(?!\3\d(?!\d))/,
      isCard,
    ),
    confidence: 0.9,
    confidenceWithClue: 0.99,
  },
  {
    entity: "credit_card",
    startsWith: "digit",
    leadingLengths: range(12, 19),
    ...matchPattern(/\d{12,19}/, isCard),
    confidence: 0.85,
    confidenceWithClue: 0.99,
  },
  {
    // Wrapped once, after a word. Rows of a table begin with a number, or are longer.
    entity: "credit_card",
    startsWith: "digit",
    leadingLengths: [4],
    ...matchPattern(
      /(?<=[^\s\d] ?)\d{4}(?:[ -]?\r?\n ?\d{4}([ -])\d{4}\1\d{4}|([ -])\d{4}\2\d{4}[ -]?\r?\n ?\d{4})(?! {0,2}\r?\n? {0,2}\t?\d)/,
      isCard,
    ),
    confidence: 0.9,
    confidenceWithClue: 0.99,
  },
  {
    // Two lines with eight digits are often phone numbers: needs a clue.
    entity: "credit_card",
    startsWith: "digit",
    leadingLengths: [4],
    ...matchPattern(
      /\d{4}(?:[ -]?\r?\n[ >]{0,8}\d{4}([ -])\d{4}\1\d{4}|([ -])\d{4}(?:[ -]?\r?\n[ >]{0,8}\d{4}\2|\2\d{4}[ -]?\r?\n[ >]{0,8})\d{4})/,
      isCard,
    ),
    confidence: 0,
    confidenceWithClue: 0.9,
  },
  {
    // Outside the ranges of the large issuers: needs a clue.
    entity: "credit_card",
    startsWith: "digit",
    leadingLengths: [4, ...range(12, 19)],
    ...matchPattern(/\d{12,19}|\d{4}(?:([ .-])\d{4}){3}/, (matched) =>
      passesLuhn(stripSeparators(matched)),
    ),
    confidence: 0,
    confidenceWithClue: 0.8,
    clueScope: "near",
  },
  {
    entity: "cvv",
    startsWith: "digit",
    leadingLengths: [3, 4],
    ...matchPattern(/\d{3,4}/),
    confidence: 0,
    confidenceWithClue: 0.8,
    clueScope: "near",
  },
  {
    entity: "iban",
    startsWith: "letter",
    leadingLengths: range(4, 34),
    findEnd: findIbanEnd,
    isOpen: isIbanOpen,
    confidence: 0.98,
    confidenceWithClue: 0.99,
  },
  {
    entity: "spanish_iban",
    startsWith: "letter",
    leadingLengths: range(4, 34),
    findEnd: (text, at) => (/^es/i.test(text.slice(at, at + 2)) ? findIbanEnd(text, at) : -1),
    isOpen: isIbanOpen,
    confidence: 0.98,
    confidenceWithClue: 0.99,
  },
  {
    entity: "swift_bic",
    startsWith: "letter",
    leadingLengths: [8, 11],
    ...matchPattern(/[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?/, (code) =>
      COUNTRIES.has(code.slice(4, 6)),
    ),
    confidence: 0,
    confidenceWithClue: 0.85,
    clueScope: "near",
  },
  {
    entity: "routing_number",
    startsWith: "digit",
    leadingLengths: [9],
    ...matchPattern(/(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}/, isRouting),
    confidence: 0,
    confidenceWithClue: 0.9,
  },
  {
    entity: "bank_account",
    startsWith: "digit",
    leadingLengths: range(2, 20),
    ...matchPattern(/\d{6,20}|\d{2,6}(?:([ -])\d{2,10}){1,4}/, (matched) => {
      const digits = stripSeparators(matched).length;
      return digits >= 6 && digits <= 20;
    }),
    confidence: 0,
    confidenceWithClue: 0.6,
    clueScope: "linked",
  },
  {
    entity: "isin",
    startsWith: "letter",
    leadingLengths: [12],
    ...matchPattern(/[A-Z]{2}[A-Z0-9]{9}\d/, isIsin),
    confidence: 0.8,
    confidenceWithClue: 0.95,
  },
  {
    entity: "crypto_wallet",
    startsWith: "either",
    leadingLengths: range(11, 90),
    ...matchPattern(
      /0x[0-9a-fA-F]{40}|(?:bc|tb|ltc)1[02-9ac-hj-np-z]{8,80}|[1-9A-HJ-NP-Za-km-z]{26,35}/,
      isWalletAddress,
    ),
    confidence: 0.9,
    confidenceWithClue: 0.98,
  },
];

/** Issuer ranges and their lengths. */
const ISSUERS: readonly [RegExp, ReadonlySet<number>][] = [
  [/^4/, new Set([13, 16, 19])], // Visa
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, new Set([16])], // Mastercard
  [/^3[47]/, new Set([15])], // American Express
  [/^(?:30[0-59]|3[689])/, new Set([14, 16])], // Diners Club
  [/^(?:6011|64[4-9]|65|62)/, new Set([16, 17, 18, 19])], // Discover, UnionPay
  [/^35(?:2[89]|[3-8])/, new Set([16, 17, 18, 19])], // JCB
  [/^(?:2131|1800)/, new Set([15])], // JCB, older
  [/^(?:5018|5020|5038|5893|6304|6390|6759|676[1-3])/, new Set([12, 13, 14, 15, 16, 17, 18, 19])], // Maestro
  [/^220[0-4]/, new Set([16, 17, 18, 19])], // Mir
];

function isCard(matched: string): boolean {
  const digits = stripSeparators(matched);
  return (
    ISSUERS.some(([prefix, lengths]) => lengths.has(digits.length) && prefix.test(digits)) &&
    passesLuhn(digits)
  );
}

/** Lengths by country: SWIFT's IBAN registry, and formats in use that it does not list. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 " +
    "EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 " +
    "KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 " +
    "PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 " +
    "VA22 VG24 XK20 YE30 AO25 BF28 BJ28 CF27 CG27 CI28 CM27 CV25 DZ26 GA27 GQ27 GW25 HN28 IR26 KM27 MA28 MG27 " +
    "ML28 MZ25 NE28 SN28 TD27 TG28"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const IBAN_START = /[A-Za-z]{2}\d{2}[ -]?[A-Za-z0-9]/y;

/** Reads exactly the length of the country: a word after a spaced IBAN looks like another group. */
function findIbanEnd(text: string, at: number): number {
  IBAN_START.lastIndex = at;
  if (!IBAN_START.test(text)) return -1;
  const length = IBAN_LENGTHS[text.slice(at, at + 2).toUpperCase()];
  if (length === undefined) return -1;

  let end = at;
  let characters = "";
  while (characters.length < length) {
    const character = text.charAt(end);
    if (/[A-Za-z0-9]/.test(character)) characters += character;
    else if (!/[ -]/.test(character) || !/[A-Za-z0-9]/.test(text.charAt(end + 1))) return -1;
    // Dashes are between groups of four, unlike those of other identifiers.
    else if (character === "-" && characters.length % 4 !== 0) return -1;
    end++;
  }
  if (/^-?[A-Za-z0-9]/.test(text.slice(end, end + 2))) return -1;
  return remainder(characters.slice(4) + characters.slice(0, 4), 97) === 1 ? end : -1;
}

function isRouting(digits: string): boolean {
  return !isRepeatedDigit(digits) && weightedSum(digits, [3, 7, 1]) % 10 === 0;
}

function isIsin(code: string): boolean {
  const digits = code.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55));
  return COUNTRIES.has(code.slice(0, 2)) && passesLuhn(digits);
}
