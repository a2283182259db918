/** Wire shapes of consumer keys, which applications send as X-AG-API-Key. */
import type { z } from "zod";
import { KeyInput, keyEndpoints } from "../keys.ts";

export const consumerKeys = keyEndpoints({
  noun: "consumer_key",
  plural: "consumer_keys",
  path: "/v1/gateways/:gateway_id/consumers/:consumer_id/keys",
  owner: "consumer_id",
  secret: "key",
});

export const ConsumerKey = consumerKeys.shown;
export type ConsumerKey = z.infer<typeof ConsumerKey>;
export const NewConsumerKey = consumerKeys.created;
export const ConsumerKeyInput = KeyInput;

export const createConsumerKey = consumerKeys.create;
export const rotateConsumerKey = consumerKeys.rotate;
export const revokeConsumerKey = consumerKeys.revoke;
export const listConsumerKeys = consumerKeys.list;
