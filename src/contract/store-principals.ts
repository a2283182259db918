/** Wire shapes of principals: their personal tokens, and the outside issuers a gateway trusts. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { HttpUrl } from "./http-shapes.ts";
import { KEY_STATES } from "./keys.ts";
import { resource } from "./resource.ts";
import { Id, Name, PageQuery, page, storedMembers, Text, Time } from "./shapes.ts";
import { Groups, PrincipalSub } from "./store-access.ts";

export const PrincipalTokenInput = z.strictObject({
  name: Name,
  principal_sub: PrincipalSub,
  groups: Groups.default([]),
  expires_at: Time.nullable().default(null),
});
export type PrincipalTokenInput = z.infer<typeof PrincipalTokenInput>;

export const PrincipalToken = z.object({
  ...PrincipalTokenInput.shape,
  id: Id,
  gateway_id: Id,
  hint: z.string(),
  state: z.enum(KEY_STATES),
  revoked_at: Time.nullable(),
  last_used_at: Time.nullable(),
  created_by: z
    .string()
    .nullable()
    .describe("The administrator, or the principal who rotated another one. null: not recorded."),
  created_at: Time,
});
export type PrincipalToken = z.infer<typeof PrincipalToken>;

export const NewPrincipalToken = PrincipalToken.extend({
  token: z.string().describe("The secret itself. Shown this once and kept nowhere."),
});

const path = "/v1/gateways/:gateway_id/store/principal-tokens";
const one = `${path}/:principal_token_id` as const;

export const listPrincipalTokens = endpoint({
  name: "list_principal_tokens",
  method: "GET",
  path,
  auth: "read",
  summary: "List the personal tokens of principals",
  query: PageQuery.extend({ principal_sub: PrincipalSub.optional() }),
  reply: page(PrincipalToken),
});

export const createPrincipalToken = endpoint({
  name: "create_principal_token",
  method: "POST",
  path,
  auth: "write",
  summary: "Create a personal token for a principal; the answer is the only one that shows it",
  body: PrincipalTokenInput,
  reply: NewPrincipalToken,
  status: 201,
  configures: false,
});

export const getPrincipalToken = endpoint({
  name: "get_principal_token",
  method: "GET",
  path: one,
  auth: "read",
  summary: "Read the state of a personal token",
  reply: PrincipalToken,
});

export const revokePrincipalToken = endpoint({
  name: "revoke_principal_token",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Revoke a personal token at once; it stays listed as revoked",
  configures: false,
});

export const IssuerInput = z.strictObject({
  name: Name,
  issuer: Text.min(1).describe("Exactly what its tokens say in `iss`."),
  audience: Text.min(1)
    .max(512)
    .describe("What they must hold in `aud`. With the issuer, it tells which gateway is meant."),
  jwks_url: HttpUrl.describe("Where its public keys are."),
  subject_claim: Text.min(1).max(255).default("sub"),
  groups_claim: Text.min(1).max(255).default("groups").describe("A name, or a path with dots."),
  enabled: z.boolean().default(true),
  allow_private: z
    .boolean()
    .default(false)
    .describe("The keys may be at a loopback or private address, and on plain http."),
});
export type IssuerInput = z.infer<typeof IssuerInput>;

export const Issuer = z.object({ ...IssuerInput.shape, gateway_id: Id, ...storedMembers });
export type Issuer = z.infer<typeof Issuer>;

export const issuers = resource({
  noun: "issuer",
  plural: "issuers",
  path: "/v1/gateways/:gateway_id/store/issuers",
  id: "issuer_id",
  input: IssuerInput,
  reply: Issuer,
});
