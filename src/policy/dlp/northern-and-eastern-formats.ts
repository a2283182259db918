/** Formats of identification numbers in northern, central and eastern Europe. */
import {
  isDate,
  isRepeatedDigit,
  passesLuhn,
  passesMod11And10,
  remainder,
  weightedSum,
} from "./checksums.ts";
import { cluedFormat, distinctFormat, type EntityFormat } from "./entity-format.ts";

const LETTER_FIRST: Partial<EntityFormat> = { startsWith: "letter" };

export const NORTHERN_AND_EASTERN_FORMATS: readonly EntityFormat[] = [
  distinctFormat(
    "british_nino",
    [2],
    /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d{2} ?\d{2} ?\d{2} ?[A-D]/,
    undefined,
    LETTER_FIRST,
  ),
  cluedFormat(
    "british_nino",
    [8, 9],
    /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6} ?[A-D]/i,
    undefined,
    { startsWith: "letter", confidence: 0.4, confidenceWithClue: 0.95 },
  ),
  cluedFormat("british_utr", [5, 10], /\d{5} ?\d{5}/, isUtr),
  cluedFormat("irish_pps", [8, 9], /\d{7}[A-W][ABHW]?/i, isPps),

  distinctFormat("swedish_personnummer", [6, 8], /(?:19|20)?\d{6}[-+]\d{4}/, isPersonnummer, {
    confidence: 0.7,
  }),
  cluedFormat("swedish_personnummer", [10, 12], /(?:19|20)?\d{10}/, isPersonnummer),
  cluedFormat(
    "swedish_orgnr",
    [6, 10],
    /\d{6}-?\d{4}/,
    (digits) => Number(digits.charAt(2)) > 1 && passesLuhn(digits),
  ),
  distinctFormat("finnish_hetu", [6, 11], /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/, isHetu),
  cluedFormat("danish_cpr", [6, 10], /\d{6}[- ]?\d{4}/, (digits) => isDate(digits, "ddmmyy")),
  cluedFormat("norwegian_fnr", [6, 11], /\d{6} ?\d{5}/, isFodselsnummer),
  cluedFormat("icelandic_kennitala", [6, 10], /\d{6}-?\d{4}/, (digits) => {
    const rest = weightedSum(digits.slice(0, 8), [3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    return isDate(digits, "ddmmyy") && (11 - rest) % 11 === Number(digits.charAt(8));
  }),

  cluedFormat("dutch_bsn", [4, 9], /\d{9}|\d{4}\.\d{2}\.\d{3}/, (digits) => {
    const sum = weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]);
    return !isRepeatedDigit(digits) && sum % 11 === 0;
  }),
  distinctFormat("belgian_nn", [2], /\d{2}\.\d{2}\.\d{2}-\d{3}[.-]\d{2}/, isBelgianNumber),
  cluedFormat("belgian_nn", [6, 11], /\d{6}[ -]?\d{3}[ -]?\d{2}/, isBelgianNumber),
  distinctFormat("swiss_ahv", [3], /756([. ])\d{4}\1\d{4}\1\d{2}/, isAhv),
  cluedFormat("swiss_ahv", [13], /756\d{10}/, isAhv),
  cluedFormat("austrian_svnr", [4, 10], /\d{4}[ -]?\d{6}/, (digits) => {
    const sum = weightedSum(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]);
    return isDate(digits.slice(4), "ddmmyy") && sum % 11 === Number(digits.charAt(3));
  }),

  cluedFormat("polish_pesel", [11], /\d{11}/, isPesel),
  cluedFormat("polish_nip", [3, 10], /\d{3}(-?)\d{3}\1\d{2}\1\d{2}/, (digits) => {
    const sum = weightedSum(digits.slice(0, 9), [6, 5, 7, 2, 3, 4, 5, 6, 7]);
    return sum % 11 === Number(digits.charAt(9));
  }),
  cluedFormat(
    "polish_id_card",
    [3, 9],
    /[A-Z]{3} ?\d{6}/,
    (code) =>
      weightedSum(code, [7, 3, 1, 9, 7, 3, 1, 7, 3], (one) => Number.parseInt(one, 36)) % 10 === 0,
    LETTER_FIRST,
  ),
  // Nine digits until 1953, without a check digit.
  cluedFormat(
    "czech_rc",
    [6, 9, 10],
    /\d{2}[0-35-8]\d[0-3]\d\/?\d{3,4}/,
    (digits) => digits.length === 9 || Number(digits) % 11 === 0,
  ),
  cluedFormat("romanian_cnp", [13], /[1-9]\d{12}/, (digits) => {
    const rest = weightedSum(digits.slice(0, 12), [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    return (
      isDate(digits.slice(1), "yymmdd") && (rest === 10 ? 1 : rest) === Number(digits.charAt(12))
    );
  }),
  cluedFormat("bulgarian_egn", [10], /\d{2}[0-5]\d[0-3]\d{5}/, (digits) => {
    const rest = weightedSum(digits.slice(0, 9), [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11;
    return rest % 10 === Number(digits.charAt(9));
  }),
  cluedFormat("croatian_oib", [11], /\d{11}/, passesMod11And10),
  cluedFormat("estonian_ik", [11], /[1-8]\d{10}/, isBalticCode),
  cluedFormat("lithuanian_ak", [11], /[1-8]\d{10}/, isBalticCode),
  cluedFormat(
    "greek_amka",
    [11],
    /\d{11}/,
    (digits) => isDate(digits, "ddmmyy") && passesLuhn(digits),
  ),
  cluedFormat("turkish_tckn", [11], /[1-9]\d{10}/, isTckn),
  cluedFormat("russian_snils", [3, 11], /\d{3}(-?)\d{3}\1\d{3}[ -]?\d{2}/, isSnils),
  cluedFormat("russian_inn", [10, 12], /\d{10}(?:\d{2})?/, isInn),
];

function isUtr(digits: string): boolean {
  const rest = weightedSum(digits.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11;
  return "21987654321".charAt(rest) === digits.charAt(0);
}

function isPps(characters: string): boolean {
  const code = characters.toUpperCase();
  const second = code.charAt(8);
  const extra = second === "" || second === "W" ? 0 : (second.charCodeAt(0) - 64) * 9;
  const rest = (weightedSum(code.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + extra) % 23;
  return "WABCDEFGHIJKLMNOPQRSTUV".charAt(rest) === code.charAt(7);
}

/** The day of a coordination number is increased by 60. */
function isPersonnummer(characters: string): boolean {
  const digits = characters.slice(-10);
  const day = Number(digits.slice(4, 6));
  const date = digits.slice(0, 4) + String(day > 60 ? day - 60 : day).padStart(2, "0");
  return isDate(date, "yymmdd") && passesLuhn(digits);
}

function isHetu(characters: string): boolean {
  const number = characters.slice(0, 6) + characters.slice(-4, -1);
  const check = "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(Number(number) % 31);
  return isDate(characters, "ddmmyy") && check === characters.at(-1);
}

function isFodselsnummer(digits: string): boolean {
  const sums = [
    weightedSum(digits.slice(0, 10), [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]),
    weightedSum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]),
  ];
  return !isRepeatedDigit(digits) && sums.every((sum) => sum % 11 === 0);
}

/** For births since 2000, the number is preceded by 2. */
function isBelgianNumber(digits: string): boolean {
  const [number, check] = [digits.slice(0, 9), Number(digits.slice(9))];
  return [number, `2${number}`].some((one) => 97 - remainder(one, 97) === check);
}

function isAhv(digits: string): boolean {
  return weightedSum(digits, [1, 3]) % 10 === 0;
}

function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  const date = digits.slice(0, 2) + String(month).padStart(2, "0") + digits.slice(4, 6);
  const sum = weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]);
  return isDate(date, "yymmdd") && sum % 10 === 0;
}

function isBalticCode(digits: string): boolean {
  const body = digits.slice(0, 10);
  const first = weightedSum(body, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const rest = first < 10 ? first : weightedSum(body, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
  return isDate(digits.slice(1), "yymmdd") && rest % 10 === Number(digits.charAt(10));
}

function isTckn(digits: string): boolean {
  const odd = weightedSum(digits.slice(0, 9), [1, 0]);
  const even = weightedSum(digits.slice(0, 8), [0, 1]);
  const tenth = (odd * 7 - even) % 10;
  const sum = weightedSum(digits.slice(0, 10), [1]);
  return tenth === Number(digits.charAt(9)) && sum % 10 === Number(digits.charAt(10));
}

function isSnils(digits: string): boolean {
  const sum = weightedSum(digits.slice(0, 9), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  return (sum % 101) % 100 === Number(digits.slice(9)) && !isRepeatedDigit(digits.slice(0, 9));
}

function isInn(digits: string): boolean {
  const weights = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];
  const passes = (length: number) =>
    (weightedSum(digits.slice(0, length), weights.slice(11 - length)) % 11) % 10 ===
    Number(digits.charAt(length));
  return digits.length === 10 ? passes(9) : passes(10) && passes(11);
}
