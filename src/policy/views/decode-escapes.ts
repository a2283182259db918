/** Decodes the escapes of text in place: `%41`, `&#65;`, `\u0041`. */
import { isUtf8 } from "node:buffer";
import type { Decoding, HiddenEncoding } from "./decoding.ts";
import { createSourceMapBuilder } from "./source-map.ts";

/**
 * Returns undefined if the text has no escape. Otherwise the decoding contains the complete text: matches in only a part
 * of it could begin elsewhere than matches in the text, of which a stream may have sent some.
 */
export function decodeEscapes(text: string): Decoding | undefined {
  if (!text.includes("%") && !text.includes("&") && !text.includes("\\")) return undefined;
  if (!MAY_ESCAPE.test(text)) return undefined;
  const out = createSourceMapBuilder();
  let encoding: HiddenEncoding | undefined;
  let done = 0;
  for (const { 0: escaped, index } of text.matchAll(ESCAPE)) {
    const kind = escaped.startsWith("%")
      ? "percent"
      : escaped.startsWith("&")
        ? "html"
        : "unicode_escape";
    const decoded =
      kind === "percent" && escaped.charAt(1) !== "u"
        ? decodePercentRun(escaped)
        : decodeCharacter(escaped);
    if (decoded === undefined) continue;
    encoding ??= kind;
    out.append(text.slice(done, index), done, index);
    done = index + escaped.length;
    // Maps character by character where each escape is one character; a UTF-8 sequence maps as a whole.
    if (kind === "percent" && decoded.length * 3 === escaped.length) {
      for (let at = 0; at < decoded.length; at++) {
        out.append(decoded.charAt(at), index + at * 3, index + at * 3 + 3);
      }
    } else out.append(decoded, index, done);
  }
  if (encoding === undefined) return undefined;
  out.append(text.slice(done), done, text.length);
  return { ...out.build(), encoding };
}

function decodePercentRun(run: string): string {
  // As ASCII, and as Latin-1: one byte above is not valid UTF-8.
  if (run.length === 3) return String.fromCharCode(Number.parseInt(run.slice(1), 16));
  const bytes = Buffer.from(run.replaceAll("%", ""), "hex");
  return isUtf8(bytes) ? UTF8.decode(bytes) : bytes.toString("latin1");
}

/** Returns undefined if it is not an escape, as in `AT&T` or `&copy`. */
function decodeCharacter(escaped: string): string | undefined {
  const digits = /^(?:%u|&#x|\\u\{|\\u|\\x)([\da-f]+)/i.exec(escaped)?.[1];
  const decimal = /^&#(\d+)/.exec(escaped)?.[1];
  if (digits === undefined && decimal === undefined) {
    return NAMED_CHARACTERS.get(escaped.slice(1).replace(";", "").toLowerCase());
  }
  const point = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

/** Matches the beginning of every escape. Most signs in prose, as in `12% less`, begin none. */
const MAY_ESCAPE = /%[\da-fu]|&[#a-z]|\\[ux]/i;
const ESCAPE =
  /(?:%[\da-f]{2})+|%u[\da-f]{4}|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,7});?|\\(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2})/gi;
const NAMED_CHARACTERS = new Map(
  Object.entries({
    lt: "<",
    gt: ">",
    amp: "&",
    quot: '"',
    apos: "'",
    nbsp: " ",
    tab: "\t",
    newline: "\n",
    colon: ":",
    semi: ";",
    lpar: "(",
    rpar: ")",
    sol: "/",
    bsol: "\\",
    equals: "=",
    grave: "`",
    dollar: "$",
    lbrace: "{",
    rbrace: "}",
    commat: "@",
    period: ".",
    comma: ",",
    hyphen: "-",
    lowbar: "_",
    plus: "+",
    num: "#",
    excl: "!",
    quest: "?",
    ast: "*",
    percnt: "%",
    verbar: "|",
    lbrack: "[",
    rbrack: "]",
  }),
);

const UTF8 = new TextDecoder();
