/** How do the bytes of a JSON object read with one top-level member changed and all else as it was? */
import type { JsonMember, MemberScan } from "./scan-members.ts";
import { COMMA, OPEN_BRACE } from "./skip-value.ts";

/**
 * A copy with one member set to `value` (JSON text) or, for undefined, taken out. Repeats of the name
 * are treated alike, so no parser, whichever it takes, can read the old value out of the new bytes.
 */
export function spliceMember<Name extends string>(
  members: MemberScan<Name>,
  name: NoInfer<Name>,
  value: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  const { bytes, found, tail, empty } = members;
  const member = found.get(name);
  if (member)
    return applyByteEdits(bytes, value ? replaceAll(member, value) : removeAll(bytes, member));
  if (!value) return bytes.slice();

  const label = Buffer.from(`${empty ? "" : ","}${JSON.stringify(name)}:`);
  return applyByteEdits(bytes, [{ from: tail, to: tail, put: Buffer.concat([label, value]) }]);
}

interface ByteEdit {
  from: number;
  to: number;
  put?: Uint8Array;
}

function replaceAll(last: JsonMember, put: Uint8Array): ByteEdit[] {
  const edits: ByteEdit[] = [];
  for (let member: JsonMember | undefined = last; member; member = member.earlier) {
    edits.unshift({ from: member.start, to: member.end, put });
  }
  return edits;
}

/** A member goes with the comma before it; the first of the object with the comma behind it. */
function removeAll(bytes: Uint8Array, last: JsonMember): ByteEdit[] {
  const edits: ByteEdit[] = [];
  for (let member: JsonMember | undefined = last; member; member = member.earlier) {
    if (bytes[member.slot_start - 1] !== OPEN_BRACE) {
      edits.unshift({ from: member.slot_start - 1, to: member.slot_end });
      continue;
    }
    // Repeats right behind the first one took its comma along: look behind them for the next.
    let to = member.slot_end;
    while (edits[0]?.from === to) to = edits.shift()?.to ?? to;
    edits.unshift({ from: member.slot_start, to: bytes[to] === COMMA ? to + 1 : to });
  }
  return edits;
}

function applyByteEdits(bytes: Uint8Array, edits: ByteEdit[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let kept = 0;
  for (const { from, to, put } of edits) {
    pieces.push(bytes.subarray(kept, from));
    if (put) pieces.push(put);
    kept = to;
  }
  pieces.push(bytes.subarray(kept));
  return Buffer.concat(pieces);
}
