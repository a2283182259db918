/** Decodes the files in uuencode that mails contain, before MIME and in a part with this encoding. */
import { type ReadingBudget, spendBytes } from "./reading-budget.ts";

/** Returns whether text may contain such a file. */
export const hasUuencodedFile = (text: string): boolean => new RegExp(BEGIN, "m").test(text);

/** Yields the lines of each file. */
export function* findUuencodedFiles(source: string): Generator<string> {
  const begin = new RegExp(BEGIN, "gm");
  const end = new RegExp(`^end[ \\t]*$|${BEGIN}`, "gm");
  while (begin.test(source)) {
    end.lastIndex = begin.lastIndex;
    const to = end.exec(source)?.index ?? source.length;
    yield source.slice(begin.lastIndex, to);
    begin.lastIndex = to;
  }
}

/** A mode in octal, of any length, and usually a name. */
const BEGIN = "^begin[ \\t]+[+-]?[0-7][^\\r\\n]*$";

/**
 * Decodes four signs to three bytes. The first sign of a line is the number of its bytes; spaces at its end may be
 * missing. Lines with signs outside of the alphabet are ignored, as some decoders do, unless `acceptsAnySign`.
 */
export async function decodeUuencoded(
  lines: string,
  budget: ReadingBudget,
  { acceptsAnySign }: { acceptsAnySign: boolean },
): Promise<Uint8Array> {
  const chunkSize = Math.min(MAX_CHUNK, lines.length * MAX_LINE);
  const chunks: Buffer[] = [];
  let chunk = Buffer.alloc(chunkSize);
  let used = 0;
  for (let start = 0, end = 0; start < lines.length; start = end + 1) {
    if (budget.slicer.isDue()) await budget.slicer.yield();
    end = findLineEnd(lines, start);
    const length = end > start ? toBits(lines.charCodeAt(start)) : 0;
    const signsEnd = Math.min(start + 1 + Math.ceil(length / 3) * 4, end);
    if (length === 0 || !(acceptsAnySign || isEncoded(lines, start + 1, signsEnd))) continue;
    if (used + MAX_LINE > chunkSize) {
      // Without its spaces, a line is shorter than its bytes.
      spendBytes(budget, used);
      chunks.push(chunk.subarray(0, used));
      chunk = Buffer.alloc(chunkSize);
      used = 0;
    }
    for (let at = start + 1, to = used; at < signsEnd; at += 4, to += 3) {
      let group = 0;
      for (let sign = at; sign < at + 4; sign++)
        group = group * 64 + (sign < signsEnd ? toBits(lines.charCodeAt(sign)) : 0);
      chunk.writeUIntBE(group, to, 3);
    }
    used += length;
    chunk.fill(0, used, used + 2);
  }
  return Buffer.concat([...chunks, chunk.subarray(0, used)]);
}

const MAX_CHUNK = 64 * 1024;
/** The largest number of bytes in a line, and the end of their last group. */
const MAX_LINE = 63 + 2;

function findLineEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== 10 && text.charCodeAt(at) !== 13) at++;
  return at;
}

function isEncoded(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 96) return false;
  }
  return true;
}

/** Decoders use six bits of a sign: zero is a space or a backtick, and `!` and `a` are the same. */
const toBits = (code: number): number => (code - 32) & 63;
