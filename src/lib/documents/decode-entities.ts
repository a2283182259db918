/** Decodes character references of HTML and XML: `&amp;`, `&#105;`, `&#x69;`. */

/** Leaves unknown names unchanged. */
export const decodeEntities = (text: string): string =>
  text.includes("&") ? text.replace(REFERENCE, replacement) : text;

const REFERENCE = /&(?:#0*(\d{1,8})|#[xX]0*([\da-fA-F]{1,8})|([A-Za-z]{2,22}\d{0,2}));?/g;

function replacement(whole: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? whole;
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
  // HTML maps the C1 range to windows-1252, as browsers do.
  if (code >= 0x80 && code < 0xa0) return WINDOWS.decode(Uint8Array.of(code));
  const character = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return character ? String.fromCodePoint(code) : "\ufffd";
}

const WINDOWS = new TextDecoder("windows-1252");

/** In order of their code points, from U+00A0. */
const LATIN_1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg
  plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave
  Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
  Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
  agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
  eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`;

const OTHERS = `amp & AMP & lt < LT < gt > GT > quot " QUOT " apos ' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ”
  bdquo „ dagger † Dagger ‡ bull • hellip … prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro €
  trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ minus − infin ∞ ne ≠ le ≤ ge ≥ OElig Œ oelig œ Scaron Š
  scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ excl ! num # dollar $ percnt % lpar ( rpar ) ast * plus +
  comma , period . sol / colon : semi ; equals = quest ? commat @ lsqb [ bsol \\ rsqb ] lowbar _ grave \`
  lcub { verbar | rcub }`;

const SPACES = `ensp emsp emsp13 emsp14 numsp puncsp thinsp ThinSpace hairsp VeryThinSpace ThickSpace MediumSpace
  NonBreakingSpace`;
const INVISIBLE = `ZeroWidthSpace NegativeVeryThinSpace NegativeThinSpace NegativeMediumSpace NegativeThickSpace
  NoBreak ApplyFunction af InvisibleTimes it InvisibleComma ic`;

const NAMED = new Map<string, string>([
  ...LATIN_1.split(/\s+/).map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...[...OTHERS.matchAll(/(\w+)\s(\S)/g)].map(([, name = "", text = ""]) => [name, text] as const),
  ...SPACES.split(/\s+/).map((name) => [name, " "] as const),
  ...INVISIBLE.split(/\s+/).map((name) => [name, "\u200b"] as const),
  ["zwnj", "\u200c"],
  ["zwj", "\u200d"],
  ["lrm", "\u200e"],
  ["rlm", "\u200f"],
  ["Tab", "\t"],
  ["NewLine", "\n"],
]);
