/** Formats of the numbers of patients, health care providers and health insurance. */
import { passesLuhn, weightedSum } from "./checksums.ts";
import { cluedFormat, distinctFormat, type EntityFormat, range } from "./entity-format.ts";

export const HEALTH_FORMATS: readonly EntityFormat[] = [
  cluedFormat("us_npi", [10], /[12]\d{9}/, (digits) => passesLuhn(`80840${digits}`), {
    confidenceWithClue: 0.95,
  }),
  // A mistyped number after its label still identifies the provider.
  cluedFormat("us_npi", [10], /[12]\d{9}/, undefined, {
    confidenceWithClue: 0.7,
    clueScope: "linked",
  }),
  cluedFormat("us_dea", [9], /[ABCDEFGHJKLMPRSTUX][A-Z9]\d{7}/, isDea, {
    startsWith: "letter",
    confidenceWithClue: 0.95,
  }),
  distinctFormat("medical_record", [3, ...range(7, 15)], /MRN[-#:]?\d{4,12}/i, undefined, {
    startsWith: "letter",
    confidence: 0.85,
  }),
  // Every hospital has its own format.
  cluedFormat(
    "medical_record",
    range(1, 13),
    /[A-Z]{0,4}-?\d{4,12}(?:-\d{1,4})?|\d{2,4}(?:-\d{2,4}){1,3}/i,
    (characters) => characters.length >= 5 && /\d{2}/.test(characters),
    { startsWith: "either", confidenceWithClue: 0.85, clueScope: "stated" },
  ),
  cluedFormat("medical_record", range(2, 14), /[A-Z]{1,4}-?\d{5,10}/, undefined, {
    startsWith: "letter",
    confidenceWithClue: 0.7,
  }),
  cluedFormat("british_nhs", [3, 10], /\d{3}([ -]?)\d{3}\1\d{4}/, isNhs, {
    confidenceWithClue: 0.95,
  }),
  cluedFormat(
    "australian_medicare",
    [4, 10, 11],
    /[2-6]\d{3}[ -]?\d{5}[ -]?\d(?:[ /-]?\d)?/,
    (digits) => weightedSum(digits.slice(0, 8), [1, 3, 7, 9]) % 10 === Number(digits.charAt(8)),
  ),
  cluedFormat("german_health_insurance", [10], /[A-Z]\d{9}/, isGermanHealthInsurance, {
    startsWith: "letter",
  }),
];

function isDea(characters: string): boolean {
  const digits = characters.slice(2);
  return weightedSum(digits.slice(0, 6), [1, 2]) % 10 === Number(digits.charAt(6));
}

function isNhs(digits: string): boolean {
  const check = 11 - (weightedSum(digits.slice(0, 9), [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11);
  return check % 11 === Number(digits.charAt(9));
}

function isGermanHealthInsurance(characters: string): boolean {
  const letter = String(characters.charCodeAt(0) - 64).padStart(2, "0");
  const sum = [...(letter + characters.slice(1, 9))].reduce((total, digit, index) => {
    const product = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (product > 9 ? product - 9 : product);
  }, 0);
  return sum % 10 === Number(characters.charAt(9));
}
