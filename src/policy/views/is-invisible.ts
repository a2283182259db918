/** Classifies invisible characters. */

/** Zero-width, bidirectional control, annotation, filler, variation selector and tag characters. */
export function isInvisible(point: number): boolean {
  if (point < 0x180b)
    return point === 0xad || point === 0x34f || point === 0x61c || isFiller(point);
  if (point < 0x2000) return point <= 0x180f;
  if (point < 0x2070) return isFormat(point);
  if (point < 0xe0000) {
    return isVariationSelector(point) || point === 0xfeff || isFiller(point) || isAnnotation(point);
  }
  return point <= 0xe0fff;
}

export const isTag = (point: number) => point >= 0xe0000 && point <= 0xe007f;
/** At least two: a single tag encodes nothing. */
export const TAG_RUNS = /[\u{e0000}-\u{e007f}]{2,}/gu;

/** U+FE00–FE0F and U+E0100–E01EF: 256 characters, so that each can encode a byte. */
export const isVariationSelector = (point: number) =>
  (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe0100 && point <= 0xe01ef);

/** At least four: an emoji may have three. */
export const SELECTOR_RUNS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{4,}/gu;

export const isBidiControl = (point: number) =>
  (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);

const isFormat = (point: number) =>
  (point >= 0x200b && point <= 0x200f) || (point >= 0x202a && point <= 0x202e) || point >= 0x2060;

const isFiller = (point: number) =>
  point === 0x115f || point === 0x1160 || point === 0x3164 || point === 0xffa0;

const isAnnotation = (point: number) => point >= 0xfff9 && point <= 0xfffb;
