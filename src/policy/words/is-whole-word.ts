/** Checks that a span is a whole word and not part of a longer one. */

/** Letters of scripts with spaces between words. Other scripts have no word boundaries to check. */
const LETTER = /[\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

export function isWholeWord(text: string, start: number, end: number): boolean {
  const cutsInto = isLetter(text, start) && isLetter(text, start - 1);
  const cutsOff = isLetter(text, end - 1) && isLetter(text, end);
  return !cutsInto && !cutsOff;
}

function isLetter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return unit >= 0x61 ? unit <= 0x7a : unit <= 0x39 ? unit >= 0x30 : isUpper(unit);
  return LETTER.test(text.charAt(at));
}

const isUpper = (unit: number) => unit >= 0x41 && unit <= 0x5a;
