/** A consumer whose registries lead to scripted upstreams. */
import type { AdminClient } from "./admin-client.ts";
import { type Attach, makeConsumer } from "./dataplane.ts";
import { type Script, startUpstream } from "./upstream.ts";

/** Starts one upstream for each registry, in the same order. */
export async function startConsumer(
  kit: AdminClient,
  attach: Omit<Attach, "url">[],
  scripts: Script[] = [],
  more: Record<string, unknown> = {},
) {
  const upstreams = attach.map((_, index) => startUpstream(scripts[index] ?? { body: { index } }));
  const given = attach.map((each, index) => ({ ...each, url: upstreams[index]?.url ?? "" }));
  const consumer = await makeConsumer(kit, given, more);
  return {
    ...consumer,
    upstreams,
    hits: () => upstreams.map(({ hits }) => hits.length),
    async [Symbol.asyncDispose]() {
      for (const upstream of upstreams) await upstream[Symbol.asyncDispose]();
    },
  };
}
