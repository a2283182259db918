/** Wire shapes of principals: personal tokens, and the identity providers that a gateway trusts. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { HttpUrl } from "../http-shapes.ts";
import { KEY_STATES } from "../keys.ts";
import { resource } from "../resource.ts";
import { Id, Name, PageQuery, page, storedMembers, Text, Time } from "../shapes.ts";
import { Groups, PrincipalSub } from "./access.ts";

export const PrincipalTokenInput = z.strictObject({
  name: Name,
  principal_sub: PrincipalSub,
  groups: Groups.default([]).describe("Groups of the principal."),
  expires_at: Time.nullable().default(null).describe("null: never expires."),
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
    .describe(
      "Name of the administrator, or the principal who rotated a token. null: not recorded.",
    ),
  created_at: Time,
});
export type PrincipalToken = z.infer<typeof PrincipalToken>;

export const NewPrincipalToken = PrincipalToken.extend({
  token: z.string().describe("The secret. Shown once, in this response only."),
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
  summary: "Create a personal token for a principal; only this response contains it",
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
  summary: "Get a personal token",
  reply: PrincipalToken,
});

export const revokePrincipalToken = endpoint({
  name: "revoke_principal_token",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Revoke a personal token immediately; it stays listed as revoked",
  configures: false,
});

export const IssuerInput = z.strictObject({
  name: Name,
  issuer: Text.min(1).describe("Exact value of the claim `iss`."),
  audience: Text.min(1)
    .max(512)
    .describe("Required value in the claim `aud`. Issuer and audience identify the gateway."),
  jwks_url: HttpUrl.describe("Address of the public keys (JWKS)."),
  subject_claim: Text.min(1)
    .max(255)
    .default("sub")
    .describe("Name of the claim with the `principal_sub`."),
  groups_claim: Text.min(1)
    .max(255)
    .default("groups")
    .describe("Name of the claim with the groups, or a dotted path."),
  enabled: z.boolean().default(true).describe("false: tokens of the issuer are rejected."),
  allow_private: z
    .boolean()
    .default(false)
    .describe(
      "Allows `jwks_url` a loopback or private address, and plain http. Only an owner may set it.",
    ),
});
export type IssuerInput = z.infer<typeof IssuerInput>;

export const Issuer = z.object({
  ...IssuerInput.shape,
  gateway_id: Id,
  listed: z
    .boolean()
    .describe(
      "Whether MCP clients that look for a login at `/me/mcp` find this issuer: an administrator of all gateways has saved it.",
    ),
  ...storedMembers,
});
export type Issuer = z.infer<typeof Issuer>;

export const issuers = resource({
  noun: "issuer",
  plural: "issuers",
  path: "/v1/gateways/:gateway_id/store/issuers",
  id: "issuer_id",
  input: IssuerInput,
  reply: Issuer,
});

export const KnownPrincipal = z.object({
  principal_sub: z.string(),
  groups: z.array(z.string()).describe("Groups of the last sign-in."),
  seen_at: Time.describe("Time at which the groups changed last."),
});

export const listPrincipals = endpoint({
  name: "list_principals",
  method: "GET",
  path: "/v1/gateways/:gateway_id/store/principals",
  auth: "read",
  summary: "List the known principals of a gateway",
  query: PageQuery,
  reply: page(KnownPrincipal),
});

export const listGroups = endpoint({
  name: "list_groups",
  method: "GET",
  path: "/v1/gateways/:gateway_id/store/groups",
  auth: "read",
  summary: "List the groups of known principals, with the number of people in each; at most 500",
  query: PageQuery.pick({ q: true }),
  reply: z.object({
    items: z.array(z.object({ name: z.string(), people: z.int().describe("Known principals.") })),
  }),
});
