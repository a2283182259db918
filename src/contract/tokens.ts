/** Wire shapes of administrator tokens: credentials for this API, with a role and a set of gateways. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { KEY_STATES } from "./keys.ts";
import { ROLES } from "./roles.ts";
import { Id, Name, PageQuery, page, Time } from "./shapes.ts";
import { PrincipalSub } from "./store/access.ts";

export const AdminTokenInput = z.strictObject({
  name: Name,
  role: z
    .enum(ROLES)
    .describe(
      "`viewer` reads, `auditor` also reads stored content and the audit log, `approver` decides requests, `admin` changes the configuration, `owner` also manages tokens.",
    ),
  gateway_ids: z
    .array(Id)
    .min(1)
    .max(200)
    .nullable()
    .default(null)
    .describe(
      "Limits the token to these gateways, and excludes global resources such as the guard and tokens. null: no limit.",
    ),
  expires_at: Time.nullable().default(null).describe("null: never expires."),
  principal_sub: PrincipalSub.nullable()
    .default(null)
    .describe(
      "Principal who owns the token. It cannot decide that principal's approvals and Store requests. null: the token's name is used.",
    ),
});
export type AdminTokenInput = z.infer<typeof AdminTokenInput>;

export const AdminToken = z.object({
  ...AdminTokenInput.shape,
  id: Id,
  hint: z.string(),
  state: z.enum(KEY_STATES),
  revoked_at: Time.nullable(),
  last_used_at: Time.nullable(),
  created_at: Time,
});
export type AdminToken = z.infer<typeof AdminToken>;

export const NewAdminToken = AdminToken.extend({
  token: z.string().describe("The secret. Shown once, in this response only."),
});

export const listTokens = endpoint({
  name: "list_tokens",
  method: "GET",
  path: "/v1/tokens",
  auth: "own",
  summary: "List administrator tokens",
  query: PageQuery,
  reply: page(AdminToken),
});

export const createToken = endpoint({
  name: "create_token",
  method: "POST",
  path: "/v1/tokens",
  auth: "own",
  summary: "Create an administrator token; only this response contains it",
  body: AdminTokenInput,
  reply: NewAdminToken,
  status: 201,
});

export const getToken = endpoint({
  name: "get_token",
  method: "GET",
  path: "/v1/tokens/:token_id",
  auth: "own",
  summary: "Get an administrator token",
  reply: AdminToken,
});

export const revokeToken = endpoint({
  name: "revoke_token",
  method: "DELETE",
  path: "/v1/tokens/:token_id",
  auth: "own",
  summary: "Revoke an administrator token immediately; it stays listed as revoked",
});
