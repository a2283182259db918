/** Whether a stretch of a text stands for itself, and is not the middle of a longer word. */

/** Scripts that part words; the others have no whole words to ask for. */
const LETTER = /[\p{N}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;

export function isWhole(text: string, start: number, end: number): boolean {
  const cutsInto = isLetter(text, start) && isLetter(text, start - 1);
  const cutsOff = isLetter(text, end - 1) && isLetter(text, end);
  return !cutsInto && !cutsOff;
}

const isLetter = (text: string, at: number) => LETTER.test(text.charAt(at));
