/** Which file ids does an answer name? Kept as a hint where a file is, never as the truth. */

/** Ids that fit here are longer than any provider's. */
const ID = /"id"\s*:\s*"([\w.:~-]{1,256})"/g;

/** The ids of an upload's or a list's answer. Only its first bytes are looked at: a hint is all we want. */
export const findFileIds = (json: string): string[] =>
  [...json.matchAll(ID)].flatMap(([, id]) => (id === undefined ? [] : [id]));
