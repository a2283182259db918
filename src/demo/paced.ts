/** Lets a stream flow at the pace of a quick model: the first piece at once, then one every few milliseconds. */

const PACE_MS = 5;

export async function* paced(text: string): AsyncGenerator<string> {
  // Each piece is a word with the white space before it, so the pieces joined are the text again.
  for (const [index, piece] of (text.match(/\s*\S+|\s+$/g) ?? []).entries()) {
    if (index > 0) await Bun.sleep(PACE_MS);
    yield piece;
  }
}
