/** A consumer whose traffic a guard evaluates, in a gateway of its own with an upstream of its own. */
import type { AdminClient } from "./admin-client.ts";
import type { Json } from "./check-verdict.ts";
import { type Attach, makeConsumer } from "./dataplane.ts";
import { type Draft, makeGuard } from "./guard.ts";
import { until } from "./until.ts";
import { type Script, startUpstream } from "./upstream.ts";

export interface GuardedOptions {
  script?: Script;
  /** Members of the gateway's guard, besides the collector. */
  guard?: Json;
  collector?: Json;
  consumer?: Json;
  attach?: Partial<Attach>;
}

export type GuardedConsumer = Awaited<ReturnType<typeof makeGuardedConsumer>>;

export async function makeGuardedConsumer(
  kit: AdminClient,
  policy: Draft,
  { script, guard = {}, collector = {}, consumer: members = {}, attach }: GuardedOptions = {},
) {
  const upstream = startUpstream(script);
  const { collector: made, policy: saved } = await makeGuard(kit, policy, collector);
  const registry = { provider: "openai", url: upstream.url, ...attach };
  const consumer = await makeConsumer(kit, [registry], members);
  const path = `/v1/gateways/${consumer.gateway.id}`;
  const put = await kit.call("PUT", path, { guard: { collector_id: made.id, ...guard } });
  if (put.status !== 200) throw new Error(await put.text());
  return {
    ...consumer,
    upstream,
    collector: made,
    policy: saved,
    /** The evaluations of a trace, input first. */
    async evaluations(trace_id: string | null): Promise<Json[]> {
      const reply = await kit.call("GET", `/v1/activity?trace_id=${trace_id}`);
      const { items } = (await reply.json()) as { items: Json[] };
      return items.reverse();
    },
    /** The request event of a trace. */
    async event(trace_id: string | null): Promise<Json> {
      let found: Json | undefined;
      await until(async () => {
        const reply = await kit.call("GET", `${path}/requests?trace_id=${trace_id}`);
        [found] = ((await reply.json()) as { items: Json[] }).items;
        return found !== undefined;
      });
      return found ?? {};
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
