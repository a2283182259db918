/** Makes characters visible that change how the text around them is displayed, or hide text that a model reads. */

/**
 * Control characters except tabs and line breaks, those that change the direction of text (Trojan Source), and invisible
 * ones: tags and variation selectors can encode any text. Joiners are left out, because scripts and emoji need them.
 */
const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is shown
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;

/** Replaces each control character by its escape sequence, such as `\u202e`. */
export const showControls = (text: string): string => text.replace(CONTROLS, escapeCharacter);

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)?.toString(16) ?? "";
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
