/** Makes characters visible that change how the text around them is displayed, or hide text that a model reads. */

/** Control characters, those that browsers do not display or that change the direction of text, and lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/gu;

/**
 * Hidden characters that writing needs: tabs and line breaks, joiners inside a word of a joining script or inside an
 * emoji, the variation selectors of emoji and keycaps, and those of Mongolian letters.
 */
const NEEDED = new RegExp(
  [
    "[\\t\\n]",
    "(?<=(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}\\p{sc=Hani}\\p{sc=Hang}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Zyyy}\\p{sc=Zinh}])[\\p{L}\\p{M}])[\\u200c\\u200d](?=\\p{L})",
    "(?<=[\\p{ExtPict}\\p{EMod}\\ufe0f])\\u200d(?=\\p{ExtPict})",
    "(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]",
    "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
    "(?<=\\p{sc=Mong})[\\u180b-\\u180f]",
  ].join("|"),
  "uy",
);

/** Replaces each hidden character that writing does not need by its escape sequence, such as `\u202e`. */
export const showControls = (text: string): string =>
  text.replace(HIDDEN, (character, offset: number) => {
    NEEDED.lastIndex = offset;
    return NEEDED.test(text) ? character : escapeCharacter(character);
  });

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0)?.toString(16) ?? "";
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
}
