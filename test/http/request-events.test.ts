/** Data-plane requests are listed, without their bodies, on both databases. */
import { describe, expect, test } from "bun:test";
import { startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

interface Listed {
  items: Record<string, unknown>[];
  next_cursor: string | null;
}

describe.each(databaseKinds)("%s", (database) => {
  test("a request is recorded with consumer, key, registry, models, sizes, times and tokens", async () => {
    await using kit = await startKit({ database });
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const path = `/v1/gateways/${gateway.id}`;
    const registry = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });
    const consumer = await kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
      name: "c",
      registries: [{ id: registry.id }],
    });
    const key = await kit.make<{ id: string; key: string }>(
      `${path}/consumers/${consumer.id}/keys`,
      { name: "k" },
    );
    const chat = (model: string) =>
      fetch(`${kit.url}/${consumer.slug}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-ag-api-key": key.key, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "a planted prompt" }] }),
      });
    const list = async (query = "") =>
      (await (await kit.get(`${path}/requests${query}`)).json()) as Listed;

    const response = await chat("@demo/demo-chat");
    await response.text();
    await (await chat("bad\u0000name")).text();
    await (await chat("@openai/gpt")).text();
    let events = await list();
    for (let tries = 0; tries < 100 && events.items.length < 3; tries += 1) {
      await Bun.sleep(50);
      events = await list();
    }

    const [refused, odd, good] = events.items;
    expect(good).toMatchObject({
      id: response.headers.get("x-request-id"),
      trace_id: response.headers.get("x-ag-trace-id"),
      consumer_id: consumer.id,
      key_id: key.id,
      registry_id: registry.id,
      provider: "demo",
      endpoint: "chat",
      model_asked: "@demo/demo-chat",
      model_sent: "demo-chat",
      status: 200,
      error_code: null,
      attempts: [{ registry_id: registry.id, status: 200, error: null }],
      request_bytes: expect.any(Number),
      input_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    });
    expect(odd).toMatchObject({ model_asked: "bad\ufffdname" });
    expect(refused).toMatchObject({
      status: 403,
      error_code: "model_not_allowed",
      registry_id: null,
    });
    expect(JSON.stringify(events)).not.toContain("planted");
    const filtered = await list(`?trace_id=${good?.trace_id}`);
    expect(filtered.items.map(({ id }) => id)).toEqual([good?.id]);
    const paged = await list("?limit=2");
    expect((await list(`?limit=2&cursor=${paged.next_cursor}`)).items.map(({ id }) => id)).toEqual([
      good?.id,
    ]);
    expect((await list(`?to=${good?.time}`)).items).toEqual([]);
  });
});
