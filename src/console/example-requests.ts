/** Example requests that work with a new key, for the dialogs that show it. */
import type { Consumer } from "../contract/gateway/consumers.ts";
import type { Registry } from "../contract/gateway/registries.ts";
import { ROOT_URL } from "./api.ts";
import type { ClientRequest, HttpRequest } from "./snippets.ts";

/** Returns a chat completion request with a model that the consumer may use. */
export const chatRequest = (
  consumer: Pick<Consumer, "slug" | "registries">,
  upstreams: readonly Registry[],
  key: string,
): ClientRequest => ({
  slug: consumer.slug,
  path: "/v1/chat/completions",
  method: "chat.completions.create",
  json: {
    model: modelFor(consumer, upstreams),
    messages: [{ role: "user", content: "Hello!" }],
  },
  key,
});

/** Contains a card, so that a masking policy has something to mask. */
export const evaluateRequest = (key: string): HttpRequest => ({
  url: new URL("v1/evaluate", ROOT_URL).href,
  headers: { Authorization: `Bearer ${key}` },
  json: { payload: { input: "My card is 4111 1111 1111 1111." } },
});

/** Requests a token that is valid for 15 minutes. */
export const tokenRequest = (client_id: string, client_secret: string): HttpRequest => ({
  url: new URL("v1/token", ROOT_URL).href,
  headers: {},
  json: { grant_type: "client_credentials", client_id, client_secret },
});

/** Sends a GET with a bearer token; the path is relative to the API. */
export const bearerRequest = (path: string, token: string): HttpRequest => ({
  url: new URL(path, ROOT_URL).href,
  headers: { Authorization: `Bearer ${token}` },
});

function modelFor(
  { registries }: Pick<Consumer, "registries">,
  upstreams: readonly Registry[],
): string {
  const preset = registries.find(({ models }) => models.default)?.models.default;
  if (preset) return preset;
  const allowed = registries.flatMap(({ models }) => models.allowed ?? []);
  const exact = allowed.find((entry) => !entry.includes("*"));
  if (exact) return exact;
  const demo = upstreams.some(
    ({ id, provider }) => provider === "demo" && registries.some((entry) => entry.id === id),
  );
  return demo ? "demo-chat" : "MODEL";
}
