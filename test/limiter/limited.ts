/** Starts a consumer behind a rate limiter, with the calls that tests of limits need. */
import { addConsumer } from "../kit/dataplane.ts";
import type { Kit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

export interface Limits {
  limits: Record<string, { limit: unknown; window: unknown }>;
  actions?: Record<string, unknown>;
  on_store_error?: string;
}

export const entryOf = (
  { actions = { type: "reject" }, ...settings }: Limits,
  { priority = 1, enabled = true } = {},
) => ({
  name: "rate_limiter",
  enabled,
  stage: "pre_request",
  priority,
  settings: { ...settings, actions },
});

let made = 0;

/** The kit must trust proxies on loopback, so that `ip` is the address of the client. */
export const startLimited = (kit: Kit, limits: Limits) => startWithPlugins(kit, [entryOf(limits)]);

export async function startWithPlugins(kit: Kit, required_plugins: object[]) {
  made += 1;
  const upstream = startUpstream({ body: { ok: true } });
  const gateway = await kit.make<{ id: string; slug: string }>("/v1/gateways", {
    name: `Limited ${made}`,
    required_plugins,
  });
  const consumer = await addConsumer(kit, gateway, [{ provider: "openai", url: upstream.url }]);
  const path = `/v1/gateways/${gateway.id}`;
  const ask = (headers: Record<string, string> = {}) =>
    consumer.post("/v1/chat/completions", { model: "m" }, headers);
  return {
    ...consumer,
    upstream,
    path,
    ask,
    from: (ip: string, headers: Record<string, string> = {}) =>
      ask({ "x-forwarded-for": ip, ...headers }),
    /** Returns the statuses of sequential requests. */
    statuses: async (count: number, headers: Record<string, string> = {}) => {
      const found: number[] = [];
      for (let left = count; left > 0; left--) found.push((await ask(headers)).status);
      return found;
    },
    replacePlugins: (next: object[]) => kit.post(`/api${path}`, { required_plugins: next }),
    configure: (next: Limits) => kit.post(`/api${path}`, { required_plugins: [entryOf(next)] }),
    async [Symbol.asyncDispose]() {
      await upstream[Symbol.asyncDispose]();
    },
  };
}

export const rateHeaders = (reply: Response, type: string) =>
  ["Limit", "Remaining", "Reset"].map((name) => {
    const value = reply.headers.get(`X-RateLimit-${type}-${name}`);
    return value === null ? null : Number(value);
  });

/** Returns how many of `count` parallel requests are admitted. */
export async function passing(count: number, ask: (index: number) => Promise<Response>) {
  const replies = await Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
  await Promise.all(replies.map((reply) => reply.arrayBuffer()));
  return replies.filter(({ status }) => status === 200).length;
}
