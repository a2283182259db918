/** Formats of identification numbers in Asia, Australia and Africa. */
import { isDate, isRepeatedDigit, passesLuhn, weightedSum } from "./checksums.ts";
import { cluedFormat, distinctFormat, type EntityFormat } from "./entity-format.ts";

const LETTER_FIRST: Partial<EntityFormat> = { startsWith: "letter" };

export const ASIA_PACIFIC_FORMATS: readonly EntityFormat[] = [
  distinctFormat("indian_pan", [10], /[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]/, undefined, {
    startsWith: "letter",
    confidence: 0.7,
  }),
  cluedFormat("indian_pan", [10], /[a-z]{3}[abcfghjlpt][a-z]\d{4}[a-z]/i, undefined, LETTER_FIRST),
  cluedFormat("indian_aadhaar", [4, 12], /[2-9]\d{3}([ -]?)\d{4}\1\d{4}/, passesVerhoeff, {
    confidence: 0.4,
    confidenceWithClue: 0.95,
  }),
  distinctFormat("indian_gstin", [15], /[0-3]\d[A-Z]{5}\d{4}[A-Z][0-9A-Z]Z[0-9A-Z]/, isGstin),
  cluedFormat("indian_voter_id", [10], /[A-Z]{3}\d{7}/, undefined, LETTER_FIRST),

  cluedFormat("australian_tfn", [3, 8, 9], /\d{3}([ -]?)\d{3}\1\d{2,3}/, isTfn),
  cluedFormat("australian_abn", [2, 11], /[1-9]\d([ -]?)\d{3}\1\d{3}\1\d{3}/, isAbn),
  cluedFormat("australian_acn", [3, 9], /\d{3}([ -]?)\d{3}\1\d{3}/, (digits) => {
    const sum = weightedSum(digits.slice(0, 8), [8, 7, 6, 5, 4, 3, 2, 1]);
    return (10 - (sum % 10)) % 10 === Number(digits.charAt(8));
  }),

  distinctFormat("singaporean_nric", [9], /[STFGM]\d{7}[A-Z]/i, isNric, LETTER_FIRST),
  cluedFormat("singaporean_uen", [9, 10], /(?:(?:18|19|20)\d{7}|\d{8})[A-Z]/, isUen),
  cluedFormat("singaporean_uen", [10], /[TSR]\d{2}[A-Z]{2}\d{4}[A-Z]/, undefined, LETTER_FIRST),

  distinctFormat("korean_rrn", [6], /\d{6}-[1-8]\d{6}/, isKoreanId, { confidence: 0.75 }),
  cluedFormat("korean_rrn", [13], /\d{6}[1-8]\d{6}/, isKoreanId),
  cluedFormat("korean_brn", [3, 10], /\d{3}(-?)\d{2}\1\d{5}/, isKoreanBusiness),

  distinctFormat("chinese_id", [18], /[1-8]\d{16}[0-9Xx]/, isChineseId),
  distinctFormat("hong_kong_id", [7, 8], /[A-Z]{1,2}\d{6}\([0-9A]\)/, isHongKongId, LETTER_FIRST),
  cluedFormat("hong_kong_id", [7, 8, 9], /[A-Z]{1,2}\d{6}-?[0-9A]/, isHongKongId, LETTER_FIRST),
  distinctFormat("taiwanese_id", [10], /[A-Z][12489]\d{8}/, isTaiwaneseId, {
    startsWith: "letter",
    confidence: 0.4,
  }),
  cluedFormat("japanese_my_number", [4, 12], /\d{4}([ -]?)\d{4}\1\d{4}/, isMyNumber),
  distinctFormat("thai_id", [1], /[1-8]([ -])\d{4}\1\d{5}\1\d{2}\1\d/, isThaiId),
  cluedFormat("thai_id", [13], /[1-8]\d{12}/, isThaiId),
  distinctFormat("malaysian_nric", [6], /\d{6}-\d{2}-\d{4}/, (digits) => isDate(digits, "yymmdd"), {
    confidence: 0.7,
  }),
  cluedFormat("malaysian_nric", [12], /\d{12}/, (digits) => isDate(digits, "yymmdd")),
  cluedFormat("indonesian_nik", [16], /[1-9]\d{15}/, isNik),
  distinctFormat("pakistani_cnic", [5], /[1-7]\d{4}-\d{7}-\d/, undefined, { confidence: 0.7 }),
  cluedFormat("israeli_id", [8, 9], /\d{8}-?\d/, (digits) => passesLuhn(digits)),
  distinctFormat("emirates_id", [3, 15], /784(-?)\d{4}\1\d{7}\1\d/, passesLuhn),

  cluedFormat("south_african_id", [6, 13], /\d{6}( ?)\d{4}\1[0-2]\d{2}/, isSouthAfricanId, {
    confidence: 0.4,
  }),
  cluedFormat("nigerian_nin", [11], /\d{11}/, (digits) => !isRepeatedDigit(digits), {
    confidenceWithClue: 0.8,
    clueScope: "linked",
  }),
];

/** Rows of the multiplication table of the dihedral group D5, and of the permutations (Verhoeff). */
const PRODUCTS =
  "0123456789 1234067895 2340178956 3401289567 4012395678 5987604321 6598710432 7659821043 8765932104 9876543210".split(
    " ",
  );
const PERMUTATIONS =
  "0123456789 1576283094 5803796142 8916043527 9453126870 4286573901 2793806415 7046913258".split(
    " ",
  );

function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits.charAt(digits.length - 1 - at));
    check = Number(PRODUCTS[check]?.charAt(Number(PERMUTATIONS[at % 8]?.charAt(digit))));
  }
  return check === 0;
}

const BASE_36 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

function isGstin(code: string): boolean {
  let sum = 0;
  for (let at = 0; at < 14; at++) {
    const product = BASE_36.indexOf(code.charAt(at)) * ((at % 2) + 1);
    sum += Math.floor(product / 36) + (product % 36);
  }
  return BASE_36.charAt((36 - (sum % 36)) % 36) === code.charAt(14);
}

function isTfn(digits: string): boolean {
  const weights = digits.length === 8 ? [10, 7, 8, 4, 6, 3, 5, 1] : [1, 4, 3, 7, 5, 8, 6, 9, 10];
  return !isRepeatedDigit(digits) && weightedSum(digits, weights) % 11 === 0;
}

function isAbn(digits: string): boolean {
  const first = Number(digits.charAt(0)) - 1;
  return weightedSum(first + digits.slice(1), [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) % 89 === 0;
}

function isNric(characters: string): boolean {
  const code = characters.toUpperCase();
  const kind = code.charAt(0);
  const offset = kind === "T" || kind === "G" ? 4 : kind === "M" ? 3 : 0;
  const rest = (weightedSum(code.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11;
  const letters = "ST".includes(kind)
    ? "JZIHGFEDCBA"
    : kind === "M"
      ? "XWUTRQPNJLK"
      : "XWUTRQPNMLK";
  return letters.charAt(kind === "M" ? 10 - rest : rest) === code.charAt(8);
}

function isUen(code: string): boolean {
  const digits = code.slice(0, -1);
  const [weights, letters] =
    digits.length === 8
      ? ([[10, 4, 9, 3, 8, 2, 7, 1], "XMKECAWLJDB"] as const)
      : ([[10, 8, 6, 4, 9, 7, 5, 3, 1], "ZKCMDNERGWH"] as const);
  return letters.charAt(weightedSum(digits, weights) % 11) === code.at(-1);
}

/** Numbers issued since October 2020 have no check digit. */
function isKoreanId(digits: string): boolean {
  return isDate(digits, "yymmdd") && !isRepeatedDigit(digits.slice(6));
}

function isKoreanBusiness(digits: string): boolean {
  const sum = weightedSum(digits.slice(0, 9), [1, 3, 7, 1, 3, 7, 1, 3, 5]);
  const carried = Math.floor((Number(digits.charAt(8)) * 5) / 10);
  return (10 - ((sum + carried) % 10)) % 10 === Number(digits.charAt(9));
}

function isChineseId(characters: string): boolean {
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
  const check = "10X98765432".charAt(weightedSum(characters.slice(0, 17), weights) % 11);
  return (
    isDate(characters.slice(6), "yyyymmdd") &&
    /^(?:18|19|20)/.test(characters.slice(6)) &&
    check === characters.charAt(17).toUpperCase()
  );
}

function isHongKongId(characters: string): boolean {
  const code = characters.padStart(9, " ");
  const value = (one: string) => (one === " " ? 36 : Number.parseInt(one, 36));
  return weightedSum(code, [9, 8, 7, 6, 5, 4, 3, 2, 1], value) % 11 === 0;
}

function isTaiwaneseId(characters: string): boolean {
  const place = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(characters.charAt(0)) + 10;
  return weightedSum(place + characters.slice(1), [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0;
}

function isMyNumber(digits: string): boolean {
  const rest = weightedSum(digits.slice(0, 11), [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  return (rest <= 1 ? 0 : 11 - rest) === Number(digits.charAt(11));
}

function isThaiId(digits: string): boolean {
  const sum = weightedSum(digits.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  return (11 - (sum % 11)) % 10 === Number(digits.charAt(12));
}

/** Contains the date of birth; 40 is added to the day of women. */
function isNik(digits: string): boolean {
  const day = Number(digits.slice(6, 8)) % 40;
  return isDate(String(day).padStart(2, "0") + digits.slice(8, 12), "ddmmyy");
}

function isSouthAfricanId(digits: string): boolean {
  return isDate(digits, "yymmdd") && passesLuhn(digits);
}
