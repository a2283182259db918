/** Installing or requesting a Store server for a principal (spec 4.1). Row numbers refer to the tables below. */
import { describe, expect, test } from "bun:test";
import { sharedKit, startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { type Store, startStore } from "../kit/store.ts";

type Setup = (store: Store) => Promise<unknown>;
interface Expected {
  status: string;
  flags?: string[];
  inst?: string;
  choices?: string;
  /** Rows that the call creates. */
  makes?: Partial<Awaited<ReturnType<Store["counts"]>>>;
}

const nothing: Setup = async () => {};
const instance =
  (code: string, more: Record<string, unknown> = {}): Setup =>
  (store) =>
    store.instance(code, "A", more);
const two =
  (code: string, second: Record<string, unknown> = {}): Setup =>
  async (store) => {
    await store.instance(code, "A");
    await store.instance(code, "B", second);
  };
const all =
  (...steps: Setup[]): Setup =>
  async (store) => {
    for (const step of steps) await step(store);
  };
const post =
  (body: Record<string, unknown>): Setup =>
  (store) =>
    store.install(named(store, body));
const level =
  (to: "none" | "request" | "install"): Setup =>
  (store) =>
    store.level(to);
const forwarded = { auth: { type: "forwarded" } };
const principalKey = { auth: { type: "principal_key" } };
const tenant = { options: { fields: [{ key: "X-Tenant", in: "header" }] } };
/** Instances are named A and B in the table. */
const named = (store: Store, body: Record<string, unknown>) =>
  body.instance_id ? { ...body, instance_id: store.id(String(body.instance_id)) } : body;

const INSTALLED = { status: "installed" };
const ONE = { makes: { installs: 1 } };
const ASKS = { status: "not_installed", flags: ["requires_reason"] };
const PENDING = { status: "pending_approval", flags: ["pending"] };
const FILED = { makes: { requests: 1 } };

const ROWS: [row: number, given: Setup, body: Record<string, unknown>, expectedBody: Expected][] = [
  [
    17,
    nothing,
    { code: "pub" },
    { ...INSTALLED, inst: "new", makes: { installs: 1, instances: 1 } },
  ],
  [
    18,
    nothing,
    { code: "oauth" },
    { ...INSTALLED, inst: "new", flags: ["requires_auth"], makes: { installs: 1, instances: 1 } },
  ],
  [19, instance("pub"), { code: "pub" }, { ...INSTALLED, ...ONE, inst: "A" }],
  [20, instance("pub"), { code: "pub", reason: "because" }, { ...INSTALLED, ...ONE, inst: "A" }],
  [
    21,
    all(instance("oauth", forwarded), (store) => store.connect("A")),
    { code: "oauth" },
    { ...INSTALLED, ...ONE, inst: "A" },
  ],
  [
    22,
    instance("oauth", forwarded),
    { code: "oauth" },
    { ...INSTALLED, ...ONE, inst: "A", flags: ["requires_auth"] },
  ],
  [
    23,
    all(instance("oauth", forwarded), (store) =>
      store.connect("A", { expires_at: "2020-01-01T00:00:00Z" }),
    ),
    { code: "oauth" },
    { ...INSTALLED, ...ONE, inst: "A", flags: ["requires_auth"] },
  ],
  [
    23,
    all(instance("oauth", forwarded), (store) =>
      store.connect("A", { access_token: "sealed:v2:gone:AAAA" }),
    ),
    { code: "oauth" },
    { ...INSTALLED, ...ONE, inst: "A", flags: ["requires_auth"] },
  ],
  [
    24,
    instance("key", { auth: { type: "header", value: "Bearer shared" } }),
    { code: "key" },
    { ...INSTALLED, ...ONE, inst: "A" },
  ],
  [
    25,
    instance("key", principalKey),
    { code: "key" },
    { ...INSTALLED, ...ONE, inst: "A", flags: ["requires_config"] },
  ],
  [
    26,
    instance("oauth", { ...forwarded, ...tenant }),
    { code: "oauth" },
    { ...INSTALLED, ...ONE, inst: "A", flags: ["requires_config", "requires_auth"] },
  ],
  [27, nothing, { code: "mail" }, { status: "not_installed", flags: ["requires_admin_setup"] }],
  [
    28,
    nothing,
    { code: "mail", reason: "x" },
    { status: "not_installed", flags: ["requires_admin_setup"] },
  ],
  [
    29,
    two("key"),
    { code: "key" },
    { status: "not_installed", flags: ["requires_instance_choice"], choices: "A,B" },
  ],
  [30, two("key"), { code: "key", instance_id: "B" }, { ...INSTALLED, ...ONE, inst: "B" }],
  [31, two("key", { enabled: false }), { code: "key" }, { ...INSTALLED, ...ONE, inst: "A" }],
  [
    35,
    all(instance("pub"), post({ code: "pub" })),
    { code: "pub" },
    { ...INSTALLED, flags: ["already_installed"], inst: "A" },
  ],
  [
    36,
    all(instance("oauth", forwarded), post({ code: "oauth" })),
    { code: "oauth" },
    { ...INSTALLED, flags: ["already_installed", "requires_auth"], inst: "A" },
  ],
  [
    37,
    all(two("key"), post({ code: "key", instance_id: "A" })),
    { code: "key" },
    { ...INSTALLED, flags: ["already_installed"], inst: "A" },
  ],
  [
    38,
    all(two("key"), post({ code: "key", instance_id: "A" })),
    { code: "key", instance_id: "B" },
    { ...INSTALLED, ...ONE, inst: "B" },
  ],
  [
    39,
    all(instance("pub"), post({ code: "pub" }), level("request")),
    { code: "pub" },
    { ...INSTALLED, flags: ["already_installed"], inst: "A" },
  ],
  [
    40,
    all(instance("pub"), post({ code: "pub", principal_sub: "bo" })),
    { code: "pub" },
    { ...INSTALLED, ...ONE, inst: "A" },
  ],
  [41, all(instance("pub"), level("request")), { code: "pub" }, { ...ASKS, inst: "A" }],
  [
    42,
    all(instance("pub"), level("request")),
    { code: "pub", reason: "   " },
    { ...ASKS, inst: "A" },
  ],
  [
    43,
    all(instance("pub"), level("request")),
    { code: "pub", reason: "triage" },
    { ...PENDING, ...FILED, inst: "A" },
  ],
  [
    44,
    all(instance("pub"), level("request"), post({ code: "pub", reason: "triage" })),
    { code: "pub" },
    { ...PENDING, inst: "A" },
  ],
  [
    45,
    all(instance("pub"), level("request"), post({ code: "pub", reason: "triage" })),
    { code: "pub", reason: "release" },
    { ...PENDING, inst: "A" },
  ],
  [46, all(two("key"), level("request")), { code: "key" }, { ...ASKS, choices: "A,B" }],
  [
    47,
    all(two("key"), level("request")),
    { code: "key", reason: "r" },
    { ...PENDING, ...FILED, choices: "A,B" },
  ],
  [
    48,
    all(two("key"), level("request")),
    { code: "key", instance_id: "B", reason: "r" },
    { ...PENDING, ...FILED, inst: "B" },
  ],
  [
    49,
    level("request"),
    { code: "mail" },
    { ...ASKS, flags: ["requires_admin_setup", "requires_reason"] },
  ],
  [
    50,
    level("request"),
    { code: "mail", reason: "r" },
    { ...PENDING, ...FILED, flags: ["pending", "requires_admin_setup"] },
  ],
  [51, level("request"), { code: "pub", reason: "r" }, { ...PENDING, ...FILED }],
  [
    56,
    all(instance("pub"), level("request"), (store) => store.rule("group:eng", "install")),
    { code: "pub", groups: ["eng"] },
    { ...INSTALLED, ...ONE, inst: "A" },
  ],
  [
    57,
    all(instance("pub"), level("request"), (store) => store.rule("group:eng", "install")),
    { code: "pub", groups: ["sales"] },
    { ...ASKS, inst: "A" },
  ],
  [
    58,
    all(instance("pub"), level("request")),
    { code: "pub", principal_sub: "never-seen" },
    { ...ASKS, inst: "A" },
  ],
  [59, instance("pub"), { code: "pub", foo: 1 }, { ...INSTALLED, ...ONE, inst: "A" }],
  // A response has "" for an undecided instance; a client may send it back.
  [19, instance("pub"), { code: "pub", instance_id: "" }, { ...INSTALLED, ...ONE, inst: "A" }],
];

const REFUSED: [row: number, given: Setup, body: Record<string, unknown>, expectedBody: string][] =
  [
    [6, nothing, {}, "422 validation_failed"],
    [6, nothing, { code: " " }, "422 validation_failed"],
    [7, nothing, { code: "pub", principal_sub: "" }, "422 validation_failed"],
    [7, nothing, { code: "pub", principal_sub: " " }, "422 validation_failed"],
    [7, nothing, { code: "pub", principal_sub: "al\ud800ce" }, "422 validation_failed"],
    [8, nothing, { code: "pub", groups: ["\udc00"] }, "422 validation_failed"],
    [10, level("request"), { code: "pub", reason: "\ud800" }, "422 validation_failed"],
    [8, nothing, { code: "pub", groups: "eng" }, "422 validation_failed"],
    [8, nothing, { code: "pub", groups: [7] }, "422 validation_failed"],
    [9, nothing, { code: "pub", instance_id: "x" }, "422 validation_failed"],
    [10, nothing, { code: "pub", reason: "a".repeat(1001) }, "422 validation_failed"],
    [11, nothing, { code: "nope" }, "404 not_found"],
    [12, nothing, { code: "old" }, "404 not_found"],
    [13, all(instance("pub"), level("none")), { code: "pub" }, "409 conflict"],
    [14, all(instance("pub"), level("none")), { code: "pub", reason: "need it" }, "409 conflict"],
    [
      15,
      all(instance("pub"), post({ code: "pub" }), level("none")),
      { code: "pub" },
      "409 conflict",
    ],
    [16, level("none"), { code: "nope" }, "404 not_found"],
    [32, instance("key"), { code: "key", instance_id: crypto.randomUUID() }, "404 not_found"],
    [
      33,
      all(instance("key"), (store) => store.instance("pub", "B")),
      { code: "key", instance_id: "B" },
      "422 validation_failed",
    ],
    [
      34,
      two("key", { enabled: false }),
      { code: "key", instance_id: "B" },
      "422 validation_failed",
    ],
  ];

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  const fresh = async () => startStore(await started());

  test.each(ROWS)("row %i: every member of the response, and the created rows", async (...row) => {
    const [, given, body, { status, flags = [], inst = "", choices = "", makes = {} }] = row;
    const store = await fresh();
    await given(store);
    const before = await store.counts();

    const reply = await store.install(named(store, body));
    const expectedBody = (await reply.json()) as Record<string, unknown>;
    const after = await store.counts();

    expect(reply.status).toBe(200);
    expectedBody.instance_id = store.nameOf(String(expectedBody.instance_id));
    expect(expectedBody).toEqual({
      already_installed: flags.includes("already_installed"),
      code: body.code,
      instance_choices: choices
        .split(",")
        .filter(Boolean)
        .map((name) => ({ name: `${name} ${body.code}`, registry_id: store.id(name) })),
      instance_id: inst,
      name: `Server ${body.code}`,
      pending: flags.includes("pending"),
      requires_admin_setup: flags.includes("requires_admin_setup"),
      requires_auth: flags.includes("requires_auth"),
      requires_config: flags.includes("requires_config"),
      requires_instance_choice: flags.includes("requires_instance_choice"),
      requires_reason: flags.includes("requires_reason"),
      status,
    });
    expect(after).toEqual({
      instances: before.instances + (makes.instances ?? 0),
      installs: before.installs + (makes.installs ?? 0),
      requests: before.requests + (makes.requests ?? 0),
    });
  });

  test.each(REFUSED)("row %i is rejected, and nothing is stored", async (...row) => {
    const [, given, body, expectedBody] = row;
    const store = await fresh();
    await given(store);
    const before = await store.counts();

    const reply = await store.install(named(store, body));
    const { error, message } = (await reply.json()) as { error: string; message: string };

    expect(`${reply.status} ${error}`).toBe(expectedBody);
    expect(message.length).toBeGreaterThan(10);
    expect(await store.counts()).toEqual(before);
  });

  test.each([
    ["no Authorization header", {}, 401],
    ["an unknown token", { authorization: "Bearer pa_nope" }, 401],
    ["a token of another purpose", { authorization: "Bearer ag_nope" }, 401],
  ])("%s is a 401", async (_, headers, status) => {
    const store = await fresh();
    const kit = await started();

    const reply = await fetch(`${kit.url}${store.installs}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
      body: JSON.stringify({ code: "pub", principal_sub: "alice" }),
    });

    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error: "unauthorized" });
  });

  test.each([
    ["an invalid UUID", "nope", 422, "validation_failed"],
    ["an unknown id", crypto.randomUUID(), 404, "not_found"],
  ])("a gateway with %s is an error", async (_, id, status, error) => {
    const kit = await started();

    const reply = await kit.post(`/v1/gateways/${id}/store/principal/installs`, {
      code: "pub",
      principal_sub: "alice",
    });

    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ error });
  });

  test.each(["[]", "{", '"pub"', "null"])("the body %s is a 422", async (body) => {
    const store = await fresh();

    const reply = await (await started()).post(store.installs, body);

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ error: "validation_failed" });
  });

  test("the token is checked first, then the path, the gateway and the body", async () => {
    const kit = await started();
    const noToken = { authorization: "" };
    const post = async (id: string, headers: Record<string, string> = {}) =>
      (await kit.post(`/v1/gateways/${id}/store/principal/installs`, "[]", headers)).status;

    expect(await post("nope", noToken)).toBe(401);
    expect(await post("nope")).toBe(422);
    expect(await post(crypto.randomUUID())).toBe(404);
  });

  test("a token of another gateway is refused", async () => {
    const store = await fresh();
    const kit = await started();
    const other = await kit.make("/v1/gateways", { name: "other" });
    const { token } = await kit.make<{ token: string }>("/v1/tokens", {
      name: "t",
      role: "admin",
      gateway_ids: [other.id],
    });

    const reply = await kit.post(
      store.installs,
      { code: "pub", principal_sub: "alice" },
      { authorization: `Bearer ${token}` },
    );

    expect(reply.status).toBe(403);
  });

  test("4.1.1 the access level of this moment applies, not that of an earlier call", async () => {
    const store = await fresh();
    await store.instance("pub");
    const statuses: number[] = [];

    statuses.push((await store.install({ code: "pub" })).status);
    await store.rule("user:alice", "none");
    statuses.push((await store.install({ code: "pub" })).status);

    expect(statuses).toEqual([200, 409]);
  });

  test("4.1.2 what is allowed happens at once, anything else becomes a request", async () => {
    const store = await fresh();
    await store.instance("pub");
    await store.rule("user:bo", "request");

    await store.install({ code: "pub", reason: "mine" });
    await store.install({ code: "pub", reason: "please", principal_sub: "bo" });

    expect(await store.installed()).toMatchObject([{ principal_sub: "alice", state: "active" }]);
    expect(await store.requests()).toMatchObject([{ principal_sub: "bo", state: "pending" }]);
  });

  test("4.1.3 access level none is a 409 with the admin error body", async () => {
    const store = await fresh();
    await store.level("none");

    const reply = await store.install({ code: "pub" });

    expect(reply.status).toBe(409);
    expect(await reply.json()).toEqual({
      error: "conflict",
      message: "The principal's access level for this server is none.",
    });
  });

  test("4.1.4 a caller without direct access must give a reason and is not rejected", async () => {
    const store = await fresh();
    await store.level("request");

    const reply = await store.install({ code: "pub" });

    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ requires_reason: true, pending: false });
    expect(await store.requests()).toEqual([]);
  });

  test("4.1.5 a reason is kept only on a request that an approver must decide", async () => {
    const store = await fresh();
    await store.instance("pub");
    await store.rule("user:bo", "request");

    await store.install({ code: "pub", reason: "kept-nowhere" });
    await store.install({ code: "pub", reason: "  for the approver ", principal_sub: "bo" });
    const kept = await store.requests();
    await store.rule("user:bo", "install", "code:pub");
    await store.install({ code: "pub", reason: "kept-nowhere", principal_sub: "bo" });
    const dump = JSON.stringify(await (await started()).db.many("SELECT * FROM store_requests"));
    const log = JSON.stringify(await store.audit("store_request"));

    expect(kept).toMatchObject([{ reason: "for the approver" }]);
    expect(await store.requests("?state=superseded")).toMatchObject([{ reason: null }]);
    expect(dump).not.toContain("kept-nowhere");
    expect(log).not.toContain("for the approver");
  });

  test("an instance chosen in a second call is kept on the pending request", async () => {
    const store = await fresh();
    await store.level("request");
    const { id: a } = await store.instance("key", "A");
    const { id: b } = await store.instance("key", "B");
    await store.install({ code: "key", reason: "r" });

    const chosen = await (await store.install({ code: "key", instance_id: b })).json();
    expect(chosen).toMatchObject({ status: "pending_approval", pending: true, instance_id: b });
    expect(await store.requests()).toMatchObject([{ instance_id: b, reason: "r" }]);

    // Another instance is another request, which needs a reason of its own.
    const other = await (await store.install({ code: "key", instance_id: a })).json();
    expect(other).toMatchObject({ requires_reason: true, pending: false });
    // A call that names none changes nothing.
    await store.install({ code: "key" });
    expect(await store.requests()).toMatchObject([{ instance_id: b, reason: "r" }]);
    expect((await store.audit("store_request")).map(({ action }) => action)).toEqual([
      "store_request.update",
      "store_request.create",
    ]);
  });

  test("another reason replaces the one before", async () => {
    const store = await fresh();
    await store.level("request");

    await store.install({ code: "pub", reason: "triage" });
    await store.install({ code: "pub", reason: "release" });
    const audit = await store.audit("store_request");

    expect(await store.requests()).toMatchObject([{ reason: "release" }]);
    expect(audit.map(({ action }) => action)).toEqual([
      "store_request.update",
      "store_request.create",
    ]);
  });

  test("a reason of 1,000 characters is taken, however many bytes they are", async () => {
    const store = await fresh();
    await store.level("request");
    const reason = "🚪".repeat(1000);

    const fits = await store.install({ code: "pub", reason });
    const beyond = await store.install({ code: "pub", reason: `${reason}!` });

    expect([fits.status, beyond.status]).toEqual([200, 422]);
    expect(await store.requests()).toMatchObject([{ reason }]);
  });

  test("of equal calls at once, one makes the install", async () => {
    const store = await fresh();
    const calls = Array.from({ length: 12 }, () => store.install({ code: "pub" }));

    const bodies = await Promise.all(calls.map(async (call) => (await call).json()));
    const already = bodies.filter(
      (expectedBody) => (expectedBody as { already_installed: boolean }).already_installed,
    );

    expect(already.length).toBe(11);
    expect(await store.counts()).toEqual({ instances: 1, installs: 1, requests: 0 });
  });

  test("of equal requests at once, one is filed", async () => {
    const store = await fresh();
    await store.level("request");

    await Promise.all(
      Array.from({ length: 12 }, () => store.install({ code: "pub", reason: "r" })),
    );

    expect(await store.counts()).toEqual({ instances: 0, installs: 0, requests: 1 });
  });

  test("two principals at once share one new instance", async () => {
    const store = await fresh();

    await Promise.all(
      ["a", "b", "c", "d"].map((principal_sub) => store.install({ code: "pub", principal_sub })),
    );

    expect(await store.counts()).toEqual({ instances: 1, installs: 4, requests: 0 });
  });

  test("every outcome that changes or refuses something is in the audit log, with its rule", async () => {
    const store = await fresh();
    const rule = await store.rule("user:eve", "none");
    await store.install({ code: "pub" });
    await store.install({ code: "mail" });
    await store.install({ code: "pub", principal_sub: "eve" });

    const audit = await store.audit("store_install");

    expect(audit.map(({ action }) => action)).toEqual([
      "store_install.deny",
      "store_install.block",
      "store_install.create",
    ]);
    expect(audit[0]?.after).toMatchObject({
      principal_sub: "eve",
      level: "none",
      rule_id: rule.id,
    });
    expect(audit[2]?.after).toMatchObject({ level: "install", rule_id: null });
  });

  test("a refusal is not remembered by its Idempotency-Key", async () => {
    const store = await fresh();
    const kit = await started();
    await store.level("none");
    const body = { code: "pub", principal_sub: "alice" };
    const key = { "idempotency-key": crypto.randomUUID() };

    const refused = await kit.post(store.installs, body, key);
    await store.level("install");
    const granted = await kit.post(store.installs, body, key);

    expect([refused.status, granted.status]).toEqual([409, 200]);
  });
});

describe("two nodes", () => {
  const nodes = async () => {
    const one = await startKit({ database: "postgres" });
    const { database_url, data_dir } = one;
    const other = await startKit({ database_url, data_dir });
    const store = await startStore(one);
    const there = (body: object) => other.post(store.installs, { principal_sub: "alice", ...body });
    const stop = async () => {
      await other[Symbol.asyncDispose]();
      await one[Symbol.asyncDispose]();
    };
    return { store, there, [Symbol.asyncDispose]: stop };
  };

  test("equal calls at two nodes at once make one install", async () => {
    await using both = await nodes();
    const { store, there } = both;

    const calls = Array.from({ length: 16 }, (_, index) =>
      index % 2 ? store.install({ code: "pub" }) : there({ code: "pub" }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await store.counts()).toEqual({ instances: 1, installs: 1, requests: 0 });
  });

  test("4.1.1 a rule that was made at one node counts at the other at once", async () => {
    await using both = await nodes();
    const { store, there } = both;

    await store.rule("user:alice", "none");

    expect((await there({ code: "pub" })).status).toBe(409);
  });
});

const plain = sharedKit();

test("a viewer may not install, an approver neither", async () => {
  const kit = await plain();
  const store = await startStore(kit);
  const asRole = async (role: string) => {
    const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: role, role });
    const headers = { authorization: `Bearer ${token}` };
    return (await kit.post(store.installs, { code: "pub", principal_sub: "a" }, headers)).status;
  };

  expect([await asRole("viewer"), await asRole("approver")]).toEqual([403, 403]);
});
