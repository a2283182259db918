/** Wire shapes of the credentials of a collector: API keys, and clients that request service tokens. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { KeyInput, keyEndpoints } from "../keys.ts";

export const collectorKeys = keyEndpoints({
  noun: "collector_key",
  plural: "collector_keys",
  path: "/v1/collectors/:collector_id/keys",
  owner: "collector_id",
  secret: "key",
});
export const CollectorKey = collectorKeys.shown;
export const NewCollectorKey = collectorKeys.created;

/** The `id` of a service client is its OAuth `client_id`. */
export const serviceClients = keyEndpoints({
  noun: "service_client",
  plural: "service_clients",
  path: "/v1/collectors/:collector_id/service-clients",
  owner: "collector_id",
  secret: "client_secret",
});
export const ServiceClient = serviceClients.shown;
export const NewServiceClient = serviceClients.created;
export const CollectorKeyInput = KeyInput;

export const TokenRequest = z.object({
  grant_type: z.literal("client_credentials"),
  client_id: z.string().max(200).describe("Id of a service client."),
  client_secret: z.string().max(200),
});
export const IssuedToken = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.int().describe("Lifetime in seconds."),
});

export const issueServiceToken = endpoint({
  name: "issue_service_token",
  method: "POST",
  path: "/v1/token",
  plane: "guard",
  auth: "public",
  summary: "Exchange the credentials of a service client for a token that is valid for 15 minutes",
  body: TokenRequest,
  reply: IssuedToken,
  writes: false,
  form: true,
});
