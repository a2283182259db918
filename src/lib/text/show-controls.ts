/** Makes characters visible that change how the text around them is displayed. */

/** Control characters except tabs and line breaks, and those that change the direction of text (Trojan Source). */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Replaces each control character by its escape sequence, such as `\u202e`. */
export const showControls = (text: string): string =>
  text.replace(
    CONTROLS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
