/** A gateway with a consumer, a key and registries that lead to given upstreams, made by the admin API. */
import type { AdminClient } from "./admin-client.ts";

export interface Attach {
  provider: string;
  /** Base URL of the upstream, including the version. */
  url: string;
  name?: string;
  options?: Record<string, unknown>;
  capabilities?: string[];
  enabled?: boolean;
  weight?: number;
  models?: { allowed?: string[]; default?: string; map?: Record<string, string> };
}

export type Consumer = Awaited<ReturnType<typeof makeConsumer>>;

let made = 0;

export const UPSTREAM_KEY = "sk-upstream-secret-of-the-registry";

export async function makeConsumer(
  kit: AdminClient,
  attach: Attach[],
  more: Record<string, unknown> = {},
) {
  made += 1;
  const gateway = await kit.make<{ id: string; slug: string }>("/v1/gateways", {
    name: `Gateway ${made}`,
  });
  return await addConsumer(kit, gateway, attach, more);
}

export async function addConsumer(
  kit: AdminClient,
  gateway: { id: string; slug: string },
  attach: Attach[],
  more: Record<string, unknown> = {},
) {
  made += 1;
  const base = `/v1/gateways/${gateway.id}`;
  const registries: { id: string; name: string }[] = [];
  for (const [index, given] of attach.entries()) {
    registries.push(
      await kit.make(`${base}/registries`, {
        name: given.name ?? `${given.provider} ${made}.${index}`,
        provider: given.provider,
        provider_options: { ...addressOf(given), ...given.options },
        auth: given.provider === "demo" ? null : { type: "api_key", api_key: UPSTREAM_KEY },
        allow_private: true,
        ...(given.capabilities && { capabilities: given.capabilities }),
        ...(given.enabled !== undefined && { enabled: given.enabled }),
      }),
    );
  }
  const consumer = await kit.make<{ id: string; slug: string }>(`${base}/consumers`, {
    name: `Consumer ${made}`,
    registries: registries.map(({ id }, index) => ({
      id,
      weight: attach[index]?.weight ?? 1,
      models: attach[index]?.models ?? {},
    })),
    ...more,
  });
  const { id: key_id, key } = await kit.make<{ id: string; key: string }>(
    `${base}/consumers/${consumer.id}/keys`,
    { name: "test" },
  );
  const url = `${kit.url}/${consumer.slug}`;
  /** A call with the consumer's key; an object body goes as JSON. */
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { "x-ag-api-key": key, ...init.headers } });
  return {
    gateway,
    id: consumer.id,
    slug: consumer.slug,
    path: `${base}/consumers/${consumer.id}`,
    url,
    key,
    key_id,
    registries,
    call,
    get: (path: string, headers: Record<string, string> = {}) => call(path, { headers }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      call(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    /** A form with fixed bytes, so that what arrives can be compared to the byte. */
    form: (path: string, parts: FormPart[], headers: Record<string, string> = {}) =>
      call(path, {
        method: "POST",
        headers: { "content-type": FORM_TYPE, ...headers },
        body: formBytes(parts),
      }),
  };
}

function addressOf({ provider, url }: Attach): Record<string, unknown> {
  if (provider === "demo") return {};
  return provider === "azure" ? { endpoint: url } : { base_url: url };
}

export type FormPart = [name: string, value: string] | [name: string, value: string, file: string];

export const FORM_TYPE = "multipart/form-data; boundary=----test-Boundary_7";

export function formBytes(parts: FormPart[]): Buffer<ArrayBuffer> {
  const text = parts.map(([name, value, file]) => {
    const named = file === undefined ? "" : `; filename="${file}"\r\nContent-Type: text/plain`;
    return `------test-Boundary_7\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n${value}\r\n`;
  });
  return Buffer.from(`${text.join("")}------test-Boundary_7--\r\n`);
}
