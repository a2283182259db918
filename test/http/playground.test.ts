/** Playground tokens: valid for one consumer and 10 minutes, only for administrators who may write. */
import { expect, test } from "bun:test";
import { sharedKit, startKit } from "../kit/kit.ts";

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

const kit = sharedKit();

/** Creates a token and returns the headers of a session of it. */
async function signIn(role: "owner" | "admin"): Promise<{ id: string; cookie: string }> {
  const { make, post } = await kit();
  const { id, token } = await make<{ id: string; token: string }>("/v1/tokens", {
    name: `Play ${role}`,
    role,
  });
  const reply = await post("/v1/session", { token });
  return { id, cookie: reply.headers.get("set-cookie")?.split(";")[0] ?? "" };
}

test("a playground token ends with the token or the console session that created it", async () => {
  const { url, make, post } = await kit();
  const gateway = await make("/v1/gateways", { name: "ends" });
  const path = `/v1/gateways/${gateway.id}`;
  const consumer = await make<{ id: string; slug: string }>(`${path}/consumers`, { name: "ends" });
  const collector = await make("/v1/collectors", { name: "ends" });
  const creators = [`${path}/consumers/${consumer.id}`, `/v1/collectors/${collector.id}`];
  const create = async (cookie: string) => {
    const headers = { cookie, "x-portcullis-csrf": "1", authorization: "" };
    const replies = creators.map((of) => post(`${of}/playground-token`, undefined, headers));
    const made = await Promise.all(replies);
    return await Promise.all(made.map(async (reply) => (await reply.json()).token as string));
  };
  const use = async ([ofConsumer, ofCollector]: string[]) => {
    const models = await fetch(`${url}/${consumer.slug}/v1/models`, {
      headers: { "x-ag-playground-token": ofConsumer ?? "" },
    });
    const authorization = `Bearer ${ofCollector}`;
    const verdict = await post("/v1/evaluate", { payload: { input: "x" } }, { authorization });
    return [models.status, verdict.status];
  };
  const [first, second] = [await signIn("owner"), await signIn("admin")];
  const [ofFirst, ofSecond] = [await create(first.cookie), await create(second.cookie)];
  expect([await use(ofFirst), await use(ofSecond)]).toEqual([
    [200, 200],
    [200, 200],
  ]);

  const headers = { cookie: first.cookie, "x-portcullis-csrf": "1" };
  await fetch(`${url}/v1/session`, { method: "DELETE", headers });

  expect([await use(ofFirst), await use(ofSecond)]).toEqual([
    [401, 401],
    [200, 200],
  ]);
  await (await kit()).delete(`/v1/tokens/${second.id}`);
  expect(await use(ofSecond)).toEqual([401, 401]);
});

test("a token that may only read cannot create a playground token", async () => {
  const { url, make } = await kit();
  const gateway = await make("/v1/gateways", { name: "g" });
  const path = `/v1/gateways/${gateway.id}`;
  const consumer = await make(`${path}/consumers`, { name: "c", registries: [] });
  const viewer = await make<{ token: string }>("/v1/tokens", { name: "v", role: "viewer" });

  const reply = await fetch(`${url}${path}/consumers/${consumer.id}/playground-token`, {
    method: "POST",
    headers: { authorization: `Bearer ${viewer.token}` },
  });

  expect(reply.status).toBe(403);
});
