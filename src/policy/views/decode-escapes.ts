/** Reads the escapes of a text in place: `%41`, `&#65;`, `\u0041`. */
import type { Decoding, HiddenEncoding } from "./decoding.ts";
import { createSourceMapBuilder, type SourceMapBuilder } from "./source-map.ts";

/** undefined: there is none. */
export function decodeEscapes(text: string): Decoding | undefined {
  if (!text.includes("%") && !text.includes("&") && !text.includes("\\")) return undefined;
  const out = createSourceMapBuilder();
  let encoding: HiddenEncoding | undefined;
  let done = 0;
  for (const { 0: written, index } of text.matchAll(ESCAPE)) {
    const kind = written.startsWith("%")
      ? "percent"
      : written.startsWith("&")
        ? "html"
        : "unicode_escape";
    const meant =
      kind === "percent" && written.charAt(1) !== "u"
        ? decodePercentRun(written)
        : decodeCharacter(written);
    if (meant === undefined) continue;
    encoding ??= kind;
    appendGap(out, text, { start: done, end: index, afterOne: done > 0, beforeOne: true });
    done = index + written.length;
    // Character by character where each escape is one; a run of UTF-8 bytes maps whole.
    if (kind === "percent" && meant.length * 3 === written.length) {
      for (let at = 0; at < meant.length; at++) {
        out.append(meant.charAt(at), index + at * 3, index + at * 3 + 3);
      }
    } else out.append(meant, index, done);
  }
  if (encoding === undefined) return undefined;
  appendGap(out, text, { start: done, end: text.length, afterOne: true, beforeOne: false });
  return { ...out.build(), encoding };
}

/** What stands far from any escape is read in the text itself; only the near of it is repeated here. */
function appendGap(out: SourceMapBuilder, text: string, between: Gap): void {
  const { start, end } = between;
  const head = between.afterOne ? Math.min(end, start + CONTEXT_CHARACTERS) : start;
  const tail = between.beforeOne ? Math.max(head, end - CONTEXT_CHARACTERS) : end;
  out.append(text.slice(start, head), start, head);
  if (tail > head) out.append("\n", head, head);
  out.append(text.slice(tail, end), tail, end);
}

type Gap = { start: number; end: number; afterOne: boolean; beforeOne: boolean };

const CONTEXT_CHARACTERS = 512;

function decodePercentRun(run: string): string {
  const bytes = Buffer.from(run.replaceAll("%", ""), "hex");
  try {
    return UTF8.decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}

/** undefined: it is no escape after all, as in `AT&T` or `&copy`. */
function decodeCharacter(written: string): string | undefined {
  const digits = /^(?:%u|&#x|\\u\{|\\u|\\x)([\da-f]+)/i.exec(written)?.[1];
  const decimal = /^&#(\d+)/.exec(written)?.[1];
  if (digits === undefined && decimal === undefined) {
    return NAMED_CHARACTERS.get(written.slice(1).replace(";", "").toLowerCase());
  }
  const point = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}

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

const UTF8 = new TextDecoder("utf-8", { fatal: true });
