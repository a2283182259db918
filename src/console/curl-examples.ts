/** A first request to paste: with the address and the key that work. */
import type { Consumer } from "../contract/consumers.ts";
import type { Registry } from "../contract/registries.ts";
import { curlCommand } from "../lib/text/shell-quote.ts";
import { ROOT_URL } from "./api.ts";

/** The consumer's own address, and a model that it may use. */
export function chatCurl(
  consumer: Pick<Consumer, "slug" | "registries">,
  upstreams: readonly Registry[],
  key: string,
): string {
  const model = modelFor(consumer, upstreams);
  const named = model ? `"model": ${JSON.stringify(model)}, ` : "";
  return curlCommand(
    `${new URL(consumer.slug, ROOT_URL).href}/v1/chat/completions`,
    [`X-AG-API-Key: ${key}`, JSON_TYPE],
    `{${named}"messages": [{"role": "user", "content": "Hello!"}]}`,
  );
}

const JSON_TYPE = "Content-Type: application/json";

/** Holds an address, so that a policy which masks such things has something to do. */
export const evaluateCurl = (key: string): string =>
  curlCommand(
    new URL("v1/evaluate", ROOT_URL).href,
    [`Authorization: Bearer ${key}`, JSON_TYPE],
    '{"payload": {"input": "Write to ana@example.com, please."}}',
  );

/** For a token that lives 15 minutes. */
export const tokenCurl = (client_id: string, client_secret: string): string =>
  curlCommand(
    new URL("v1/token", ROOT_URL).href,
    [JSON_TYPE],
    JSON.stringify({ grant_type: "client_credentials", client_id, client_secret }, null, 2),
  );

/** A GET with a bearer token; the path is relative to where the console is served. */
export const bearerCurl = (path: string, token: string): string =>
  curlCommand(new URL(path, ROOT_URL).href, [`Authorization: Bearer ${token}`]);

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
