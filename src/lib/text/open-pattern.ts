/** Derives patterns that detect whether more text could complete or change a match. */

export type OpenTest = (text: string, at: number) => boolean;

/**
 * Creates a function that returns whether the text from `at` to its end is the beginning of a match of `pattern`, or
 * decides a look-ahead or a repetition. It may return true for more than that, never for less.
 */
export function createOpenTest(pattern: RegExp): OpenTest {
  // Lazy: only streams need it.
  let open: RegExp | undefined;
  return (text, at) => {
    open ??= toOpenPattern(pattern);
    open.lastIndex = at;
    return open.test(text);
  };
}

function toOpenPattern({ source, flags }: RegExp): RegExp {
  const reader = { source, at: 0 };
  const body = convertAlternatives(reader);
  return new RegExp(`(?:${body})$`, `${flags.replace(/[gmy]/g, "")}y`);
}

interface SourceReader {
  source: string;
  at: number;
}

function convertAlternatives(reader: SourceReader): string {
  let out = "";
  for (;;) {
    const next = reader.source.charAt(reader.at);
    if (next === "" || next === ")") return out;
    if (next === "|") {
      out += "|";
      reader.at++;
    } else out += convertAtom(reader);
  }
}

/** At the end of the text, every atom is satisfied: the characters that it needs may follow. */
const orEnd = (atom: string): string => `(?:${atom}|$)`;

function convertAtom(reader: SourceReader): string {
  const atom = reader.source.charAt(reader.at) === "(" ? convertGroup(reader) : readSimple(reader);
  const quantifier = take(reader, QUANTIFIER);
  return atom + quantifier;
}

function convertGroup(reader: SourceReader): string {
  const opening = take(reader, GROUP_OPENING);
  const from = reader.at;
  const body = convertAlternatives(reader);
  const original = reader.source.slice(from, reader.at);
  reader.at++;
  switch (opening) {
    case "(?<=":
    case "(?<!":
      return orEnd(`${opening}${original})`);
    case "(?=":
    case "(?!":
      // While the rest of the text is a beginning of what is required or excluded, the match is undecided.
      return `(?:${opening}${original})|(?:${body})(?=$))`;
    default:
      return `${opening}${body}|$)`;
  }
}

function readSimple(reader: SourceReader): string {
  const atom = take(reader, SIMPLE_ATOM);
  if (atom === "") throw new Error(`Cannot convert the pattern ${reader.source} at ${reader.at}.`);
  return atom === "^" || atom === "$" ? atom : orEnd(atom);
}

const QUANTIFIER = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
const GROUP_OPENING = /\((?:\?(?:<?[=!]|:|<\w+>))?/y;
const SIMPLE_ATOM =
  /\[\^?(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|k<\w+>|\d{1,2}|.)|[^\\()[\]|*+?]/uy;

function take(reader: SourceReader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const taken = pattern.exec(reader.source)?.[0] ?? "";
  reader.at += taken.length;
  return taken;
}
