/** Formats of personal documents, vehicles, devices and network addresses. */
import { parseIpv6Groups } from "../../lib/http/ip-address.ts";
import { passesLuhn, stripSeparators, weightedSum } from "./checksums.ts";
import { type EntityFormat, matchPattern, range } from "./entity-format.ts";
import { MONTH_NAMES } from "./month-names.ts";

const MONTH = MONTH_NAMES.join("|");
/** `3 March 1984`, `3rd of March, 1984`, `3. März 1984`, `3 de marzo de 1984`, `1984年3月3日`. */
const DAY_AND_MONTH_NAME = new RegExp(
  `\\d{1,2}(?:st|nd|rd|th|er|º|\\.)?[ -](?:of |de |di )?(?:${MONTH})\\.?,?[ -](?:de |del |do )?(?:19|20)\\d{2}|(?:19|20)\\d{2}(?:[ -](?:${MONTH})[ -]|年 ?\\d{1,2}月 ?)\\d{1,2}日?`,
  "i",
);
const MONTH_NAME_AND_DAY = new RegExp(
  `(?:${MONTH})\\.? \\d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\\d{2}`,
  "i",
);

/** No other value starts inside it. */
export const UUID_FORMAT: EntityFormat = {
  entity: "uuid",
  startsWith: "either",
  leadingLengths: [8],
  ...matchPattern(
    /(?!0{8})[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/i,
  ),
  confidence: 0.95,
  confidenceWithClue: 0.95,
};

export const DOCUMENT_AND_DEVICE_FORMATS: readonly EntityFormat[] = [
  {
    entity: "passport",
    startsWith: "either",
    leadingLengths: range(6, 13),
    ...matchPattern(
      /[A-Z]{0,3}\d{6,9}|[A-Z]{1,2}\d{2,3}[A-Z]{1,2}\d{3,6}|[CFGHJK][0-9CFGHJKLMNPRTVWXYZ]{8}/i,
      hasDigits,
    ),
    confidence: 0,
    confidenceWithClue: 0.8,
    clueScope: "stated",
  },
  {
    entity: "drivers_license",
    startsWith: "either",
    leadingLengths: range(2, 19),
    ...matchPattern(
      /[A-Z]{0,3}\d{5,14}[A-Z]{0,2}|[A-Z]\d{3}(-?)\d{3,4}\1\d{2,5}(?:\1\d{1,3})?|\d{3,4}(-)\d{2,4}\2\d{3,4}|[A-Z9]{5}\d{6}[A-Z9]{2}\d[A-Z]{2}|\d{2}-\d{2}-\d{6}-\d{2}/i,
    ),
    confidence: 0,
    confidenceWithClue: 0.75,
    clueScope: "stated",
  },
  {
    // With letters, it is seldom anything else.
    entity: "passport",
    startsWith: "letter",
    leadingLengths: range(7, 12),
    ...matchPattern(/[A-Z]{1,3}\d{6,9}/),
    confidence: 0,
    confidenceWithClue: 0.75,
  },
  {
    entity: "drivers_license",
    startsWith: "letter",
    leadingLengths: range(6, 17),
    ...matchPattern(/[A-Z]{1,3}\d{5,14}[A-Z]{0,2}/),
    confidence: 0,
    confidenceWithClue: 0.7,
  },
  {
    entity: "license_plate",
    startsWith: "either",
    leadingLengths: range(1, 10),
    ...matchPattern(/(?=[A-Z0-9 -]{0,9}\d)[A-Z0-9]{1,4}(?:[ -]?[A-Z0-9]{1,4}){1,3}/, (plate) =>
      /^(?=.*[A-Z])[A-Z0-9]{5,10}$/.test(stripSeparators(plate)),
    ),
    confidence: 0,
    confidenceWithClue: 0.75,
    clueScope: "linked",
  },
  {
    // US employer and taxpayer numbers, European VAT numbers.
    entity: "tax_id",
    startsWith: "either",
    leadingLengths: [2, 3, ...range(9, 14)],
    ...matchPattern(
      /\d{2}-\d{7}|9\d{2}-\d{2}-\d{4}|[A-Z]{2}[ -]?(?=[0-9A-Z]{0,2}\d{6})[0-9A-Z]{8,12}|\d{9,11}/,
    ),
    confidence: 0,
    confidenceWithClue: 0.75,
    clueScope: "linked",
  },
  {
    entity: "date_of_birth",
    startsWith: "digit",
    leadingLengths: [1, 2, 4],
    ...matchPattern(
      /(?:19|20)\d{2}([-./])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])([-./ ])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)?\d{2}/,
    ),
    confidence: 0,
    confidenceWithClue: 0.85,
    clueScope: "near",
  },
  {
    entity: "date_of_birth",
    startsWith: "digit",
    leadingLengths: [1, 2, 3, 4],
    ...matchPattern(DAY_AND_MONTH_NAME),
    confidence: 0,
    confidenceWithClue: 0.9,
    clueScope: "near",
  },
  {
    entity: "date_of_birth",
    startsWith: "letter",
    leadingLengths: range(3, 9),
    ...matchPattern(MONTH_NAME_AND_DAY),
    confidence: 0,
    confidenceWithClue: 0.9,
    clueScope: "near",
  },
  {
    entity: "vehicle_vin",
    startsWith: "either",
    leadingLengths: [17],
    ...matchPattern(/[A-HJ-NPR-Z0-9]{17}/, (vin) => looksLikeVin(vin) && hasVinCheck(vin)),
    confidence: 0.75,
    confidenceWithClue: 0.97,
  },
  {
    // Only North America and China require the check digit.
    entity: "vehicle_vin",
    startsWith: "either",
    leadingLengths: [17],
    ...matchPattern(/[A-HJ-NPR-Z0-9]{17}/i, looksLikeVin),
    confidence: 0,
    confidenceWithClue: 0.8,
  },
  {
    entity: "device_imei",
    startsWith: "digit",
    leadingLengths: [2, 15],
    ...matchPattern(/\d{15}|\d{2}([ -])\d{6}\1\d{6}\1\d/, (matched) =>
      passesLuhn(stripSeparators(matched)),
    ),
    confidence: 0,
    confidenceWithClue: 0.95,
  },
  {
    entity: "mac_address",
    startsWith: "either",
    leadingLengths: [2],
    ...matchPattern(/[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}/i, isDeviceAddress),
    confidence: 0.9,
    confidenceWithClue: 0.97,
  },
  {
    entity: "device_mac",
    startsWith: "either",
    leadingLengths: [4],
    ...matchPattern(/[0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4}/i, isDeviceAddress),
    confidence: 0.8,
    confidenceWithClue: 0.95,
  },
  {
    entity: "device_mac",
    startsWith: "either",
    leadingLengths: [12],
    ...matchPattern(/[0-9a-f]{12}/i, isDeviceAddress),
    confidence: 0,
    confidenceWithClue: 0.85,
    clueScope: "near",
  },
  {
    entity: "ip_address",
    startsWith: "digit",
    leadingLengths: [1, 2, 3],
    ...matchPattern(
      /(?!127\.|0\.|255\.)(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?![.\d])/,
    ),
    confidence: 0.8,
    confidenceWithClue: 0.95,
  },
  {
    entity: "ip6_address",
    startsWith: "either",
    leadingLengths: [1, 2, 3, 4],
    ...matchPattern(/[0-9a-f]{1,4}:[0-9a-f:]{2,34}(?::(?:\d{1,3}\.){3}\d{1,3})?/i, (matched) =>
      Boolean(parseIpv6Groups(matched)),
    ),
    confidence: 0.85,
    confidenceWithClue: 0.95,
  },
];

function hasDigits(matched: string): boolean {
  return matched.replace(/\D/g, "").length >= 4;
}

function looksLikeVin(vin: string): boolean {
  return vin.replace(/\D/g, "").length >= 5 && vin.replace(/\d/g, "").length >= 3;
}

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
const VIN_LETTERS = ".ABCDEFGH..JKLMN.P.R..STUVWXYZ";

function hasVinCheck(vin: string): boolean {
  const value = (one: string) => (one <= "9" ? Number(one) : VIN_LETTERS.indexOf(one) % 10);
  const rest = weightedSum(vin, VIN_WEIGHTS, value) % 11;
  return vin.charAt(8) === (rest === 10 ? "X" : String(rest));
}

function isDeviceAddress(matched: string): boolean {
  return !/^(?:0+|f+)$/i.test(stripSeparators(matched));
}
