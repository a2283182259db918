/** Which kind of document is it, by its first bytes? Pictures, sounds and plain text are none. */

/** How much of a file `containerKind` needs. */
export const HEAD_BYTES = 1024;

/** `archive` is a new Office document, or any other zip. */
export function containerKind(bytes: Uint8Array): "pdf" | "archive" | "old_office" | undefined {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  // Readers take a PDF that begins behind something else.
  if (head.includes("%PDF-")) return "pdf";
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return "archive";
  return head.startsWith("\xd0\xcf\x11\xe0") ? "old_office" : undefined;
}
