/** What is stored of a key or token: its SHA-256, and a hint a person can recognize it by. */
import { randomBytes } from "node:crypto";

/** 32 random bytes behind a prefix that says what the secret opens (`ag_`, `pa_`, …). */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString("base64url");

/** Keys carry 256 random bits, so one plain hash is enough: there is nothing to guess. */
export const hashSecret = (secret: string): string => Bun.SHA256.hash(secret, "hex");

/** Prefix plus four characters. The other 39 stay unknown. */
export const secretHint = (secret: string): string => `${secret.slice(0, 7)}…`;
