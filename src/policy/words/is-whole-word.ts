/** Whether a stretch of a text stands for itself, and is not the middle of a longer word. */

/** Scripts that part words; the others have no whole words to ask for. */
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
