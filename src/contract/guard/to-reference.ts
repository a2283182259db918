/** Returns the reference of a passage: the part of its hash that notices show and that people search for. */
export const toReference = (passage_sha256: string): string => passage_sha256.slice(0, 12);
