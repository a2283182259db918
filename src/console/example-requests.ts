/** Builds curl commands that work when pasted into a shell. */
import type { Consumer } from "../contract/gateway/consumers.ts";
import type { Registry } from "../contract/gateway/registries.ts";
import { curlCommand } from "../lib/text/shell-quote.ts";
import { ROOT_URL } from "./api.ts";

/** Returns a chat completion request with a model that the consumer may use. */
export function chatCurl(
  consumer: Pick<Consumer, "slug" | "registries">,
  upstreams: readonly Registry[],
  key: string,
): string {
  const model = modelFor(consumer, upstreams);
  const modelField = model ? `"model": ${JSON.stringify(model)}, ` : "";
  return curlCommand(
    `${new URL(consumer.slug, ROOT_URL).href}/v1/chat/completions`,
    [`X-AG-API-Key: ${key}`, JSON_TYPE],
    `{${modelField}"messages": [{"role": "user", "content": "Hello!"}]}`,
  );
}

const JSON_TYPE = "Content-Type: application/json";

/** Contains an email address, so that a masking policy has something to mask. */
export const evaluateCurl = (key: string): string =>
  curlCommand(
    new URL("v1/evaluate", ROOT_URL).href,
    [`Authorization: Bearer ${key}`, JSON_TYPE],
    '{"payload": {"input": "Write to ana@example.com, please."}}',
  );

/** Requests a token that is valid for 15 minutes. */
export const tokenCurl = (client_id: string, client_secret: string): string =>
  curlCommand(
    new URL("v1/token", ROOT_URL).href,
    [JSON_TYPE],
    JSON.stringify({ grant_type: "client_credentials", client_id, client_secret }, null, 2),
  );

/** Sends a GET with a bearer token; the path is relative to the API. */
export const bearerCurl = (path: string, token: string): string =>
  curlCommand(new URL(path, ROOT_URL).href, [`Authorization: Bearer ${token}`]);

/** Returns undefined if the consumer has a default model. */
function modelFor(
  { registries }: Pick<Consumer, "registries">,
  upstreams: readonly Registry[],
): string | undefined {
  if (registries.some(({ models }) => models.default)) return undefined;
  const allowed = registries.flatMap(({ models }) => models.allowed ?? []);
  const exact = allowed.find((entry) => !entry.includes("*"));
  if (exact) return exact;
  const demo = upstreams.some(
    ({ id, provider }) => provider === "demo" && registries.some((entry) => entry.id === id),
  );
  return demo ? "demo-chat" : "MODEL";
}
