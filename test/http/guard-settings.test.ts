/** Settings of the inline guard, on gateways and consumers. */
import { describe, expect, test } from "bun:test";
import type { GuardSettings } from "../../src/contract/guard/guard-settings.ts";
import { makeGuard } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

const DEFAULTS: GuardSettings = {
  collector_id: null,
  llm: { input: true, output: true },
  mcp: { input: true, output: true },
  on_ask: "block",
  wait_s: 30,
  stream: "exact",
};

async function makeGateway(kit: Kit, more: object = {}) {
  const name = `gateway ${crypto.randomUUID()}`;
  const gateway = await kit.make<{ id: string; slug: string; guard: unknown }>("/v1/gateways", {
    name,
    ...more,
  });
  return { ...gateway, path: `/v1/gateways/${gateway.id}` };
}

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database });

  async function setUp() {
    const kit = await kitOf();
    const { collector } = await makeGuard(kit, {});
    const gateway = await makeGateway(kit);
    const make = async (more: object = {}) => {
      const body = { name: `consumer ${crypto.randomUUID()}`, ...more };
      const made = await kit.make<{ id: string; slug: string; guard: unknown }>(
        `${gateway.path}/consumers`,
        body,
      );
      return { ...made, path: `${gateway.path}/consumers/${made.id}` };
    };
    /** Sends a guard and returns the stored one, or the error. */
    const set = async (path: string, guard: unknown): Promise<unknown> => {
      const reply = await kit.put(path, { guard });
      const body = (await reply.json()) as { guard: unknown; message: string };
      if (!reply.ok) return `${reply.status} ${body.message}`;
      expect((await (await kit.get(path)).json()).guard).toEqual(body.guard);
      return body.guard;
    };
    const inForce = (slug: string) => kit.deps.snapshot().consumersBySlug.get(slug)?.guard;
    return { kit, collector_id: collector.id, gateway, make, set, inForce };
  }

  test("a gateway's guard is off by default, and an update keeps the members that it leaves out", async () => {
    const { gateway, collector_id, set } = await setUp();
    expect(gateway.guard).toEqual(DEFAULTS);

    await set(gateway.path, { collector_id });
    await set(gateway.path, { llm: { output: false }, on_ask: "wait", wait_s: 300 });
    const changed = await set(gateway.path, { stream: "observe" });

    expect(changed).toEqual({
      ...DEFAULTS,
      collector_id,
      llm: { input: true, output: false },
      on_ask: "wait",
      wait_s: 300,
      stream: "observe",
    });
  });

  test("the guard that the previous release stored has the defaults of all other members", async () => {
    const { kit, gateway, collector_id, make, inForce } = await setUp();
    await kit.db.run(
      "UPDATE gateways SET guard = $1 WHERE id = $2",
      JSON.stringify({ collector_id }),
      gateway.id,
    );

    const { guard } = await (await kit.get(gateway.path)).json();
    const { slug } = await make();

    expect(guard).toEqual({ ...DEFAULTS, collector_id });
    expect(inForce(slug)).toEqual({ ...DEFAULTS, collector_id });
  });

  test("a consumer inherits the gateway's guard, replaces it with its own, or is exempt", async () => {
    const { kit, gateway, collector_id, make, set, inForce } = await setUp();
    const own = (await makeGuard(kit, {})).collector.id;
    const consumer = await make();
    await set(gateway.path, { collector_id, on_ask: "allow" });

    expect(consumer.guard).toBeNull();
    expect(inForce(consumer.slug)).toMatchObject({ collector_id, on_ask: "allow" });
    expect(await set(consumer.path, { off: true })).toEqual({ off: true });
    expect(inForce(consumer.slug)).toBeNull();
    const first = { collector_id: own, mcp: { input: false } };
    expect(await set(consumer.path, first)).toMatchObject({ mcp: { input: false, output: true } });
    const expected: GuardSettings = {
      ...DEFAULTS,
      collector_id: own,
      mcp: { input: false, output: true },
      stream: "observe",
    };
    expect(await set(consumer.path, { stream: "observe" })).toEqual(expected);
    expect(inForce(consumer.slug)).toEqual({ ...expected, collector_id: own });
    expect(await set(consumer.path, { collector_id: null })).toMatchObject({ stream: "observe" });
    expect(inForce(consumer.slug)).toBeNull();
    expect(await set(consumer.path, null)).toBeNull();
    expect(inForce(consumer.slug)).toMatchObject({ collector_id, on_ask: "allow" });
    await kit.put(consumer.path, { guard: { off: true } });
    await kit.put(consumer.path, { name: "renamed" });
    expect(inForce(consumer.slug)).toBeNull();
  });

  test("a consumer's first guard must name its collector, because null would turn the gateway's guard off", async () => {
    const { make, set } = await setUp();
    const inheriting = await make();
    const exempt = await make({ guard: { off: true } });

    expect(await set(inheriting.path, { on_ask: "wait" })).toBe(
      "422 guard.collector_id: is required",
    );
    expect(await set(exempt.path, { on_ask: "wait" })).toBe("422 guard.collector_id: is required");
  });

  test.each([
    [{ wait_s: 0 }, "guard.wait_s: must be at least 1"],
    [{ wait_s: 301 }, "guard.wait_s: must be at most 300"],
    [{ on_ask: "pass" }, "guard.on_ask: must be one of block, wait, allow"],
    [{ stream: "none" }, "guard.stream: must be one of exact, observe"],
    [{ llm: { both: true } }, "guard.llm.both: unknown member"],
    [{ mode: "x" }, "guard.mode: unknown member"],
  ])("%j is rejected on gateways and consumers", async (guard, message) => {
    const { gateway, make, set } = await setUp();
    const { path } = await make();

    expect(await set(gateway.path, guard)).toBe(`422 ${message}`);
    expect(await set(path, guard)).toBe(`422 ${message}`);
  });

  test("off excludes all other members, and only consumers have it", async () => {
    const { gateway, collector_id, make, set } = await setUp();
    const { path } = await make();

    expect(await set(path, { off: true, collector_id })).toBe(
      "422 guard.off: must be the only member",
    );
    expect(await set(path, { off: false })).toBe("422 guard.off: must be true");
    expect(await set(gateway.path, { off: true })).toBe("422 guard.off: unknown member");
  });

  test("a guard's collector must exist and not belong to another gateway", async () => {
    const { kit, make, set } = await setUp();
    const { path } = await make();
    const other = await makeGateway(kit);
    const foreign = (await makeGuard(kit, {}, { gateway_id: other.id })).collector.id;

    for (const collector_id of [crypto.randomUUID(), foreign]) {
      expect(await set(path, { collector_id })).toBe(
        "422 guard.collector_id: is not a collector of this gateway",
      );
    }
  });

  test("a collector in use as a guard cannot be deleted, and the error names its users", async () => {
    const { kit, gateway, collector_id, make, set } = await setUp();
    const consumer = await make({ guard: { collector_id } });
    await set(gateway.path, { collector_id });
    const remove = () => kit.delete(`/v1/collectors/${collector_id}`);

    const { message } = await (await remove()).json();
    expect(message).toMatch(/guard of gateway "gateway .*", consumer "consumer .*"\./);
    await set(gateway.path, { collector_id: null });
    expect((await remove()).status).toBe(409);
    await set(consumer.path, { off: true });
    expect((await remove()).status).toBe(204);
  });

  test("an administrator of one gateway sets the guards of that gateway and its consumers only", async () => {
    const { kit, gateway, collector_id, make } = await setUp();
    const other = await makeGateway(kit);
    const { path } = await make();
    const scoped = { name: "scoped", role: "admin", gateway_ids: [gateway.id] };
    const { token } = await kit.make<{ token: string }>("/v1/tokens", scoped);
    const set = async (at: string) => {
      const authorization = `Bearer ${token}`;
      return (await kit.put(at, { guard: { collector_id } }, { authorization })).status;
    };

    expect([await set(gateway.path), await set(path), await set(other.path)]).toEqual([
      200, 200, 403,
    ]);
  });

  test("a guard whose collector is missing stays on", async () => {
    const { kit, collector_id, make, inForce } = await setUp();
    const { slug } = await make({ guard: { collector_id } });

    await kit.db.run("DELETE FROM collectors WHERE id = $1", collector_id);
    await kit.make("/v1/gateways", { name: `later ${crypto.randomUUID()}` });

    expect(kit.deps.snapshot().collectors.has(collector_id)).toBe(false);
    expect(inForce(slug)).toMatchObject({ collector_id });
  });
});
