/** Reduces folded text to its letters and digits, so that punctuation, Markdown and spacing cannot hide a copy of it. */
import { isAscii } from "../../lib/text/fold-name.ts";

export interface Letters {
  /** Code units of letters and digits. An ideograph counts three times, since it is about a syllable. */
  units: Uint16Array;
  /** Offset in the text, by unit. */
  offsets: Int32Array;
}

/** Number of zero units at a boundary, which nothing that is compared can contain. */
const BOUNDARY_UNITS = 24;
const IDEOGRAPH_UNITS = 3;

/** `boundaries` are ascending offsets: letters before and after one are never compared together. */
export function readLetters(text: string, boundaries: readonly number[] = []): Letters {
  const maxUnits = isAscii(text) ? 1 : IDEOGRAPH_UNITS;
  const size = text.length * maxUnits + boundaries.length * BOUNDARY_UNITS;
  const units = new Uint16Array(size);
  const offsets = new Int32Array(size);
  let count = 0;
  let passed = 0;
  for (let at = 0; at <= text.length; at++) {
    for (; boundaries[passed] === at; passed++) {
      offsets.fill(at, count, count + BOUNDARY_UNITS);
      count += BOUNDARY_UNITS;
    }
    const unit = text.charCodeAt(at);
    const copies = unit < 0x80 ? (ASCII_UNITS[unit] ?? 0) : countForeignUnits(unit);
    for (let copy = 0; copy < copies; copy++) {
      units[count] = unit;
      offsets[count] = at;
      count++;
    }
  }
  return { units: units.subarray(0, count), offsets: offsets.subarray(0, count) };
}

/** 1 for digits and lower-case letters: folded text has no upper case. */
const ASCII_UNITS = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  /[a-z0-9]/.test(String.fromCharCode(unit)) ? 1 : 0,
);

/** Returns 0 for punctuation, symbols and emoji, and for NaN. */
function countForeignUnits(unit: number): number {
  if (unit >= 0x3040 && unit < 0xd800) return IDEOGRAPH_UNITS;
  const isLetter =
    (unit >= 0xc0 && unit < 0x2000 && unit !== 0xd7 && unit !== 0xf7) ||
    (unit >= 0x2e80 && unit < 0x3000) ||
    (unit >= 0xf900 && unit < 0xfe00);
  return isLetter ? 1 : 0;
}
