/** Converts secrets, such as keys and tokens, to entity hits. */
import type { Secret } from "../secrets/find-secrets.ts";
import type { EntityHit, EntityName } from "./entities.ts";
import { splitByLine } from "./split-by-line.ts";

export const toCredentialHits = (text: string, secrets: readonly Secret[]): EntityHit[] =>
  secrets.flatMap(({ label, confidence, start, end }) =>
    label === PASSWORD_LABEL
      ? []
      : splitByLine(text, { start, end }).map((line) => ({
          entity: toEntityName(label),
          confidence,
          ...line,
        })),
  );

/** Handled by find-password-after-clue.ts, which finds the end of the value in a sentence. */
const PASSWORD_LABEL = "password";

function toEntityName(label: string): EntityName {
  if (label.startsWith("stripe_")) return "stripe_key";
  if (label === "jwt" || label === "jwe") return "jwt_token";
  if (label.includes("password")) return "password";
  return /token|session|authorization/.test(label) ? "access_token" : "api_key";
}
