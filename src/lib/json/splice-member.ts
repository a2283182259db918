/** How do the bytes of a JSON object read with one top-level member changed and all else as it was? */
import type { Member, Members } from "./scan-members.ts";
import { COMMA, OPEN_BRACE } from "./skip-value.ts";

/**
 * A copy with one member set to `value` (JSON text) or, for undefined, taken out. Repeats of the name
 * are treated alike, so no parser, whichever it takes, can read the old value out of the new bytes.
 */
export function spliceMember<Name extends string>(
  members: Members<Name>,
  name: NoInfer<Name>,
  value: Uint8Array | undefined,
): Uint8Array<ArrayBuffer> {
  const { bytes, found, tail, empty } = members;
  const member = found.get(name);
  if (member) return apply(bytes, value ? replacements(member, value) : removals(bytes, member));
  if (!value) return bytes.slice();

  const label = Buffer.from(`${empty ? "" : ","}${JSON.stringify(name)}:`);
  return apply(bytes, [{ from: tail, to: tail, put: Buffer.concat([label, value]) }]);
}

interface Edit {
  from: number;
  to: number;
  put?: Uint8Array;
}

function replacements(last: Member, put: Uint8Array): Edit[] {
  const edits: Edit[] = [];
  for (let member: Member | undefined = last; member; member = member.earlier) {
    edits.unshift({ from: member.start, to: member.end, put });
  }
  return edits;
}

/** A member goes with the comma before it; the first of the object with the comma behind it. */
function removals(bytes: Uint8Array, last: Member): Edit[] {
  const edits: Edit[] = [];
  for (let member: Member | undefined = last; member; member = member.earlier) {
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

function apply(bytes: Uint8Array, edits: Edit[]): Uint8Array<ArrayBuffer> {
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
