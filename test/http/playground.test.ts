/** Playground tokens: valid for one consumer and 10 minutes, only for administrators who may write. */
import { expect, test } from "bun:test";
import { startKit } from "../kit/kit.ts";

test("a playground token replaces the key of its consumer or collector, and of no other one, for 10 minutes", async () => {
  let clock = Date.now();
  await using kit = await startKit({ now: () => new Date(clock) });
  const gateway = await kit.make("/v1/gateways", { name: "g" });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });
  const make = (name: string) =>
    kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
      name,
      registries: [{ id: registry.id }],
    });
  const [one, other] = [await make("one"), await make("other")];
  const { token, expires_at } = await kit.make<{ token: string; expires_at: string }>(
    `${path}/consumers/${one.id}/playground-token`,
    {},
  );
  const chat = (slug: string, headers: Record<string, string> = {}) =>
    fetch(`${kit.url}/${slug}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-ag-playground-token": token, "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hi" }] }),
    });

  expect((await chat(one.slug)).status).toBe(200);
  expect((await chat(other.slug)).status).toBe(401);
  // A wrong key is not replaced by the token.
  expect((await chat(one.slug, { "x-ag-api-key": "ag_wrong" })).status).toBe(401);
  expect((await chat(one.slug, { "x-ag-playground-token": `${token}x` })).status).toBe(401);
  expect(Date.parse(expires_at)).toBe(clock + 600_000);

  const collector = await kit.make("/v1/collectors", { name: "Till" });
  const play = await kit.make<{ token: string }>(
    `/v1/collectors/${collector.id}/playground-token`,
    {},
  );
  const evaluate = async (secret: string) =>
    (
      await kit.post(
        "/v1/evaluate",
        { payload: { input: "x" } },
        { authorization: `Bearer ${secret}` },
      )
    ).status;
  expect([await evaluate(play.token), await evaluate(`${play.token}x`)]).toEqual([200, 401]);
  expect(await evaluate(`play_${token}`)).toBe(401);

  clock += 600_000;
  expect(await evaluate(play.token)).toBe(401);
  const expired = await chat(one.slug);

  expect(expired.status).toBe(401);
  expect(await expired.text()).toContain("playground token");
  const audit = await (await kit.get("/v1/audit?limit=50")).text();
  expect(audit).toContain("playground_token");
  expect(audit).not.toContain(token);
  expect(audit).not.toContain(play.token);
});

test("a token that may only read cannot create a playground token", async () => {
  await using kit = await startKit();
  const gateway = await kit.make("/v1/gateways", { name: "g" });
  const path = `/v1/gateways/${gateway.id}`;
  const consumer = await kit.make(`${path}/consumers`, { name: "c", registries: [] });
  const viewer = await kit.make<{ token: string }>("/v1/tokens", { name: "v", role: "viewer" });

  const reply = await fetch(`${kit.url}${path}/consumers/${consumer.id}/playground-token`, {
    method: "POST",
    headers: { authorization: `Bearer ${viewer.token}` },
  });

  expect(reply.status).toBe(403);
});
