/** Installs beyond the first call: configure, bulk, access explained, and the cases of the peer's table. */
import { describe, expect, test } from "bun:test";
import { principalTable } from "../../src/db/tables/principals.ts";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  const fresh = async (level?: "none" | "request" | "install") =>
    startStore(await started(), level);
  const readJson = async (reply: Promise<Response>) =>
    (await (await reply).json()) as Record<string, unknown>;

  describe("configure", () => {
    const configured = async () => {
      const kit = await started();
      const store = await fresh();
      await store.instance("key", "A", {
        auth: { type: "principal_key" },
        options: {
          fields: [
            { key: "X-Region", in: "header", choices: ["eu", "us"] },
            { key: "X-Note", in: "header", required: false },
          ],
        },
      });
      await store.install({ code: "key" });
      const [install] = await store.installed();
      const path = `${store.installs}/${install?.id}/config`;
      return { kit, store, put: (values: unknown) => kit.put(path, { values }) };
    };

    test("each of two installs lists its own missing requirements", async () => {
      const { kit, store } = await configured();
      const auth = { type: "principal_key" };
      const made = await store.instance("key", "B", { auth });
      await store.install({ code: "key", instance_id: made.id });
      const all = await store.installed();
      const filled = all.find(({ instance_id }) => instance_id === made.id);
      const values = { api_key: "planted-principal-secret" };
      await kit.put(`${store.installs}/${filled?.id}/config`, { values });

      const lacks = async (name: string) =>
        await readJson(store.install({ code: "key", instance_id: store.id(name) }));

      expect(await lacks("A")).toMatchObject({ already_installed: true, requires_config: true });
      expect(await lacks("B")).toMatchObject({ already_installed: true, requires_config: false });
    });

    test("filled-in fields are listed without their values", async () => {
      const { kit, store, put } = await configured();

      const half = await readJson(put({ api_key: "planted-principal-secret" }));
      const whole = await readJson(put({ "X-Region": "eu" }));
      const rows = JSON.stringify(await kit.db.many("SELECT * FROM store_installs"));
      const log = JSON.stringify([await store.audit("store_install"), ...kit.lines]);

      expect(half).toMatchObject({ requires_config: true });
      expect(whole).toMatchObject({
        requires_config: false,
        fields: [
          { key: "api_key", filled: true, secret: true },
          { key: "X-Region", filled: true },
          { key: "X-Note", filled: false },
        ],
      });
      expect(rows + log + JSON.stringify(whole)).not.toContain("planted-principal-secret");
      expect(await readJson(store.install({ code: "key" }))).toMatchObject({
        already_installed: true,
        requires_config: false,
      });
    });

    test("null clears a value", async () => {
      const { put } = await configured();
      await put({ api_key: "k", "X-Region": "eu" });

      expect(await readJson(put({ api_key: null }))).toMatchObject({ requires_config: true });
    });

    test.each([
      ["an unknown field", { nope: "x" }],
      ["a value that is not a choice", { "X-Region": "mars" }],
      ["an empty value", { api_key: "" }],
      ["a value that is not a text", { api_key: 7 }],
    ])("%s is a 422 and nothing is stored", async (_, values) => {
      const { kit, store, put } = await configured();

      const reply = await put(values);
      const row = await kit.db.one<{ config: string }>(
        "SELECT config FROM store_installs WHERE gateway_id = $1",
        store.gateway.id,
      );

      expect([reply.status, row?.config]).toEqual([422, "{}"]);
    });
  });

  describe("bulk", () => {
    const people = async () => {
      const kit = await started();
      const store = await fresh("request");
      await store.instance("pub");
      for (const [principal_sub, groups] of Object.entries({
        ann: ["eng"],
        bob: ["eng", "ops"],
        cat: ["ops"],
        eve: ["eng"],
      })) {
        const token = { name: principal_sub, principal_sub, groups };
        await kit.make(`${store.path}/store/principal-tokens`, token);
      }
      await store.rule("user:eve", "none");
      const bulk = (body: object) => kit.post(`${store.path}/store/bulk-installs`, body);
      return { kit, store, bulk };
    };

    test("an administrator cannot approve an install for themselves with a bulk install", async () => {
      const { kit, store } = await people();
      const { token } = await kit.make<{ token: string }>("/v1/tokens", {
        name: "Ann's token",
        role: "admin",
        principal_sub: "ann",
      });

      const reply = await fetch(`${kit.url}${store.path}/store/bulk-installs`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ code: "pub", group: "eng" }),
      });

      expect(await reply.json()).toMatchObject({ installed: ["bob"], refused: ["ann", "eve"] });
    });

    test("a server is installed for every known principal of a group", async () => {
      const { store, bulk } = await people();

      const first = await readJson(bulk({ code: "pub", group: "eng" }));
      const second = await readJson(bulk({ code: "pub", group: "eng" }));

      expect(first).toEqual({
        installed: ["ann", "bob"],
        already_installed: [],
        refused: ["eve"],
        left: 0,
      });
      expect(second).toMatchObject({ installed: [], already_installed: ["ann", "bob"] });
      expect(await store.installed()).toMatchObject([
        { principal_sub: "ann", state: "active" },
        { principal_sub: "bob", state: "active" },
      ]);
    });

    test("a large group is done in several calls", async () => {
      const { kit, store, bulk } = await people();
      const rows = Array.from({ length: 501 }, (_, index) => ({
        id: `${store.gateway.id}-${index}`,
        gateway_id: store.gateway.id,
        principal_sub: `p${index}`,
        groups: ["many"],
        seen_at: new Date().toISOString(),
      }));
      await principalTable.insertMany(kit.db, rows);

      const first = await readJson(bulk({ code: "pub", group: "many" }));
      const second = await readJson(bulk({ code: "pub", group: "many" }));

      expect([first.left, second.left]).toEqual([1, 0]);
      expect(second).toMatchObject({ installed: [expect.any(String)] });
      expect(await store.counts()).toMatchObject({ installs: 501 });
    });

    test("a request of one of them is superseded", async () => {
      const { store, bulk } = await people();
      await store.install({ code: "pub", principal_sub: "ann", reason: "please" });

      await bulk({ code: "pub", group: "eng" });

      expect(await store.requests()).toMatchObject([{ state: "superseded" }]);
    });

    test("a request for another instance stays, one that leaves it open does not", async () => {
      const { store, bulk } = await people();
      await store.instance("pub", "B");
      const reason = "please";
      const mine = { code: "pub", instance_id: store.id("B"), reason };
      await store.install({ ...mine, principal_sub: "ann" });
      await store.install({ code: "pub", principal_sub: "bob", reason });

      await bulk({ code: "pub", group: "eng", instance_id: store.id("A") });

      const requests = await store.requests();
      const states = requests.map(({ principal_sub, state }) => [principal_sub, state]);
      expect(Object.fromEntries(states)).toEqual({ ann: "pending", bob: "superseded" });
    });

    test("an expired request is reported as expired, not as superseded", async () => {
      const { kit, store, bulk } = await people();
      await store.install({ code: "pub", principal_sub: "ann", reason: "please" });
      const past = "2020-01-01T00:00:00.000Z";
      await kit.db.run("UPDATE store_requests SET expires_at = $1", past);

      await bulk({ code: "pub", group: "eng" });

      expect(await store.requests()).toMatchObject([{ state: "expired" }]);
    });

    test("those who need no approval get none, so a later rule can ask them", async () => {
      const { kit, store, bulk } = await people();
      await store.rule("user:ann", "install");

      await bulk({ code: "pub", group: "eng" });

      const grants = await readJson(kit.get(`${store.path}/store/grants`));
      expect(grants).toMatchObject({ items: [{ principal_sub: "bob" }] });
    });

    test.each([
      ["an unknown code", { code: "nope", group: "eng" }, 404],
      ["a server that needs an administrator", { code: "mail", group: "eng" }, 409],
      ["no group", { code: "pub" }, 422],
    ])("%s changes nothing", async (_, body, status) => {
      const { store, bulk } = await people();

      expect((await bulk(body)).status).toBe(status);
      expect(await store.counts()).toMatchObject({ installs: 0 });
    });
  });

  describe("suspended", () => {
    test("an install of a server that left the catalog does not count, nor one of a disabled instance", async () => {
      const kit = await started();
      const store = await fresh();
      await store.install({ code: "oauth" });
      const pub = await readJson(store.install({ code: "pub" }));

      await kit.delete(`${store.path}/store/catalog/oauth`);
      await kit.put(`${store.path}/registries/${pub.instance_id}`, { enabled: false });
      const again = await readJson(store.install({ code: "pub" }));

      expect(await store.installed()).toMatchObject([
        { code: "oauth", state: "suspended", suspended_because: "not_in_catalog" },
        { code: "pub", state: "suspended", suspended_because: "instance_disabled" },
      ]);
      expect(again).toMatchObject({ already_installed: false, requires_admin_setup: true });
      expect(await store.counts()).toMatchObject({ instances: 2, installs: 2 });
    });
  });

  describe("explain", () => {
    test("the deciding rule is named, and those that it outweighs", async () => {
      const kit = await started();
      const store = await fresh();
      const everyone = await store.rule("everyone", "install");
      const group = await store.rule("group:eng", "none", "code:pub");
      const explain = (body: object) =>
        readJson(kit.post(`${store.path}/store/access-rules/explain`, body));

      const inside = await explain({ principal_sub: "alice", groups: ["eng"], code: "pub" });
      const outside = await explain({ principal_sub: "alice", groups: [], code: "pub" });

      expect(inside).toMatchObject({
        level: "none",
        decided_by: { id: group.id },
        matched: [{ id: group.id }, { id: everyone.id }],
        default_level: "install",
        groups: ["eng"],
      });
      expect(outside).toMatchObject({ level: "install", decided_by: { id: everyone.id } });
    });

    test("groups that an install names are those last seen", async () => {
      const store = await fresh("none");
      await store.rule("group:eng", "install");

      await store.install({ code: "pub", groups: ["eng"] });
      const again = await readJson(store.install({ code: "pub" }));

      expect(again).toMatchObject({ already_installed: true });
      expect(await store.installed()).toMatchObject([{ state: "active" }]);
    });

    test("without groups those last seen count", async () => {
      const kit = await started();
      const store = await fresh("request");
      await store.rule("group:eng", "install");
      const token = { name: "t", principal_sub: "ann", groups: ["eng"] };
      await kit.make(`${store.path}/store/principal-tokens`, token);

      const seen = await readJson(store.install({ code: "pub", principal_sub: "ann" }));
      const current = await readJson(
        store.install({ code: "oauth", principal_sub: "ann", groups: [] }),
      );

      expect(seen).toMatchObject({ status: "installed" });
      expect(current).toMatchObject({ requires_reason: true });
    });
  });

  describe("access rules", () => {
    test.each([
      ["a user rule without a user", { subject_type: "user", target_type: "all" }],
      ["a subject for everyone", { subject_type: "everyone", subject: "bo", target_type: "all" }],
      ["a target for all", { subject_type: "everyone", target_type: "all", target: "pub" }],
      ["an unknown level", { subject_type: "everyone", target_type: "all", level: "admin" }],
    ])("%s is a 422", async (_, rule) => {
      const store = await fresh();

      const reply = await (await started()).post(`${store.path}/store/access-rules`, {
        level: "install",
        ...rule,
      });

      expect(reply.status).toBe(422);
    });

    test("two rules about the same are a 409", async () => {
      const kit = await started();
      const store = await fresh();
      await store.rule("user:bo", "none");

      const reply = await kit.post(`${store.path}/store/access-rules`, {
        subject_type: "user",
        subject: "bo",
        target_type: "all",
        level: "install",
      });

      expect(reply.status).toBe(409);
      expect(await reply.json()).toMatchObject({ error: "already_exists" });
    });
  });

  describe("every outcome of an install", () => {
    test("within the access, one instance: installed", async () => {
      const store = await fresh();
      await store.instance("pub");

      const body = await readJson(store.install({ code: "pub" }));

      expect(body).toMatchObject({
        status: "installed",
        pending: false,
        instance_id: store.id("A"),
      });
    });

    test("the same again: already installed, same instance", async () => {
      const store = await fresh();

      const first = await readJson(store.install({ code: "pub" }));
      const second = await readJson(store.install({ code: "pub" }));

      expect(second).toMatchObject({ already_installed: true, instance_id: first.instance_id });
    });

    test("outside the access without a reason: nothing is in the queue", async () => {
      const store = await fresh("request");

      const body = await readJson(store.install({ code: "pub" }));

      expect(body).toMatchObject({ requires_reason: true, pending: false });
      expect(await store.requests()).toEqual([]);
    });

    test("the queue shows the trimmed reason and the groups", async () => {
      const store = await fresh("request");

      const body = await readJson(store.install({ code: "pub", reason: "  x  ", groups: ["eng"] }));

      expect(body).toMatchObject({ pending: true, status: "pending_approval" });
      expect(await store.requests()).toMatchObject([{ reason: "x", groups: ["eng"] }]);
    });

    test("approved: the next install finds it", async () => {
      const store = await fresh("request");
      await store.install({ code: "pub", reason: "x" });
      const [request] = await store.requests();

      await (await started()).post(`${store.path}/store/requests/${request?.id}/approve`, {});

      expect(await readJson(store.install({ code: "pub" }))).toMatchObject({
        already_installed: true,
      });
    });

    test("rejected: recorded in the history", async () => {
      const store = await fresh("request");
      await store.install({ code: "pub", reason: "x" });
      const [request] = await store.requests();

      const path = `${store.path}/store/requests/${request?.id}/reject`;
      await (await started()).post(path, { note: "not now" });

      expect(await store.requests("?state=rejected")).toMatchObject([
        { decision_note: "not now", decided_by: "First owner" },
      ]);
    });

    test.each([
      ["user:alice", []],
      ["group:eng", ["eng"]],
    ])("a rule for %s lets the install happen", async (subject, groups) => {
      const store = await fresh("request");
      await store.rule(subject, "install", "code:pub");

      const body = await readJson(store.install({ code: "pub", groups }));

      expect(body).toMatchObject({ status: "installed" });
    });

    test("two instances, none named: a choice, and nothing is stored", async () => {
      const store = await fresh();
      await store.instance("pub", "A");
      await store.instance("pub", "B");

      const body = await readJson(store.install({ code: "pub" }));

      expect(body).toMatchObject({
        requires_instance_choice: true,
        instance_choices: [{ registry_id: store.id("A") }, { registry_id: store.id("B") }],
      });
      expect(await store.counts()).toMatchObject({ installs: 0 });
    });

    test("the same with one named: bound to it", async () => {
      const store = await fresh();
      await store.instance("pub", "A");
      await store.instance("pub", "B");

      const body = await readJson(store.install({ code: "pub", instance_id: store.id("B") }));

      expect(body).toMatchObject({ status: "installed", instance_id: store.id("B") });
    });

    test("a server that needs an administrator's credential", async () => {
      const store = await fresh();

      expect(await readJson(store.install({ code: "key" }))).toMatchObject({
        requires_admin_setup: true,
        status: "not_installed",
      });
    });

    test("a server with OAuth: installed, and the account is missing", async () => {
      const store = await fresh();

      expect(await readJson(store.install({ code: "oauth" }))).toMatchObject({
        status: "installed",
        requires_auth: true,
      });
    });

    test("a server with a variable in its address asks the principal for it", async () => {
      const store = await fresh();

      const body = await readJson(store.install({ code: "site" }));

      expect(body).toMatchObject({ status: "installed", requires_config: true });
      expect(await store.installed()).toMatchObject([{ fields: [{ key: "site", filled: false }] }]);
    });

    test("a rule of none for the user beats an open gateway", async () => {
      const store = await fresh("install");
      await store.rule("user:alice", "none");

      expect((await store.install({ code: "pub" })).status).toBe(409);
    });

    test("of the rules of two groups the higher one wins", async () => {
      const store = await fresh("request");
      await store.rule("group:a", "none");
      await store.rule("group:b", "install");

      const body = await readJson(store.install({ code: "pub", groups: ["a", "b"] }));

      expect(body).toMatchObject({ status: "installed" });
    });

    test("a rule for the user beats that of a group", async () => {
      const store = await fresh();
      await store.rule("user:alice", "none");
      await store.rule("group:a", "install");

      expect((await store.install({ code: "pub", groups: ["a"] })).status).toBe(409);
    });

    test.each<[string, Record<string, unknown>]>([
      ["a missing code", { code: undefined }],
      ["a missing principal_sub", { principal_sub: undefined }],
      ["a bad instance_id", { instance_id: "7" }],
      ["an instance of another code", { instance_id: "A" }],
      ["an overlong reason", { reason: "ä".repeat(1001) }],
    ])("%s is a 422", async (_, change) => {
      const store = await fresh();
      await store.instance("key");
      const wish: Record<string, unknown> = { code: "pub", ...change };
      const body = wish.instance_id === "A" ? { ...wish, instance_id: store.id("A") } : wish;

      expect((await store.install(body)).status).toBe(422);
    });

    test("an unknown code is a 404, as an unknown gateway is", async () => {
      const store = await fresh();
      const nowhere = `/v1/gateways/${crypto.randomUUID()}/store/principal/installs`;

      const statuses = [
        (await store.install({ code: "unknown" })).status,
        (await (await started()).post(nowhere, { code: "pub", principal_sub: "a" })).status,
      ];

      expect(statuses).toEqual([404, 404]);
    });

    test("a reason without a request is not stored", async () => {
      const kit = await started();
      const store = await fresh();

      await store.install({ code: "pub", reason: "planted-reason" });
      const tables = ["store_installs", "store_requests", "audit_log", "registries"];
      const rows = await Promise.all(tables.map((name) => kit.db.many(`SELECT * FROM ${name}`)));

      expect(JSON.stringify([rows, kit.lines])).not.toContain("planted-reason");
    });

    test("a level that changes between two calls counts at once", async () => {
      const store = await fresh("request");

      const first = await readJson(store.install({ code: "pub" }));
      await store.level("install");
      const second = await readJson(store.install({ code: "pub" }));

      expect([first.status, second.status]).toEqual(["not_installed", "installed"]);
    });
  });
});
