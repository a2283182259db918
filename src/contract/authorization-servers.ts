/** Wire shapes of authorization servers: the one an instance uses, and one that an administrator must confirm. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Time } from "./shapes.ts";

const AuthorizationServerFacts = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string().describe("Where browsers sign in."),
  token_endpoint: z.string().describe("Gets client secrets, codes and refresh tokens."),
  registration_endpoint: z.string().nullable().describe("Where the gateway registers as a client."),
  seen_at: Time,
});
export type AuthorizationServerFacts = z.infer<typeof AuthorizationServerFacts>;

export const AuthorizationServer = z.object({
  instance_id: Id,
  instance_name: z.string(),
  current: AuthorizationServerFacts.extend({
    confirmed_by: z
      .string()
      .nullable()
      .describe("null: used since the first sign-in, without a confirmation."),
    confirmed_at: Time.nullable(),
  }),
  advertised: AuthorizationServerFacts.extend({
    id: Id.describe("Names this change when it is confirmed or dismissed."),
  })
    .nullable()
    .describe("What the MCP server advertises instead. null: nothing else."),
  suspended: z.boolean().describe("Nobody can use the instance until the change is decided."),
  accounts: z.int().describe("Connected accounts. A confirmed change removes them."),
  own_client: z.boolean().describe("The instance has a client that an administrator registered."),
});
export type AuthorizationServer = z.infer<typeof AuthorizationServer>;

const path = "/v1/gateways/:gateway_id/store/authorization-servers";
const one = `${path}/:server_id` as const;

export const listAuthorizationServers = endpoint({
  name: "list_authorization_servers",
  method: "GET",
  path,
  auth: "read",
  summary: "List the authorization servers of instances, with changes that wait for a confirmation",
  query: PageQuery.pick({ limit: true, cursor: true }).extend({
    instance_id: Id.optional().describe("Only the one of this instance."),
  }),
  reply: page(AuthorizationServer),
});

export const confirmAuthorizationServer = endpoint({
  name: "confirm_authorization_server",
  method: "POST",
  path: `${one}/confirm`,
  auth: "write",
  summary: "Use the advertised authorization server; every principal must connect again",
  query: z.strictObject({
    keep_client: z
      .stringbool()
      .default(false)
      .describe(
        "`auth.client_id` and its secret were issued by the new server. Otherwise they are not sent there, and you must set others. Only an owner may set it.",
      ),
  }),
  configures: false,
});

export const dismissAuthorizationServer = endpoint({
  name: "dismiss_authorization_server",
  method: "POST",
  path: `${one}/dismiss`,
  auth: "write",
  summary: "Keep the current authorization server, and lift the suspension",
  configures: false,
});
