/** Renders the mask that replaces a match. */

export interface MaskStyle {
  mask_with: string;
  /** Repeats `mask_with`, a single character, to the length of the match. */
  preserve_len: boolean;
}

export const renderMask = ({ mask_with, preserve_len }: MaskStyle, length: number): string =>
  preserve_len ? mask_with.repeat(length) : mask_with;
