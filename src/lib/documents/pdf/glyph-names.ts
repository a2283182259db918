/** Maps glyph names such as `quoteright`, `eacute` and `uni20AC` to characters (Adobe's glyph list). */

export function toCharacter(name: string): string | undefined {
  const [plain = ""] = name.split(".", 1); // `a.sc`, `one.oldstyle`
  if (plain.length === 1) return plain;
  const known = NAMED.get(plain);
  if (known !== undefined) return known;
  const [, letter = "", accent = ""] = ACCENTED.exec(plain) ?? [];
  if (letter) return (letter + (ACCENTS[accent] ?? "")).normalize("NFC");
  const [, hex] = /^(?:uni|u)([\dA-F]{4,6})/.exec(plain) ?? [];
  const code = Number.parseInt(hex ?? "", 16);
  return code > 0 && code <= 0x10ffff ? splitLigatures(String.fromCodePoint(code)) : undefined;
}

/** Replaces Latin ligatures by their letters: detectors look for "office", not for "oﬃce". */
export const splitLigatures = (text: string): string =>
  text.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"));

const ACCENTS: Record<string, string> = {
  grave: "\u0300",
  acute: "\u0301",
  circumflex: "\u0302",
  tilde: "\u0303",
  macron: "\u0304",
  breve: "\u0306",
  dotaccent: "\u0307",
  dieresis: "\u0308",
  ring: "\u030a",
  hungarumlaut: "\u030b",
  caron: "\u030c",
  commaaccent: "\u0327",
  cedilla: "\u0327",
  ogonek: "\u0328",
};
const ACCENTED = new RegExp(`^([A-Za-z])(${Object.keys(ACCENTS).join("|")})$`);

const NAMED = new Map(
  [
    ...`zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 exclam ! quotedbl "
      numbersign # dollar $ percent % ampersand & quotesingle ' parenleft ( parenright ) asterisk *
      plus + comma , hyphen - sfthyphen - minus − period . slash / colon : semicolon ; less < equal =
      greater > question ? at @ bracketleft [ backslash \\ bracketright ] asciicircum ^ underscore _
      grave \` braceleft { bar | braceright } asciitilde ~ quoteleft ‘ quoteright ’ quotedblleft “
      quotedblright ” quotesinglbase ‚ quotedblbase „ guillemotleft « guillemotright » guilsinglleft ‹
      guilsinglright › endash – emdash — bullet • ellipsis … dagger † daggerdbl ‡ periodcentered ·
      exclamdown ¡ questiondown ¿ cent ¢ sterling £ yen ¥ Euro € florin ƒ currency ¤ section §
      paragraph ¶ copyright © registered ® trademark ™ degree ° plusminus ± multiply × divide ÷
      fraction ⁄ onequarter ¼ onehalf ½ threequarters ¾ ordfeminine ª ordmasculine º mu µ logicalnot ¬
      brokenbar ¦ acute ´ dieresis ¨ circumflex ˆ tilde ˜ macron ¯ cedilla ¸ germandbls ß AE Æ ae æ
      OE Œ oe œ Oslash Ø oslash ø Lslash Ł lslash ł Eth Ð eth ð Thorn Þ thorn þ dotlessi ı dcroat đ
      onesuperior ¹ twosuperior ² threesuperior ³ infinity ∞ notequal ≠ lessequal ≤ greaterequal ≥
      arrowright → arrowleft ← alpha α beta β gamma γ delta δ epsilon ε lambda λ pi π sigma σ omega ω
      Delta ∆ Omega Ω summation ∑ product ∏ radical √ integral ∫ partialdiff ∂ approxequal ≈`.matchAll(
      /(\w+)\s+(\S)/g,
    ),
  ].map(([, name = "", text = ""]) => [name, text]),
).set("space", " ");
for (const ligature of ["ff", "fi", "fl", "ffi", "ffl", "st"]) NAMED.set(ligature, ligature);
