/** Limits text of clients and upstreams that is recorded with a request. */

export const MAX_ERROR_CHARACTERS = 500;

/** Truncates the text, and replaces control characters: Postgres rejects some of them. */
export function toStorableText(text: string | null, max: number): string | null {
  if (text === null) return null;
  return text.slice(0, max).toWellFormed().replace(CONTROL_CHARACTERS, "\ufffd");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;
