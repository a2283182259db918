/** Wire shapes of authorization servers: the one in use by an instance, and a change to confirm. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Time } from "../shapes.ts";

const AuthorizationServerFacts = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string().describe("Address where users sign in."),
  token_endpoint: z
    .string()
    .describe("Address that receives client secrets, codes and refresh tokens."),
  registration_endpoint: z
    .string()
    .nullable()
    .describe("Address where the gateway registers as a client."),
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
      .describe("null: in use since the first sign-in, never confirmed."),
    confirmed_at: Time.nullable(),
  }),
  advertised: AuthorizationServerFacts.extend({
    id: Id.describe("Id of the change, to confirm or dismiss it."),
  })
    .nullable()
    .describe("Other authorization server that the MCP server advertises. null: none."),
  suspended: z
    .boolean()
    .describe("The instance is unavailable until the change is confirmed or dismissed."),
  accounts: z.int().describe("Number of connected accounts. Confirming a change removes them."),
  own_client: z.boolean().describe("An administrator registered the instance's client."),
});
export type AuthorizationServer = z.infer<typeof AuthorizationServer>;

const path = "/v1/gateways/:gateway_id/store/authorization-servers";
const one = `${path}/:server_id` as const;

export const listAuthorizationServers = endpoint({
  name: "list_authorization_servers",
  method: "GET",
  path,
  auth: "read",
  summary: "List the authorization servers of instances, with unconfirmed changes",
  query: PageQuery.pick({ limit: true, cursor: true }).extend({
    instance_id: Id.optional().describe("Only the authorization server of this instance."),
  }),
  reply: page(AuthorizationServer),
});

export const confirmAuthorizationServer = endpoint({
  name: "confirm_authorization_server",
  method: "POST",
  path: `${one}/confirm`,
  auth: "write",
  summary: "Use the advertised authorization server; every principal must reconnect",
  query: z.strictObject({
    keep_client: z
      .stringbool()
      .default(false)
      .describe(
        "Set it if the new server issued `auth.client_id` and its secret. Otherwise they are not sent to it, and you must set new ones. Owners only.",
      ),
  }),
  configures: false,
});

export const dismissAuthorizationServer = endpoint({
  name: "dismiss_authorization_server",
  method: "POST",
  path: `${one}/dismiss`,
  auth: "write",
  summary: "Keep the current authorization server and end the suspension",
  configures: false,
});
