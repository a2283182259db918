/** Quotes text as one word of a POSIX shell, zsh or fish. */

/** Characters that neither a shell nor a terminal interprets. */
const PLAIN = /^[\w.:/@+,-]+$/;
/** In quotes, fish removes a backslash before another one and before a quote; outside, every shell does. */
const ESCAPED = /'|\\(?=['\\]|$)/g;
/** Pasted, a tab completes a word and an escape sequence can end the paste. Newlines are safe inside quotes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

export function shellQuote(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replace(ESCAPED, String.raw`'\$&'`)}'`;
  // A shell without support for $'…' still reads one word, because quotes are escaped as bytes.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  return `$'${text.replace(/[\\'\u0000-\u001f\u007f-\u009f]/g, escapeBytes)}'`;
}

/** Returns a curl command to paste, one option a line. */
export const curlCommand = (url: string, headers: readonly string[], body?: string): string =>
  [
    `curl ${shellQuote(url)}`,
    ...headers.map((header) => `-H ${shellQuote(header)}`),
    ...(body === undefined ? [] : [`-d ${shellQuote(body)}`]),
  ].join(" \\\n  ");

/** Returns the option of curl that sends a local file. Unquoted, `,` would begin another file and `;` its type. */
export const curlFile = (field: string, file: string): string => {
  const name = /[,;"\\]|^\s|\s$/.test(file) ? `"${file.replace(/["\\]/g, "\\$&")}"` : file;
  return `-F ${shellQuote(`${field}=@${name}`)}`;
};

const escapeBytes = (character: string): string =>
  Array.from(
    new TextEncoder().encode(character),
    (byte) => `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");
