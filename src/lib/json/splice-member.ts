/** Replaces or removes one top-level member of a JSON object and preserves all other bytes. */
import type { JsonMember, MemberScan } from "./scan-members.ts";
import { COMMA, OPEN_BRACE } from "./skip-value.ts";

/**
 * Returns a copy with one member set to `value` (JSON text), or removed when it is undefined. Duplicates of the
 * name are changed too, so that no parser can read the old value from the new bytes.
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

/** Removes a member with the comma before it; the first member with the comma after it. */
function removeAll(bytes: Uint8Array, last: JsonMember): ByteEdit[] {
  const edits: ByteEdit[] = [];
  for (let member: JsonMember | undefined = last; member; member = member.earlier) {
    if (bytes[member.slot_start - 1] !== OPEN_BRACE) {
      edits.unshift({ from: member.slot_start - 1, to: member.slot_end });
      continue;
    }
    // Duplicates directly after the first one were removed with its comma: find the next comma after them.
    let to = member.slot_end;
    while (edits[0]?.from === to) to = edits.shift()?.to ?? to;
    edits.unshift({ from: member.slot_start, to: bytes[to] === COMMA ? to + 1 : to });
  }
  return edits;
}

function applyByteEdits(bytes: Uint8Array, edits: ByteEdit[]): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let copied = 0;
  for (const { from, to, put } of edits) {
    pieces.push(bytes.subarray(copied, from));
    if (put) pieces.push(put);
    copied = to;
  }
  pieces.push(bytes.subarray(copied));
  return Buffer.concat(pieces);
}
