/** A consumer with one registry whose credential is a cloud identity. */
import { makeConsumer } from "./dataplane.ts";
import type { Kit } from "./kit.ts";

export async function makeCloudRegistry(
  kit: Kit,
  registry: { provider: string; provider_options: object; auth: object },
) {
  const consumer = await makeConsumer(kit, []);
  const list = `/v1/gateways/${consumer.gateway.id}/registries`;
  const { id } = await kit.make(list, { name: "cloud", allow_private: true, ...registry });
  await kit.put(consumer.path, { registries: [{ id }] });
  return {
    ...consumer,
    list,
    registry: `${list}/${id}`,
    chat: () => consumer.post("/v1/chat/completions", { model: "m", messages: [] }),
    test: async () => (await kit.post(`${list}/test-connection`, { id })).json(),
  };
}
