/** Keys, service clients and tokens in a configuration file: as hashes, so that it opens nothing and yet rebuilds all. */
import { z } from "zod";
import { hashSecret, secretHint } from "../lib/crypto/secrets.ts";
import { type Issues, refuse } from "./config-list.ts";
import { KeyInput } from "./keys.ts";
import { Id, Slug, Text } from "./shapes.ts";
import { AdminTokenInput } from "./tokens.ts";

const Held = {
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hexadecimal")
    .optional()
    .describe("SHA-256 of the secret."),
  hint: Text.max(32).optional().describe("The first characters, to recognize it by."),
};
const Secret = Text.min(16)
  .max(512)
  .optional()
  .describe("Instead of `sha256`: the secret itself, best as a reference to a variable.");

export const ConfigKey = KeyInput.extend({ ...Held, key: Secret }).transform(
  ({ key, ...entry }, context) => ({ ...entry, ...hashed(entry, key, context) }),
);
export type ConfigKey = z.infer<typeof ConfigKey>;

export const ConfigServiceClient = KeyInput.extend({
  client_id: Id.optional().describe(
    "What the client sends beside its secret. Left out: it stays, or is generated.",
  ),
  ...Held,
  client_secret: Secret,
}).transform(({ client_secret, ...entry }, context) => ({
  ...entry,
  ...hashed(entry, client_secret, context),
}));
export type ConfigServiceClient = z.infer<typeof ConfigServiceClient>;

export const ConfigToken = AdminTokenInput.omit({ gateway_ids: true })
  .extend({
    gateways: z
      .array(Slug)
      .max(200)
      .nullable()
      .default(null)
      .describe("Slugs of the gateways it is limited to. null: all of them."),
    ...Held,
    token: Secret,
  })
  .transform(({ token, ...entry }, context) => ({ ...entry, ...hashed(entry, token, context) }));
export type ConfigToken = z.infer<typeof ConfigToken>;

function hashed(
  { sha256, hint }: { sha256?: string | undefined; hint?: string | undefined },
  secret: string | undefined,
  context: Issues,
): { sha256: string; hint: string } {
  if ((sha256 === undefined) === (secret === undefined)) {
    refuse(context, [], "needs either sha256 or the secret itself");
  }
  return secret === undefined
    ? { sha256: sha256 ?? "", hint: hint ?? "…" }
    : { sha256: hashSecret(secret), hint: secretHint(secret) };
}
