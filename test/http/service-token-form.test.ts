/** `POST /v1/token` takes the form of OAuth 2.0 (RFC 6749) beside JSON. */
import { expect, test } from "bun:test";
import { makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const FORM = "application/x-www-form-urlencoded";
const grant_type = "client_credentials";

async function serviceClient() {
  const shared = await kit();
  const guard = await makeGuard(shared, {});
  const { id, client_secret } = await shared.make<{ id: string; client_secret: string }>(
    `/v1/collectors/${guard.collector.id}/service-clients`,
    { name: "gateway" },
  );
  const path = `/v1/collectors/${guard.collector.id}/service-clients/${id}`;
  return { guard, client_id: id, client_secret, path };
}

async function post(form: string | Record<string, string>, headers: Record<string, string> = {}) {
  const body = typeof form === "string" ? form : new URLSearchParams(form).toString();
  const request = { method: "POST", body, headers: { "content-type": FORM, ...headers } };
  return await fetch(`${(await kit()).url}/v1/token`, request);
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});

test("credentials in the form, in HTTP Basic and in JSON give a token that evaluates", async () => {
  const { guard, client_id, client_secret } = await serviceClient();

  const replies = [
    await post({ grant_type, client_id, client_secret, scope: "tenant" }),
    await post({ grant_type }, basic(client_id, client_secret)),
    await post(JSON.stringify({ grant_type, client_id, client_secret })),
  ];

  for (const reply of replies) {
    expect([reply.status, reply.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const { access_token, token_type, expires_in } = await reply.json();
    expect({ token_type, expires_in }).toEqual({ token_type: "Bearer", expires_in: 900 });
    const { collector_key } = guard.collector;
    const authorization = `Bearer ${access_token}`;
    expect((await guard.send({ payload: {}, collector_key }, { authorization })).status).toBe(200);
  }
});

test("errors of a form have the shape of OAuth", async () => {
  const { client_id, client_secret, path } = await serviceClient();
  const both = { grant_type, client_id, client_secret };

  const replies = [
    [await post({ ...both, client_secret: "wrong" }), 401, "invalid_client"],
    [await post({ grant_type }, basic(client_id, "wrong")), 401, "invalid_client"],
    [await post({ ...both, grant_type: "password" }), 400, "unsupported_grant_type"],
    [await post({ client_id, client_secret }), 400, "invalid_request"],
    [await post({ grant_type, client_id }), 400, "invalid_request"],
    [await post(both, basic(client_id, client_secret)), 400, "invalid_request"],
    [await post(`${new URLSearchParams(both)}&client_id=${client_id}`), 400, "invalid_request"],
    [await post({ grant_type }, { authorization: "Basic !!!" }), 400, "invalid_request"],
  ] as const;

  for (const [reply, status, error] of replies) {
    const body = await reply.json();
    expect([reply.status, body.error]).toEqual([status, error]);
    expect(body.error_description).toMatch(/^[\x20-\x7e]+$/);
    if (status === 401) expect(reply.headers.get("www-authenticate")).toMatch(/^Basic\b/);
    expect(JSON.stringify(body)).not.toContain(client_secret);
  }
  await (await kit()).delete(path);
  expect((await post(both)).status).toBe(401);
});

test("errors of a JSON body keep the shape of the guard", async () => {
  const shared = await kit();

  const reply = await shared.post("/v1/token", { grant_type, client_id: "a", client_secret: "b" });

  expect(reply.status).toBe(401);
  expect(await reply.json()).toMatchObject({ error: "client_id or client_secret is incorrect." });
});

test("a form of thousands of parameters takes little CPU time", async () => {
  const form = Array.from({ length: 15_000 }, (_, index) => index.toString(36)).join("&");
  const before = process.cpuUsage();

  const reply = await post(form);

  const { user, system } = process.cpuUsage(before);
  expect(reply.status).toBe(400);
  expect((user + system) / 1000).toBeLessThan(500);
});
