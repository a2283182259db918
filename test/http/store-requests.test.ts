/** Store requests, approvals and their effect on installs (spec 4.1.2). */
import { describe, expect, test } from "bun:test";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { post } from "../kit/mcp-client.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";

type Listed = { items: Record<string, unknown>[] };

const PAST = "2020-01-01T00:00:00.000Z";
const FUTURE = "2999-01-01T00:00:00.000Z";

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  /** Creates a request of Alice for `code`, with the instance A by default. */
  const createRequest = async (code = "pub", instances: string[] = ["A"]) => {
    const kit = await started();
    const store = await startStore(kit, "request");
    for (const name of instances) await store.instance(code, name);
    await store.install({ code, reason: "need it", groups: ["eng"] });
    const [request] = await store.requests();
    const path = `${store.path}/store/requests/${request?.id}`;
    const decide = (verb: string, body?: unknown, headers = {}) =>
      kit.call("POST", `${path}/${verb}`, body, headers);
    const again = async (body: Record<string, unknown> = {}) =>
      (await (await store.install({ code, ...body })).json()) as Record<string, unknown>;
    return { kit, store, path, decide, again };
  };
  const tokenFor = async (more: object) => {
    const kit = await started();
    const made = await kit.make<{ token: string }>("/v1/tokens", { name: "t", ...more });
    return { authorization: `Bearer ${made.token}` };
  };

  test("the approver sees the requester, their groups and the reason", async () => {
    const { store } = await createRequest();

    expect(await store.requests("?state=pending")).toMatchObject([
      {
        principal_sub: "alice",
        code: "pub",
        instance_id: store.id("A"),
        reason: "need it",
        groups: ["eng"],
        state: "pending",
        decided_by: null,
      },
    ]);
  });

  test("a reason is required again after a rejection", async () => {
    const { decide, again } = await createRequest();

    await decide("reject", { note: "no" });

    expect(await again()).toMatchObject({ requires_reason: true, pending: false });
  });

  test("after a rejection a new reason files a new request", async () => {
    const { store, decide, again } = await createRequest();

    await decide("reject", { note: "no" });
    const result = await again({ reason: "again" });

    expect(result).toMatchObject({ pending: true, status: "pending_approval" });
    expect((await store.requests()).map(({ state }) => state)).toEqual(["rejected", "pending"]);
  });

  test("a live approval installs again what was removed", async () => {
    const { kit, store, decide, again } = await createRequest();
    await decide("approve", {});
    const [install] = await store.installed();
    await kit.delete(`${store.installs}/${install?.id}`);

    const result = await again();

    expect(result).toMatchObject({ status: "installed", already_installed: false });
    expect((await store.installed()).length).toBe(1);
  });

  test("when the level rises, the request is superseded", async () => {
    const { store, again } = await createRequest();
    await store.level("install");

    const result = await again();

    expect(result).toMatchObject({ status: "installed", instance_id: store.id("A") });
    expect(await store.requests()).toMatchObject([{ state: "superseded", reason: null }]);
  });

  test("an approval installs, and the next call finds it", async () => {
    const { store, decide, again } = await createRequest();

    const reply = await decide("approve", {});

    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ state: "approved", decided_by: "First owner" });
    expect(await store.installed()).toMatchObject([{ state: "active", principal_sub: "alice" }]);
    expect(await again()).toMatchObject({ already_installed: true, status: "installed" });
  });

  test("with two instances and none chosen an approval must name one", async () => {
    const { store, decide } = await createRequest("key", ["A", "B"]);

    const open = await decide("approve", {});
    const named = await decide("approve", { instance_id: store.id("B") });

    expect([open.status, named.status]).toEqual([422, 200]);
    expect(await store.installed()).toMatchObject([{ instance_id: store.id("B") }]);
  });

  test("while the server needs an administrator's input it cannot be approved", async () => {
    const { store, decide } = await createRequest("mail", []);

    const reply = await decide("approve", {});

    expect(reply.status).toBe(409);
    expect(await reply.json()).toMatchObject({
      error: "conflict",
      message: expect.stringContaining(`${store.path}/registries`),
    });
    expect(await store.requests()).toMatchObject([{ state: "pending" }]);
  });

  test.each([
    ["is gone", (kit: Kit, path: string) => kit.delete(path)],
    ["is disabled", (kit: Kit, path: string) => kit.put(path, { enabled: false })],
  ])("an instance that %s by now is not replaced unasked", async (_, lose) => {
    const { kit, store, decide } = await createRequest("key");
    await store.instance("key", "B");
    await lose(kit, `${store.path}/registries/${store.id("A")}`);

    const unasked = await decide("approve", {});
    const named = await decide("approve", { instance_id: store.id("B") });

    expect(await unasked.json()).toMatchObject({ error: "conflict" });
    expect([unasked.status, named.status]).toEqual([409, 200]);
  });

  test("an approval of a server that needs nothing makes its instance", async () => {
    const { store, decide } = await createRequest("pub", []);

    await decide("approve", {});

    expect(await store.counts()).toEqual({ instances: 1, installs: 1, requests: 0 });
  });

  test("an instance that is made gets a name that it can keep", async () => {
    const kit = await started();
    const store = await startStore(kit);
    const name = "n".repeat(255);
    await kit.make(`${store.path}/registries`, { name, provider: "demo" });
    await kit.make(`${store.path}/store/catalog`, {
      code: "x",
      name,
      url: "https://x.example.com",
    });

    const { instance_id } = (await (await store.install({ code: "x" })).json()) as {
      instance_id: string;
    };

    const off = await kit.put(`${store.path}/registries/${instance_id}`, { enabled: false });
    expect(off.status).toBe(200);
  });

  test("approvers cannot decide their own requests", async () => {
    const { store, decide } = await createRequest();
    const own = await tokenFor({ role: "approver", principal_sub: "alice" });

    const replies = [await decide("approve", {}, own), await decide("reject", { note: "no" }, own)];

    expect(replies.map(({ status }) => status)).toEqual([403, 403]);
    expect(await store.requests()).toMatchObject([{ state: "pending" }]);
  });

  describe("a request that an administrator filed in another name", () => {
    const filed = async (fileAs: "their token" | "a personal token that they created") => {
      const kit = await started();
      const store = await startStore(kit, "request");
      await store.instance("pub", "A");
      const eve = await tokenFor({ role: "admin", principal_sub: "eve" });
      const request = { code: "pub", reason: "need it" };
      if (fileAs === "their token") {
        const body = { ...request, principal_sub: "wil" };
        await kit.call("POST", `${store.path}/store/principal/installs`, body, eve);
      } else {
        const body = { name: "Laptop", principal_sub: "wil" };
        const path = `${store.path}/store/principal-tokens`;
        const { token } = await (await kit.call("POST", path, body, eve)).json();
        await post(
          `${kit.url}/me/mcp`,
          { authorization: `Bearer ${token}` },
          {
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: "store_install", arguments: request },
          },
        );
      }
      const [row] = await store.requests();
      const decide = async (verb: string, headers: Record<string, string>) => {
        const path = `${store.path}/store/requests/${row?.id}/${verb}`;
        return (await kit.call("POST", path, { note: "no" }, headers)).status;
      };
      const isOwn = async (headers: Record<string, string>) => {
        const path = `/v1/inbox?gateway_id=${store.gateway.id}`;
        const { items } = await (await kit.call("GET", path, undefined, headers)).json();
        return items.map(({ own }: { own: boolean }) => own);
      };
      return { eve, row, decide, isOwn };
    };

    test.each(["their token", "a personal token that they created"] as const)(
      "with %s is decided by another person",
      async (fileAs) => {
        const { eve, row, decide, isOwn } = await filed(fileAs);
        const second = await tokenFor({ role: "approver", principal_sub: "Eve" });
        const bo = await tokenFor({ role: "approver", principal_sub: "bo" });

        expect(row).toMatchObject({ principal_sub: "wil", state: "pending" });
        expect(row).not.toHaveProperty("requested_by");
        expect([await isOwn(eve), await isOwn(bo)]).toEqual([[true], [false]]);
        expect([
          await decide("approve", eve),
          await decide("reject", eve),
          await decide("approve", second),
          await decide("approve", bo),
        ]).toEqual([403, 403, 403, 200]);
      },
    );
  });

  describe("a pending request that an administrator changes in another name", () => {
    const startChanged = async () => {
      const { kit, store, decide } = await createRequest("key", ["A", "B"]);
      const [eve, bo] = await Promise.all(
        ["eve", "bo"].map((principal_sub) => tokenFor({ role: "admin", principal_sub })),
      );
      const change = async (as: Record<string, string> | undefined, more: object) => {
        const path = `${store.path}/store/principal/installs`;
        const body = { code: "key", principal_sub: "alice", ...more };
        return (await kit.call("POST", path, body, as)).status;
      };
      const approve = async (as: Record<string, string> | undefined) =>
        (await decide("approve", { instance_id: store.id("A") }, as)).status;
      const readLog = async () =>
        (await store.audit("store_request")).map(({ action, after }) => [action, after?.reason]);
      return { store, eve, bo, change, approve, readLog };
    };

    test("is decided by another person, and its new reason is in the audit log", async () => {
      const { store, eve, bo, change, approve, readLog } = await startChanged();

      expect(await change(eve, { reason: "the CISO agreed" })).toBe(200);

      expect(await store.requests()).toMatchObject([{ reason: "the CISO agreed" }]);
      expect(await readLog()).toEqual([
        ["store_request.update", "the CISO agreed"],
        ["store_request.create", undefined],
      ]);
      expect([await approve(eve), await approve(bo)]).toEqual([403, 200]);
    });

    test("is decided by another person if only its instance was chosen", async () => {
      const { store, eve, bo, change, approve } = await startChanged();

      expect(await change(eve, { instance_id: store.id("B") })).toBe(200);

      expect([await approve(eve), await approve(bo)]).toEqual([403, 200]);
    });

    test("can be decided by an administrator whose call changed nothing", async () => {
      const { eve, change, approve } = await startChanged();

      expect(await change(eve, { reason: "need it" })).toBe(200);

      expect(await approve(eve)).toBe(200);
    });

    test("cannot be changed by a second one, so that neither can decide their own words", async () => {
      const { store, eve, bo, change, approve, readLog } = await startChanged();
      await change(eve, { reason: "the CISO agreed" });

      expect(await change(bo, { reason: "the board agreed" })).toBe(409);
      expect(await change(undefined, { reason: "as an owner" })).toBe(200);

      expect(await store.requests()).toMatchObject([{ reason: "as an owner" }]);
      expect((await readLog())[0]).toEqual(["store_request.update", "as an owner"]);
      expect([await approve(eve), await approve(bo)]).toEqual([403, 200]);
    });
  });

  test("a rejection needs a note", async () => {
    const { decide } = await createRequest();

    const statuses = [
      (await decide("reject", {})).status,
      (await decide("reject", { note: "  " })).status,
      (await decide("reject", { note: "use the other one" })).status,
    ];

    expect(statuses).toEqual([422, 422, 200]);
  });

  test("the first decision counts", async () => {
    const { decide } = await createRequest();
    await decide("approve", {});

    const second = await decide("reject", { note: "no" });

    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ error: "conflict" });
  });

  test("of two decisions at once one counts", async () => {
    const { store, decide } = await createRequest();

    const replies = await Promise.all([
      decide("approve", {}),
      decide("reject", { note: "no" }),
      decide("approve", {}),
    ]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await store.requests("?state=pending")).length).toBe(0);
  });

  test("an undecided request expires after 14 days", async () => {
    const { kit, store, path, again, decide } = await createRequest();
    const [request] = await store.requests();
    const { created_at, expires_at } = request as unknown as Record<string, string>;
    const days = (Date.parse(expires_at ?? "") - Date.parse(created_at ?? "")) / 86_400_000;
    await kit.db.run(
      "UPDATE store_requests SET expires_at = $1 WHERE id = $2",
      PAST,
      request?.id ?? "",
    );

    const late = await decide("approve", {});

    expect(days).toBe(14);
    expect(late.status).toBe(409);
    expect(await (await kit.get(path)).json()).toMatchObject({ state: "expired", reason: null });
    expect(await again()).toMatchObject({ requires_reason: true });
    expect((await store.audit("store_request")).map(({ action }) => action)).toContain(
      "store_request.expire",
    );
  });

  test("when the level becomes none the install is suspended, and comes back with it", async () => {
    const { store, decide, again } = await createRequest();
    await decide("approve", {});

    await store.level("none");
    const suspended = await store.installed();
    const refused = (await store.install({ code: "pub" })).status;
    await store.level("request");

    expect(suspended).toMatchObject([{ state: "suspended", suspended_because: "access" }]);
    expect(refused).toBe(409);
    expect(await store.installed()).toMatchObject([{ state: "active" }]);
    expect(await again()).toMatchObject({ already_installed: true });
  });

  test("when an approval expires, the install is suspended and must be requested again", async () => {
    const { kit, store, decide, again } = await createRequest();
    await decide("approve", { expires_at: FUTURE });
    const before = await store.installed();
    await kit.db.run("UPDATE store_installs SET ends_at = $1", PAST);
    await kit.db.run("UPDATE store_grants SET expires_at = $1", PAST);

    expect(before).toMatchObject([{ state: "active", ends_at: FUTURE }]);
    expect(await store.installed()).toMatchObject([{ suspended_because: "grant_ended" }]);
    expect(await again()).toMatchObject({ requires_reason: true, already_installed: false });
  });

  test("a second approval brings the same install back", async () => {
    const { kit, store, decide, again } = await createRequest();
    await decide("approve", { expires_at: FUTURE });
    await kit.db.run("UPDATE store_installs SET ends_at = $1", PAST);
    await kit.db.run("UPDATE store_grants SET expires_at = $1", PAST);
    await again({ reason: "still" });
    const [request] = await store.requests("?state=pending");

    await kit.post(`${store.path}/store/requests/${request?.id}/approve`, {});

    expect(await store.installed()).toMatchObject([{ state: "active", ends_at: null }]);
  });

  test("an install made anew rests on the approval that is left, and ends with it", async () => {
    const { kit, store, decide, again } = await createRequest();
    await decide("approve", { expires_at: FUTURE });
    const remove = async () => {
      for (const { id } of await store.installed()) await kit.delete(`${store.installs}/${id}`);
    };

    await remove();
    await again();
    const approved = await store.installed();
    await remove();
    await store.level("install");
    await again();

    expect(approved).toMatchObject([{ state: "active", ends_at: FUTURE }]);
    expect(await store.installed()).toMatchObject([{ state: "active", ends_at: null }]);
  });

  test("an approval of another instance says nothing about the end of an install", async () => {
    const { kit, store, decide, again } = await createRequest("pub", ["A", "B"]);
    await decide("approve", { instance_id: store.id("A"), expires_at: FUTURE });
    await again({ instance_id: store.id("B"), reason: "this too" });
    const [request] = await store.requests("?state=pending");
    await kit.post(`${store.path}/store/requests/${request?.id}/approve`, {});
    for (const { id } of await store.installed()) await kit.delete(`${store.installs}/${id}`);

    await again({ instance_id: store.id("B") });

    expect(await store.installed()).toMatchObject([{ instance_id: store.id("B"), ends_at: null }]);
  });

  test("a revoked approval suspends the install, which must be requested again", async () => {
    const { kit, store, decide, again } = await createRequest();
    await decide("approve", {});
    const grants = `${store.path}/store/grants`;
    const list = async () =>
      ((await (await kit.get(`${grants}?principal_sub=alice`)).json()) as Listed).items;
    const [grant] = await list();
    const viewer = await tokenFor({ role: "viewer" });
    const elsewhere = (await startStore(kit)).path;

    const statuses = [
      (await kit.delete(`${grants}/${grant?.id}`, viewer)).status,
      (await kit.delete(`${elsewhere}/store/grants/${grant?.id}`)).status,
      (await kit.delete(`${grants}/${grant?.id}`)).status,
      (await kit.delete(`${grants}/${grant?.id}`)).status,
    ];

    expect(grant).toMatchObject({ code: "pub", instance_id: store.id("A"), expires_at: null });
    expect(statuses).toEqual([403, 404, 204, 404]);
    expect(await list()).toEqual([]);
    expect(await store.installed()).toMatchObject([{ suspended_because: "grant_ended" }]);
    expect(await again()).toMatchObject({ requires_reason: true, already_installed: false });
    expect(await store.audit("store_grant")).toMatchObject([{ action: "store_grant.revoke" }]);
    await store.level("install");
    expect(await again()).toMatchObject({ already_installed: true });
  });

  test("a removed install takes its credential along; a second removal is a 404", async () => {
    const { kit, store, decide } = await createRequest();
    await decide("approve", {});
    await store.connect("A");
    const [install] = await store.installed();
    const path = `${store.installs}/${install?.id}`;

    const statuses = [(await kit.delete(path)).status, (await kit.delete(path)).status];
    const left = await kit.db.many(
      "SELECT id FROM store_credentials WHERE gateway_id = $1",
      store.gateway.id,
    );

    expect(statuses).toEqual([204, 404]);
    expect(left).toEqual([]);
  });

  test("an instance with installs is deleted only with force", async () => {
    const { kit, store, decide } = await createRequest();
    await decide("approve", {});
    const path = `${store.path}/registries/${store.id("A")}`;

    const refused = await kit.delete(path);
    const forced = await kit.delete(`${path}?force=true`);

    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: "has_dependents" });
    expect(forced.status).toBe(204);
    expect(await store.counts()).toEqual({ instances: 0, installs: 0, requests: 0 });
    const [last] = await store.audit("store_install");
    expect(last).toMatchObject({ action: "store_install.delete", after: null });
  });

  test("an approver may decide but not change, a viewer neither", async () => {
    const { decide, kit, store } = await createRequest();
    const approver = await tokenFor({ role: "approver" });
    const viewer = await tokenFor({ role: "viewer" });
    const rules = `${store.path}/store/access-rules`;
    const rule = { subject_type: "everyone", target_type: "all", level: "install" };

    const statuses = [
      (await decide("approve", {}, viewer)).status,
      (await kit.post(rules, rule, approver)).status,
      (await decide("approve", {}, approver)).status,
    ];

    expect(statuses).toEqual([403, 403, 200]);
  });

  test("a cancelled request is closed and forgets its reason", async () => {
    const { decide, again } = await createRequest();

    const reply = await decide("cancel");

    expect(await reply.json()).toMatchObject({ state: "cancelled", reason: null });
    expect(await again()).toMatchObject({ requires_reason: true });
  });

  test("what is decided cannot be cancelled", async () => {
    const { kit, path, decide } = await createRequest();
    await decide("approve", {});

    expect((await decide("cancel")).status).toBe(409);
    expect(await (await kit.get(path)).json()).toMatchObject({
      state: "approved",
      reason: "need it",
    });
  });

  test.each([
    ["an end in the past", { expires_at: PAST }, 422],
    ["an unknown instance", { instance_id: crypto.randomUUID() }, 404],
    ["an unknown member", { forever: true }, 422],
  ])("approving with %s changes nothing", async (_, body, status) => {
    const { store, decide } = await createRequest();

    const reply = await decide("approve", body);

    expect(reply.status).toBe(status);
    expect(await store.counts()).toMatchObject({ installs: 0, requests: 1 });
  });

  test("an approval does not lift the level none", async () => {
    const { store, decide } = await createRequest();
    await store.rule("user:alice", "none");

    expect((await decide("approve", {})).status).toBe(409);
  });

  test("an approval looks at the groups that the principal has by now", async () => {
    const { store, decide, again } = await createRequest();
    await store.rule("group:leavers", "none");
    await again({ groups: ["leavers"] });

    expect((await decide("approve", {})).status).toBe(409);
  });

  test("a server that was hidden meanwhile cannot be approved", async () => {
    const { kit, store, decide } = await createRequest();
    await kit.put(`${store.path}/store/catalog/pub`, { status: "hidden" });

    expect((await decide("approve", {})).status).toBe(409);
    expect(await store.counts()).toMatchObject({ installs: 0, requests: 1 });
  });

  test("every transition of a request is in the audit log, without the reason", async () => {
    const { store, decide } = await createRequest();

    await decide("reject", { note: "no" });
    const audit = await store.audit("store_request");

    expect(audit.map(({ action }) => action)).toEqual([
      "store_request.reject",
      "store_request.create",
    ]);
    expect(JSON.stringify(audit)).not.toContain("need it");
  });

  test("requests and installs of another gateway are not found", async () => {
    const { kit, path, store, decide } = await createRequest();
    await decide("approve", {});
    const [install] = await store.installed();
    const other = await kit.make("/v1/gateways", { name: "other" });
    const elsewhere = (of: string) => of.replace(store.gateway.id, other.id);

    const statuses = [
      (await kit.get(elsewhere(path))).status,
      (await kit.post(elsewhere(`${path}/reject`), { note: "x" })).status,
      (await kit.delete(elsewhere(`${store.installs}/${install?.id}`))).status,
      (await kit.get(`/v1/gateways/${crypto.randomUUID()}/store/requests`)).status,
    ];

    expect(statuses).toEqual([404, 404, 404, 404]);
  });
});
