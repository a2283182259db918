/** A consumer with one registry whose credential is a cloud identity. */
import type { AdminClient } from "./admin-client.ts";
import { makeConsumer } from "./dataplane.ts";

export async function makeCloudRegistry(
  kit: AdminClient,
  registry: { provider: string; provider_options: object; auth: object },
) {
  const consumer = await makeConsumer(kit, []);
  const list = `/v1/gateways/${consumer.gateway.id}/registries`;
  const { id } = await kit.make(list, { name: "cloud", allow_private: true, ...registry });
  await kit.call("PUT", consumer.path, { registries: [{ id }] });
  return {
    ...consumer,
    list,
    registry: `${list}/${id}`,
    chat: () => consumer.post("/v1/chat/completions", { model: "m", messages: [] }),
    test: async () => (await kit.call("POST", `${list}/test-connection`, { id })).json(),
  };
}
