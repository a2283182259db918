/** Replaces the digits of other scripts by ASCII digits. Keeps offsets. */

/** Zero of each script whose digits are in use. Full-width digits are folded by NFKC. */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66,
  0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810,
];
const FOREIGN_DIGIT = /(?=[\u0660-\u1819])\p{Nd}/gu;

export const foldDigits = (text: string): string =>
  FOREIGN_RANGE.test(text) ? text.replace(FOREIGN_DIGIT, toAsciiDigit) : text;

const FOREIGN_RANGE = /[\u0660-\u1819]/;

function toAsciiDigit(digit: string): string {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? digit : String(code - zero);
}
