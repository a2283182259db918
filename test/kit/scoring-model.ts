/** A model on loopback for detectors of the kind `gateway`: a text "score 0.37" gets the score 0.37, any other text 0. */
import type { AdminClient } from "./admin-client.ts";
import { unique } from "./guard.ts";

export function startScoringModel() {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { messages } = (await request.json()) as { messages: { content: string }[] };
      const mark = /TEXT-[0-9a-f]+/.exec(messages[0]?.content ?? "")?.[0];
      const confidence = Number(/score ([\d.]+)/.exec(messages[1]?.content ?? "")?.[1] ?? 0);
      const content = JSON.stringify({ mark, flagged: confidence > 0, confidence, reason: "odd" });
      return Response.json({ choices: [{ message: { role: "assistant", content } }] });
    },
  });
  return {
    stop: () => server.stop(true),
    /** Returns the settings of a detector that calls the model. */
    async makeSettings(kit: AdminClient) {
      const gateway = await kit.make("/v1/gateways", { name: unique("scores") });
      const registry = await kit.make(`/v1/gateways/${gateway.id}/registries`, {
        name: "scores",
        provider: "openai_compatible",
        provider_options: { base_url: `http://127.0.0.1:${server.port}/v1` },
        allow_private: true,
      });
      return { registry_id: registry.id, model: "scorer", instructions: "Score it." };
    },
  };
}
