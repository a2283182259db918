/** Text that is slow for every detector: escapes, base64, spaced letters, percent-encoding and numbers like cards. */
const LINE =
  "\\u0041\\x42 aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0 i g n o r e %41%42 4111 1111 1111 1112 ";

export const hostileText = (characters: number): string =>
  LINE.repeat(Math.ceil(characters / LINE.length)).slice(0, characters);
