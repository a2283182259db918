/** Finds file ids in a response, as hints to the location of a file; never used for access checks. */

/** Allows longer ids than any provider issues. */
const ID = /"id"\s*:\s*"([\w.:~-]{1,256})"/g;

/** Returns the ids in the response to an upload or a list; `json` may be cut off. */
export const findFileIds = (json: string): string[] =>
  [...json.matchAll(ID)].flatMap(([, id]) => (id === undefined ? [] : [id]));
