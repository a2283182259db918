/** A first request to paste: with the address and the key that work. */
import type { Consumer } from "../contract/consumers.ts";
import type { Registry } from "../contract/registries.ts";
import { ROOT } from "./api.ts";

/** The consumer's own address, and a model that it may use. */
export function chatCurl(
  consumer: Pick<Consumer, "slug" | "registries">,
  upstreams: readonly Registry[],
  key: string,
): string {
  const model = modelFor(consumer, upstreams);
  const named = model ? `"model": "${model}", ` : "";
  return [
    `curl ${new URL(consumer.slug, ROOT).href}/v1/chat/completions \\`,
    `  -H 'X-AG-API-Key: ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{${named}"messages": [{"role": "user", "content": "Hello!"}]}'`,
  ].join("\n");
}

/** Holds an address, so that a policy which masks such things has something to do. */
export const evaluateCurl = (key: string): string =>
  [
    `curl ${new URL("v1/evaluate", ROOT).href} \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"payload": {"input": "Write to ana@example.com, please."}}'`,
  ].join("\n");

/** For a token that lives 15 minutes. */
export const tokenCurl = (client_id: string, client_secret: string): string =>
  [
    `curl ${new URL("v1/token", ROOT).href} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"grant_type": "client_credentials",`,
    `       "client_id": "${client_id}",`,
    `       "client_secret": "${client_secret}"}'`,
  ].join("\n");

/** Undefined: the consumer has a default, so none need be named. */
function modelFor(
  { registries }: Pick<Consumer, "registries">,
  upstreams: readonly Registry[],
): string | undefined {
  if (registries.some(({ models }) => models.default)) return undefined;
  const allowed = registries.flatMap(({ models }) => models.allowed ?? []);
  const whole = allowed.find((entry) => !entry.includes("*"));
  if (whole) return whole;
  const demo = upstreams.some(
    ({ id, provider }) => provider === "demo" && registries.some((entry) => entry.id === id),
  );
  return demo ? "demo-chat" : "MODEL";
}
