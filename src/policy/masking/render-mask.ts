/** What stands in the place of a match. */

export interface MaskStyle {
  mask_with: string;
  /** Repeat the one character of `mask_with` until the mask is as long as what it hides. */
  preserve_len: boolean;
}

export const renderMask = ({ mask_with, preserve_len }: MaskStyle, length: number): string =>
  preserve_len ? mask_with.repeat(length) : mask_with;
