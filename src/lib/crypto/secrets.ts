/** Creates the secrets of keys and tokens, and what is stored of them: a SHA-256 hash and a hint. */
import { randomBytes } from "node:crypto";

/** Returns 32 random bytes with a prefix for the kind of secret (`ag_`, `pa_`, …). */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString("base64url");

/** Unsalted and fast, because a secret has 256 random bits and cannot be guessed. */
export const hashSecret = (secret: string): string => Bun.SHA256.hash(secret, "hex");

/** Returns the prefix and four characters, by which an administrator recognizes the secret. */
export const secretHint = (secret: string): string => `${secret.slice(0, 7)}…`;
