/** Whether a text names something: as a whole word, in small or large letters. */
export const mentions = (text: string, name: string): boolean =>
  new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, "i").test(text);
