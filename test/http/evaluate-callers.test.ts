/** Access of callers to collectors, and isolation of verdicts between them (spec 5). */
import { expect, test } from "bun:test";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { SERVICE_TOKEN_CONTEXT } from "../../src/evaluate/service-token.ts";
import { seal } from "../../src/lib/crypto/seal.ts";
import { makeGuard, type TestGuard } from "../kit/guard.ts";
import { type Kit, OWNER_TOKEN, sharedKit } from "../kit/kit.ts";

const started = sharedKit();
const PAST = "2020-01-01T00:00:00.000Z";

/** A gateway of its own with a collector. */
async function guardedGateway(kit: Kit) {
  const { id: gateway_id } = await kit.make("/v1/gateways", { name: "guarded" });
  return { gateway_id, guard: await makeGuard(kit, {}, { gateway_id }) };
}

async function adminToken(kit: Kit, more: object) {
  const made = await kit.make<{ id: string; token: string }>("/v1/tokens", { name: "t", ...more });
  return { id: made.id, authorization: `Bearer ${made.token}` };
}

async function serviceClient(kit: Kit, collector_id: string) {
  const path = `/v1/collectors/${collector_id}/service-clients`;
  const { id, client_secret } = await kit.make<{ id: string; client_secret: string }>(path, {
    name: "gateway",
  });
  const form = { grant_type: "client_credentials", client_id: id, client_secret };
  return { id, path: `${path}/${id}`, issue: () => kit.post("/v1/token", form) };
}

test("an administrator token evaluates only with write permission", async () => {
  const kit = await started();
  const { guard } = await guardedGateway(kit);
  const { collector_key } = guard.collector;
  const statusAs = async (role: string) => {
    const { authorization } = await adminToken(kit, { role });
    return (await guard.send({ payload: {}, collector_key }, { authorization })).status;
  };

  expect([await statusAs("admin"), await statusAs("viewer")]).toEqual([200, 401]);
});

test("an administrator token that has expired is a 401", async () => {
  const kit = await started();
  const { id, authorization } = await adminToken(kit, { role: "admin" });
  await kit.db.run("UPDATE admin_tokens SET expires_at = $1 WHERE id = $2", PAST, id);
  // With this change the other one is in force too.
  const { guard } = await guardedGateway(kit);
  const { collector_key } = guard.collector;

  expect((await guard.send({ payload: {}, collector_key }, { authorization })).status).toBe(401);
});

test("an administrator token scoped to gateways can use only their collectors", async () => {
  const kit = await started();
  const mine = await guardedGateway(kit);
  const other = await guardedGateway(kit);
  const { authorization } = await adminToken(kit, {
    role: "admin",
    gateway_ids: [mine.gateway_id],
  });
  const statusOf = async (named: object) =>
    (await mine.guard.send({ payload: {}, ...named }, { authorization })).status;

  expect(await statusOf({ gateway_id: mine.gateway_id })).toBe(200);
  expect(await statusOf({ gateway_id: other.gateway_id })).toBe(400);
  expect(await statusOf({ collector_key: other.guard.collector.collector_key })).toBe(400);
});

test("an administrator token scoped to gateways can read only their approvals", async () => {
  const kit = await started();
  const mine = await guardedGateway(kit);
  const { id: gateway_id } = await kit.make("/v1/gateways", { name: "asks" });
  const asks = await makeGuard(kit, { gates: [{ name: "ask", action: "ask" }] }, { gateway_id });
  const { findings } = await asks.evaluate({ payload: { input: "May I?" } });
  const path = `/v1/evaluate/approvals/${findings[0]?.evidence.approval_id}`;
  const statusFor = async (id: string) => {
    const { authorization } = await adminToken(kit, { role: "admin", gateway_ids: [id] });
    return (await kit.call("GET", path, undefined, { authorization })).status;
  };

  expect(await statusFor(gateway_id)).toBe(200);
  expect(await statusFor(mine.gateway_id)).toBe(404);
});

test("a gateway_id that matches several collectors is rejected", async () => {
  const kit = await started();
  const { gateway_id, guard } = await guardedGateway(kit);
  await makeGuard(kit, {}, { gateway_id });
  const { authorization } = await adminToken(kit, { role: "admin" });

  expect((await guard.send({ payload: {}, gateway_id }, { authorization })).status).toBe(400);
});

test("a service token works only for the collector of its client", async () => {
  const kit = await started();
  const { gateway_id, guard } = await guardedGateway(kit);
  const other = await makeGuard(kit, {}, { gateway_id });
  const client = await serviceClient(kit, guard.collector.id);
  const { access_token } = (await (await client.issue()).json()) as { access_token: string };
  const authorization = `Bearer ${access_token}`;
  const statusOf = async (named: object) =>
    (await guard.send({ payload: {}, ...named }, { authorization })).status;

  expect(await statusOf({ gateway_id })).toBe(200);
  expect(await statusOf({ collector_key: other.collector.collector_key })).toBe(400);
});

test("a session cookie is not accepted as a service token", async () => {
  const kit = await started();
  const signedIn = await kit.post("/v1/session", { token: OWNER_TOKEN });
  const [, value = ""] = /=([^;]+)/.exec(signedIn.headers.get("set-cookie") ?? "") ?? [];
  const authorization = `Bearer pt_${Buffer.from(value).toString("base64url")}`;

  expect((await kit.post("/v1/evaluate", {}, { authorization })).status).toBe(401);
});

test("a service token expires, and a revoked client gets none", async () => {
  const kit = await started();
  const { gateway_id, guard } = await guardedGateway(kit);
  const client = await serviceClient(kit, guard.collector.id);
  const ending = async (at: number) => {
    const plain = JSON.stringify({ client_id: client.id, ends: at });
    const sealed = seal(kit.deps.keyring(), SERVICE_TOKEN_CONTEXT, plain);
    const authorization = `Bearer pt_${Buffer.from(sealed).toString("base64url")}`;
    return (await guard.send({ payload: {}, gateway_id }, { authorization })).status;
  };

  expect([await ending(Date.now() + 60_000), await ending(Date.now())]).toEqual([200, 401]);
  await kit.delete(client.path);
  expect((await client.issue()).status).toBe(403);
});

test("with a collector key, gateway_id must be that of its collector", async () => {
  const kit = await started();
  const { gateway_id, guard } = await guardedGateway(kit);
  const other = await guardedGateway(kit);

  expect((await guard.send({ payload: {}, gateway_id })).status).toBe(200);
  expect((await guard.send({ payload: {}, gateway_id: other.gateway_id })).status).toBe(400);
});

test("Idempotency-Keys are separate for each administrator token", async () => {
  const kit = await started();
  const { guard } = await guardedGateway(kit);
  const { collector_key } = guard.collector;
  const evaluated = async () => {
    const { authorization } = await adminToken(kit, { role: "admin" });
    const headers = { authorization, "idempotency-key": "one" };
    return (await (await guard.send({ payload: {}, collector_key }, headers)).json()) as Verdict;
  };

  const first = await evaluated();

  expect((await evaluated()).request_id).not.toBe(first.request_id);
});

test("Idempotency-Keys are separate for each collector and endpoint", async () => {
  const kit = await started();
  const [one, other] = [await makeGuard(kit, {}), await makeGuard(kit, {})];
  const once = { "idempotency-key": "the same" };
  const idOf = async (guard: TestGuard, path = "/v1/evaluate") =>
    ((await (await guard.send({ payload: {} }, once, path)).json()) as Verdict).request_id;

  const first = await idOf(one);

  expect(await idOf(one)).toBe(first);
  expect(await idOf(other)).not.toBe(first);
  expect(await idOf(one, "/v1/guard")).not.toBe(first);
});
