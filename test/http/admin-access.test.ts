/** Access to the admin API by token, role and gateway scope. */

import { describe, expect, test } from "bun:test";
import { isAdministrative } from "../../src/contract/endpoint.ts";
import { ROLES } from "../../src/contract/roles.ts";
import { routes } from "../../src/server/http/routes.ts";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";

const clock = createTestClock();
const started = sharedKit({ now: clock.now });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const tokenFor = async (body: object) => {
  const kit = await started();
  return await kit.make<{ id: string; token: string }>("/v1/tokens", { name: "t", ...body });
};

test.each([
  ["no token", ""],
  ["an unknown token", "Bearer pa_unknown"],
  ["a token of another kind", "Basic b3duZXI6eA=="],
])("%s is 401 with the admin error body", async (_, authorization) => {
  const kit = await started();

  const reply = await fetch(`${kit.url}/v1/gateways`, { headers: { authorization } });

  expect(reply.status).toBe(401);
  expect(await reply.json()).toEqual({ error: "unauthorized", message: expect.any(String) });
});

test("a token is accepted with and without the word Bearer", async () => {
  const kit = await started();

  const bare = await fetch(`${kit.url}/v1/gateways`, { headers: { authorization: OWNER_TOKEN } });

  expect(bare.status).toBe(200);
});

test("a new token works immediately, a revoked one stops immediately", async () => {
  const kit = await started();
  const { id, token } = await tokenFor({ role: "viewer" });
  const ask = async () => (await kit.call("GET", "/v1/gateways", undefined, bearer(token))).status;

  const before = await ask();
  await kit.delete(`/v1/tokens/${id}`);

  expect([before, await ask()]).toEqual([200, 401]);
});

test("an expired token is 401", async () => {
  const kit = await started();
  const { token } = await tokenFor({
    role: "viewer",
    expires_at: new Date(clock.now().getTime() + 60_000).toISOString(),
  });
  const status = async () =>
    (await kit.call("GET", "/v1/gateways", undefined, bearer(token))).status;

  const before = await status();
  clock.advance(60_000);

  expect([before, await status()]).toEqual([200, 401]);
});

describe.each([...ROLES])("the role %s", (role) => {
  const may = { owner: "rwao", admin: "rwa", approver: "r", auditor: "ra", viewer: "r" }[role];

  test("has exactly its permissions", async () => {
    const kit = await started();
    const { token } = await tokenFor({ role });
    const status = async (method: string, path: string, body?: unknown) =>
      (await kit.call(method, path, body, bearer(token))).status;

    expect(await status("GET", "/v1/gateways")).toBe(200);
    expect(await status("POST", "/v1/gateways", { name: `by ${role}` })).toBe(
      may.includes("w") ? 201 : 403,
    );
    expect(await status("GET", "/v1/audit")).toBe(may.includes("a") ? 200 : 403);
    expect(await status("GET", "/v1/tokens")).toBe(may.includes("o") ? 200 : 403);
  });
});

test("a gateway-scoped token sees and changes only its gateway", async () => {
  const kit = await started();
  const [mine, other] = [
    await kit.make("/v1/gateways", { name: "mine" }),
    await kit.make("/v1/gateways", { name: "other" }),
  ];
  const { token } = await tokenFor({ role: "admin", gateway_ids: [mine.id] });
  const ask = (method: string, path: string, body?: unknown) =>
    kit.call(method, path, body, bearer(token));

  const listed = (await (await ask("GET", "/v1/gateways")).json()) as { items: { id: string }[] };

  expect(listed.items.map(({ id }) => id)).toEqual([mine.id]);
  expect((await ask("PUT", `/v1/gateways/${mine.id}`, { name: "still mine" })).status).toBe(200);
  expect((await ask("GET", `/v1/gateways/${other.id}`)).status).toBe(403);
  expect((await ask("GET", `/v1/gateways/${other.id}/consumers`)).status).toBe(403);
  expect((await ask("POST", `/api/v1/gateways/${other.id}`, {})).status).toBe(403);
  expect((await ask("POST", "/v1/gateways", { name: "third" })).status).toBe(403);
  expect((await ask("GET", "/v1/audit")).status).toBe(403);
  expect((await ask("GET", `/v1/audit?gateway_id=${mine.id}`)).status).toBe(200);
  expect((await ask("GET", "/v1/tokens")).status).toBe(403);
});

test("a gateway-scoped token cannot access global resources", async () => {
  const kit = await started();
  const mine = await kit.make("/v1/gateways", { name: "mine" });
  const { token } = await tokenFor({ role: "owner", gateway_ids: [mine.id] });
  const ofAll = routes
    .map(({ endpoint }) => endpoint)
    .filter(({ auth, path }) => isAdministrative(auth) && !path.includes(":gateway_id"));
  const allowed: string[] = [];
  for (const { method, path, name } of ofAll) {
    const at = path.replace(/:\w+/g, mine.id);
    const body = method === "GET" ? undefined : {};
    const { status } = await kit.call(method, at, body, bearer(token));
    if (status !== 403) allowed.push(name);
  }

  expect(allowed.sort()).toEqual([
    "list_detector_catalog",
    "list_gateways",
    "list_inbox",
    "list_plugins",
    "list_registry_kinds",
    "sign_out",
    "who_am_i",
  ]);
});

test("an expiring owner token does not count as the remaining owner", async () => {
  await using kit = await startKit();
  const { items } = (await (await kit.get("/v1/tokens")).json()) as { items: { id: string }[] };
  const revoked = async () => (await kit.delete(`/v1/tokens/${items[0]?.id}`)).status;
  const owner = { role: "owner", gateway_ids: null };
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  await kit.make("/v1/tokens", { ...owner, name: "for a minute", expires_at });

  const refused = await revoked();
  await kit.make("/v1/tokens", { ...owner, name: "for good" });

  expect([items.length, refused, await revoked()]).toEqual([1, 409, 204]);
});

test("the last owner token cannot be revoked", async () => {
  const kit = await started();
  const listed = (await (await kit.get("/v1/tokens?q=First")).json()) as {
    items: { id: string }[];
  };
  const { items } = (await (await kit.get("/v1/tokens?limit=200")).json()) as {
    items: { id: string; role: string; state: string }[];
  };
  for (const { id, role, state } of items) {
    if (role === "owner" && state === "active" && id !== listed.items[0]?.id)
      await kit.delete(`/v1/tokens/${id}`);
  }

  const reply = await kit.delete(`/v1/tokens/${listed.items[0]?.id}`);

  expect(reply.status).toBe(409);
  expect(await reply.json()).toMatchObject({ error: "conflict" });
});

test("whoami returns the permissions of the token", async () => {
  const kit = await started();
  const { token } = await tokenFor({ role: "auditor" });

  const reply = await kit.call("GET", "/v1/whoami", undefined, bearer(token));

  expect(await reply.json()).toEqual({
    name: "t",
    role: "auditor",
    gateway_ids: null,
    permissions: ["read", "audit"],
  });
});

test("5.2 every endpoint of the admin API rejects a call without a token", async () => {
  const kit = await started();
  const protectedRoutes = routes.filter(({ endpoint }) => endpoint.auth !== "public");
  const statuses = await Promise.all(
    protectedRoutes.map(async ({ endpoint }) => {
      const path = endpoint.path.replaceAll(/:\w+/g, "0190a000-0000-7000-8000-000000000000");
      const reply = await fetch(`${kit.url}${path}`, { method: endpoint.method });
      return [endpoint.name, reply.status];
    }),
  );

  expect(statuses.filter(([, status]) => status !== 401)).toEqual([]);
  expect(
    routes
      .filter(({ endpoint }) => endpoint.auth === "public")
      .map(({ endpoint }) => endpoint.name),
  ).toEqual(["sign_in", "issue_service_token"]);
});

type AuditItem = {
  action: string;
  summary: string;
  name: string;
  exists: boolean | null;
  at: string;
};

async function listAudit(query: string): Promise<AuditItem[]> {
  const reply = await (await started()).get(`/v1/audit?${query}`);
  return ((await reply.json()) as { items: AuditItem[] }).items;
}

test("the audit log records the actor and the values before and after a change", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "before" });
  await kit.put(`/v1/gateways/${gateway.id}`, { name: "after" });
  const whileItExists = await listAudit(`resource_id=${gateway.id}`);
  await kit.delete(`/v1/gateways/${gateway.id}`);

  const items = await listAudit(`resource=gateway&resource_id=${gateway.id}`);

  expect(items.map(({ action, summary, name, exists }) => [action, summary, name, exists])).toEqual(
    [
      ["gateway.delete", "First owner deleted the gateway after.", "after", false],
      [
        "gateway.update",
        'First owner changed the gateway after: name from "before" to "after".',
        "after",
        false,
      ],
      ["gateway.create", "First owner created the gateway before.", "before", false],
    ],
  );
  expect(whileItExists.map(({ exists }) => exists)).toEqual([true, true]);
  expect(items[1]).toMatchObject({
    actor: "First owner",
    before: { name: "before", version: 1 },
    after: { name: "after", version: 2 },
    request_id: expect.any(String),
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});

test("the audit log is filtered by name, actor and time, and exported with the same filters", async () => {
  const kit = await started();
  const { token } = await tokenFor({ role: "owner", name: "=Ada" });
  const make = (name: string) => kit.call("POST", "/v1/policies", { name }, bearer(token));
  await make("Payroll, first");
  await make("Payroll second");
  const [second, first] = await listAudit("q=pAyroll");
  const read = async (query: string) => (await kit.get(`/v1/audit/export?${query}`)).text();

  expect([second?.summary, first?.summary]).toEqual([
    "=Ada created the policy Payroll second: version 1.",
    "=Ada created the policy Payroll, first: version 1.",
  ]);
  expect(await listAudit(`q=payroll&to=${first?.at}`)).toEqual([]);
  expect(await listAudit(`q=payroll&from=${first?.at}&actor=Bob`)).toEqual([]);
  expect((await listAudit("actor=%3DAda")).length).toBe(2);
  expect(await (await kit.get("/v1/audit/actors?q=ada")).json()).toEqual({ items: ["=Ada"] });
  const lines = (await read("q=payroll")).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line).name)).toEqual(["Payroll, first", "Payroll second"]);
  const csv = (await read("q=payroll+second&format=csv")).trim().split("\r\n");
  expect(csv[0]).toStartWith("id,at,actor,");
  expect(csv).toHaveLength(2);
  // A spreadsheet would run a cell that begins with "=".
  expect(csv[1]).toContain(",'=Ada,");
});

test("an owner limited to some gateways cannot create a token for all", async () => {
  const kit = await started();
  const mine = await kit.make("/v1/gateways", { name: "mine" });
  const { token } = await tokenFor({ role: "owner", gateway_ids: [mine.id] });

  const made = await kit.post("/v1/tokens", { name: "all", role: "owner" }, bearer(token));

  expect(made.status).toBe(403);
});

test("the last use of a token is recorded", async () => {
  const kit = await started();
  const { id, token } = await tokenFor({ role: "viewer" });
  const idle = await tokenFor({ role: "viewer" });
  const lastUse = async (of: string) =>
    ((await (await kit.get(`/v1/tokens/${of}`)).json()) as { last_used_at: string | null })
      .last_used_at;
  await kit.call("GET", "/v1/gateways", undefined, bearer(token));

  await until(async () => (await lastUse(id)) !== null);

  expect(await lastUse(id)).toMatch(/^\d{4}-/);
  expect(await lastUse(idle.id)).toBeNull();
});
