/** Formats of identification numbers in Europe. */
import {
  isRepeatedDigit,
  passesLuhn,
  passesMod11And10,
  remainder,
  stripSeparators,
  weightedSum,
} from "./checksums.ts";
import { cluedFormat, distinctFormat, type EntityFormat, matchPattern } from "./entity-format.ts";

export const EUROPEAN_FORMATS: readonly EntityFormat[] = [
  {
    entity: "spanish_dni",
    startsWith: "digit",
    leadingLengths: [2, 8, 9],
    ...matchPattern(/\d{8}[ -]?[A-Z]|\d{2}\.\d{3}\.\d{3}[ -]?[A-Z]/, isDni),
    confidence: 0.75,
    confidenceWithClue: 0.95,
  },
  {
    entity: "spanish_dni",
    startsWith: "digit",
    leadingLengths: [8, 9],
    ...matchPattern(/\d{8}-?[a-z]/, isDni),
    confidence: 0,
    confidenceWithClue: 0.85,
  },
  {
    entity: "spanish_nie",
    startsWith: "letter",
    leadingLengths: [1, 8, 9],
    ...matchPattern(/[XYZxyz][ -]?\d{7}[ -]?[A-Za-z]/, (matched) =>
      isDni(matched.replace(/^./, (first) => String("XYZ".indexOf(first.toUpperCase())))),
    ),
    confidence: 0.85,
    confidenceWithClue: 0.97,
  },
  {
    entity: "spanish_cif",
    startsWith: "letter",
    leadingLengths: [1, 8, 9],
    ...matchPattern(/[ABCDEFGHJNPQRSUVW][ -]?\d{7}[ -]?[0-9A-J]/, isCif),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    entity: "spanish_nss",
    startsWith: "digit",
    leadingLengths: [2],
    ...matchPattern(/\d{2}\/\d{7,8}\/\d{2}|\d{2}([ -])\d{7,8}\1\d{2}/, isNss),
    confidence: 0.8,
    confidenceWithClue: 0.95,
  },
  {
    entity: "spanish_nss",
    startsWith: "digit",
    leadingLengths: [11, 12],
    ...matchPattern(/\d{11,12}/, isNss),
    confidence: 0,
    confidenceWithClue: 0.9,
  },
  {
    entity: "french_nir",
    startsWith: "digit",
    leadingLengths: [1, 3, 5, 7, 10, 13, 15],
    ...matchPattern(
      /[12378] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/,
      isNir,
    ),
    confidence: 0.85,
    confidenceWithClue: 0.97,
  },
  {
    entity: "german_id",
    startsWith: "letter",
    leadingLengths: [10],
    ...matchPattern(/[CFGHJKLMNPRTVWXYZ][0-9CFGHJKLMNPRTVWXYZ]{8}\d/, isGermanId),
    confidence: 0.4,
    confidenceWithClue: 0.9,
  },
  {
    // Without the check digit, as printed in the corner of the card.
    entity: "german_id",
    startsWith: "letter",
    leadingLengths: [9],
    ...matchPattern(/[CFGHJKLMNPRTVWXYZ](?=[A-Z]*\d)[0-9CFGHJKLMNPRTVWXYZ]{8}/),
    confidence: 0,
    confidenceWithClue: 0.7,
    clueScope: "near",
  },
  cluedFormat("german_tax_id", [2, 11], /[1-9]\d( ?)\d{3}\1\d{3}\1\d{3}/, isGermanTaxId),
  distinctFormat("german_svnr", [2, 12], /\d{2}( ?)\d{6}\1[A-Z]\1\d{3}/, isGermanInsurance),
  cluedFormat("portuguese_nif", [3, 9], /[1-9]\d{2}( ?)\d{3}\1\d{3}/, (digits) => {
    const rest = weightedSum(digits.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    return (rest < 2 ? 0 : 11 - rest) === Number(digits.charAt(8));
  }),
  cluedFormat("italian_vat", [11, 13], /(?:IT)?\d{11}/, (code) => passesLuhn(code.slice(-11)), {
    startsWith: "either",
  }),
  cluedFormat("italian_id_card", [2, 9], /[A-Z]{2}(?:\d{5}[A-Z]{2}| ?\d{7})/i, undefined, {
    startsWith: "letter",
  }),
  {
    entity: "italian_cf",
    startsWith: "letter",
    leadingLengths: [16],
    ...matchPattern(
      /[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]/i,
      isCodiceFiscale,
    ),
    confidence: 0.98,
    confidenceWithClue: 0.99,
  },
];

function isDni(matched: string): boolean {
  const characters = stripSeparators(matched).toUpperCase();
  const number = Number(characters.slice(0, -1));
  return number > 0 && "TRWAGMYFPDXBNJZSQVHLCKE".charAt(number % 23) === characters.at(-1);
}

/** Requires a letter, a digit or either as the check character, depending on the first letter. */
function isCif(matched: string): boolean {
  const characters = stripSeparators(matched);
  const digits = characters.slice(1, 8);
  let sum = 0;
  for (let at = 0; at < 7; at++) {
    const digit = Number(digits.charAt(at));
    const doubled = digit * 2;
    sum += at % 2 === 1 ? digit : Math.floor(doubled / 10) + (doubled % 10);
  }
  const check = (10 - (sum % 10)) % 10;
  const last = characters.charAt(8);
  const asDigit = last === String(check);
  const asLetter = last === "JABCDEFGHI".charAt(check);
  const kind = characters.charAt(0);
  if ("PQRSNW".includes(kind)) return asLetter;
  if ("ABEH".includes(kind)) return asDigit;
  return asDigit || asLetter;
}

function isNss(matched: string): boolean {
  const digits = stripSeparators(matched);
  if (isRepeatedDigit(digits)) return false;
  const province = Number(digits.slice(0, 2));
  if (province < 1 || (province > 53 && province !== 66)) return false;
  const number = Number(digits.slice(2, -2));
  const body = number < 10_000_000 ? number + province * 10_000_000 : Number(digits.slice(0, -2));
  return body % 97 === Number(digits.slice(-2));
}

function isNir(matched: string): boolean {
  // Corsica counts as departments 19 and 18.
  const digits = stripSeparators(matched).replace("2A", "19").replace("2B", "18");
  return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13));
}

function isGermanId(characters: string): boolean {
  const sum = weightedSum(characters.slice(0, 9), [7, 3, 1], (one) => Number.parseInt(one, 36));
  return sum % 10 === Number(characters.at(-1)) && /\d/.test(characters.slice(0, 9));
}

/** One digit occurs two or three times, at most one other is missing. */
function isGermanTaxId(digits: string): boolean {
  const different = new Set(digits.slice(0, 10)).size;
  return (different === 8 || different === 9) && passesMod11And10(digits);
}

function isGermanInsurance(characters: string): boolean {
  const letter = String(characters.charCodeAt(8) - 64).padStart(2, "0");
  const digits = characters.slice(0, 8) + letter + characters.slice(9, 11);
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  const sum = [...digits].reduce((total, digit, index) => {
    const product = Number(digit) * (weights[index] ?? 0);
    return total + Math.floor(product / 10) + (product % 10);
  }, 0);
  return sum % 10 === Number(characters.charAt(11));
}

const ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function isCodiceFiscale(matched: string): boolean {
  const code = matched.toUpperCase();
  let sum = 0;
  for (let at = 0; at < 15; at++) {
    const one = Number.parseInt(code.charAt(at), 36);
    const value = one > 9 ? one - 10 : one;
    sum += at % 2 === 0 ? (ODD[value] ?? 0) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === code.charAt(15);
}
