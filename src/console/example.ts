/** A first request to paste: the consumer's own address, and a model that it may use. */
import type { Consumer } from "../contract/consumers.ts";
import type { Registry } from "../contract/registries.ts";
import { ROOT } from "./api.ts";

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
