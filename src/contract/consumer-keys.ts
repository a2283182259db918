/** Wire shapes of consumer keys: what an application sends as X-AG-API-Key. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, Name, PageQuery, page, Time } from "./shapes.ts";

export const KEY_STATES = ["active", "expired", "revoked"] as const;

export const ConsumerKey = z.object({
  id: Id,
  consumer_id: Id,
  name: Name,
  hint: z.string().describe("The first characters, to recognise it by."),
  state: z.enum(KEY_STATES),
  expires_at: Time.nullable(),
  revoked_at: Time.nullable(),
  last_used_at: Time.nullable(),
  created_at: Time,
});
export type ConsumerKey = z.infer<typeof ConsumerKey>;

export const NewConsumerKey = ConsumerKey.extend({
  key: z.string().describe("The secret itself. Shown this once and kept nowhere."),
});

const path = "/v1/gateways/:gateway_id/consumers/:consumer_id/keys";
const one = `${path}/:key_id` as const;

export const listConsumerKeys = endpoint({
  name: "list_consumer_keys",
  method: "GET",
  path,
  auth: "read",
  summary: "List the keys of a consumer",
  query: PageQuery,
  reply: page(ConsumerKey),
});

export const ConsumerKeyInput = z.strictObject({
  name: Name,
  expires_at: Time.nullable().default(null).describe("null: it does not expire."),
});

export const createConsumerKey = endpoint({
  name: "create_consumer_key",
  method: "POST",
  path,
  auth: "write",
  summary: "Create a key; the answer is the only one that shows it",
  body: ConsumerKeyInput,
  reply: NewConsumerKey,
  status: 201,
});

export const getConsumerKey = endpoint({
  name: "get_consumer_key",
  method: "GET",
  path: one,
  auth: "read",
  summary: "Read a key's state",
  reply: ConsumerKey,
});

export const rotateConsumerKey = endpoint({
  name: "rotate_consumer_key",
  method: "POST",
  path: `${one}/rotate`,
  auth: "write",
  summary: "Create the successor of a key; the old one works for `overlap_s` more seconds",
  body: z.strictObject({
    overlap_s: z.int().min(0).max(2_592_000).default(86_400),
  }),
  reply: NewConsumerKey,
  status: 201,
});

export const revokeConsumerKey = endpoint({
  name: "revoke_consumer_key",
  method: "DELETE",
  path: one,
  auth: "write",
  summary: "Revoke a key at once; it stays listed as revoked",
});
