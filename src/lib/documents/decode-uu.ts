/** Decodes the files in uuencode that mails contain, before MIME and in a part with this encoding. */

/** Returns whether text may contain such a file. */
export const hasUuencodedFile = (text: string): boolean => new RegExp(BEGIN, "m").test(text);

/** Yields the bytes of each file. Lines that are not encoded are ignored, as some decoders do. */
export function* decodeUuencodedFiles(source: string): Generator<Uint8Array> {
  const begin = new RegExp(BEGIN, "gm");
  const end = new RegExp(`^end[ \\t]*$|${BEGIN}`, "gm");
  while (begin.test(source)) {
    end.lastIndex = begin.lastIndex;
    const to = end.exec(source)?.index ?? source.length;
    const lines = source.slice(begin.lastIndex, to).split(/\r\n?|\n/);
    const bytes = Buffer.concat(lines.map(decodeLine));
    if (bytes.length > 0) yield bytes;
    begin.lastIndex = to;
  }
}

/** A mode in octal, and usually a name. */
const BEGIN = "^begin[ \\t]+\\S{0,20}[0-7](?:[ \\t][^\\r\\n]*)?$";

/** Decodes four signs to three bytes. The first sign is the number of bytes; spaces at the end may be missing. */
function decodeLine(line: string): Uint8Array {
  if (!/^[ -`]/.test(line)) return NOTHING;
  const length = toBits(line.charCodeAt(0));
  const signCount = Math.ceil(length / 3) * 4;
  const signs = line.slice(1, 1 + signCount).padEnd(signCount);
  if (/[^ -`]/.test(signs)) return NOTHING;
  const bytes = Buffer.alloc((signCount / 4) * 3);
  for (let at = 0; at < signCount; at += 4) {
    let group = 0;
    for (let sign = at; sign < at + 4; sign++) group = group * 64 + toBits(signs.charCodeAt(sign));
    bytes.writeUIntBE(group, (at / 4) * 3, 3);
  }
  return bytes.subarray(0, length);
}

const NOTHING = new Uint8Array();
/** Zero is a space or a backtick. */
const toBits = (code: number): number => (code - 32) & 63;
