/** What is stored of a key or token: its SHA-256, and a hint a person can recognize it by. */

/** Keys carry 256 random bits, so one plain hash is enough: there is nothing to guess. */
export const secretHash = (secret: string): string => Bun.SHA256.hash(secret, "hex");

/** Prefix plus four characters. The other 39 stay unknown. */
export const secretHint = (secret: string): string => `${secret.slice(0, 7)}…`;
