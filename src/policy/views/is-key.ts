/** Detects keys and certificates: DER begins with a sequence, keys of SSH with the length and the name of their type. */
export function isKey(head: Buffer): boolean {
  const start = head.toString("latin1", 0, 12);
  return /^0[\x81-\x83]/.test(start) || /^.{4}(?:ssh|ecdsa|sk)-/s.test(start) || isPgpKey(start);
}

/** Detects a secret or public key of PGP: the tag of the packet, its length in one or two bytes, and version 4. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the version is one
const isPgpKey = (start: string): boolean => /^(?:[\x94\x98].|[\x95\x99]..)\x04/s.test(start);
