/** Finds ids of stored objects in a response, as hints to their location; never used for access checks. */

/** Allows longer ids than any provider issues. */
const ID = /"(?:(?:output|error)_file_)?id"\s*:\s*"([\w.:~-]{1,256})"/g;

/** Returns the ids of objects, and of the files that a batch created; `json` may be cut off. */
export const findObjectIds = (json: string): string[] =>
  [...json.matchAll(ID)].flatMap(([, id]) => (id === undefined ? [] : [id]));
