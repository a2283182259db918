/** Invalid rate-limiter settings are rejected by name, and the previous settings stay in force (spec 8). */
import { describe, expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { entryOf, startLimited } from "../limiter/limited.ts";

const kit = sharedKit();
const good = entryOf({ limits: { per_ip: { limit: 2, window: "1m" } } });
const withLimit = (member: object) => ({
  ...good,
  settings: { ...good.settings, limits: { per_ip: { limit: 2, window: "1m", ...member } } },
});
const withSettings = (members: object) => ({
  ...good,
  settings: { ...good.settings, ...members },
});
const withActions = (actions: unknown) => withSettings({ actions });
const at = "required_plugins[0]";

describe("2.2 invalid settings are a 422 that names the member", () => {
  test.each([
    ["limit 0", withLimit({ limit: 0 }), `${at}.settings.limits.per_ip.limit`],
    ["limit -1", withLimit({ limit: -1 }), `${at}.settings.limits.per_ip.limit`],
    ["limit 1.5", withLimit({ limit: 1.5 }), `${at}.settings.limits.per_ip.limit`],
    ['limit "10"', withLimit({ limit: "10" }), `${at}.settings.limits.per_ip.limit`],
    ["limit 1e12", withLimit({ limit: 1e12 }), `${at}.settings.limits.per_ip.limit`],
    ["limit null", withLimit({ limit: null }), `${at}.settings.limits.per_ip.limit`],
    ["window abc", withLimit({ window: "abc" }), `${at}.settings.limits.per_ip.window`],
    ["window 0s", withLimit({ window: "0s" }), `${at}.settings.limits.per_ip.window`],
    ["window 1w", withLimit({ window: "1w" }), `${at}.settings.limits.per_ip.window`],
    ["window empty", withLimit({ window: "" }), `${at}.settings.limits.per_ip.window`],
    ["window 60", withLimit({ window: 60 }), `${at}.settings.limits.per_ip.window`],
    ["window 400d", withLimit({ window: "400d" }), `${at}.settings.limits.per_ip.window`],
    ["an extra member", withLimit({ burst: 2 }), `${at}.settings.limits.per_ip.burst`],
    ["limits missing", withSettings({ limits: undefined }), `${at}.settings.limits`],
    ["limits empty", withSettings({ limits: {} }), `${at}.settings.limits`],
    ["limits a list", withSettings({ limits: [] }), `${at}.settings.limits`],
    [
      "an unknown type",
      withSettings({ limits: { per_ua: { limit: 1, window: "1m" } } }),
      `${at}.settings.limits.per_ua`,
    ],
    ["actions missing", withActions(undefined), `${at}.settings.actions`],
    ["actions empty", withActions({}), `${at}.settings.actions.type`],
    ["type drop", withActions({ type: "drop" }), `${at}.settings.actions.type`],
    [
      "retry_after as a number",
      withActions({ type: "reject", retry_after: 30 }),
      `${at}.settings.actions.retry_after`,
    ],
    [
      "retry_after in words",
      withActions({ type: "reject", retry_after: "soon" }),
      `${at}.settings.actions.retry_after`,
    ],
    [
      "block_for without block",
      withActions({ type: "reject", block_for: "1h" }),
      `${at}.settings.actions.block_for`,
    ],
    [
      "block_for of nothing",
      withActions({ type: "block", block_for: "0s" }),
      `${at}.settings.actions.block_for`,
    ],
    ["on_store_error maybe", withSettings({ on_store_error: "maybe" }), `${at}.settings.on_store`],
    ["an unknown setting", withSettings({ mode: "fast" }), `${at}.settings.mode`],
    ["stage post_response", { ...good, stage: "post_response" }, `${at}.stage`],
    ["an unknown plugin", { ...good, name: "rate_limit" }, `${at}.name`],
  ])("%s", async (_, entry, member) => {
    await using limited = await startLimited(await kit(), {
      limits: { per_ip: { limit: 2, window: "1m" } },
    });

    const reply = await (await kit()).post(`/api${limited.path}`, { required_plugins: [entry] });
    const { error, message } = (await reply.json()) as { error: string; message: string };

    expect([reply.status, error]).toEqual([422, "validation_failed"]);
    expect(message).toStartWith(member);
    expect(await limited.statuses(3)).toEqual([200, 200, 429]);
  });
});

test("an invalid second entry is named by its own index", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { per_ip: { limit: 2, window: "1m" } },
  });

  const reply = await (await kit()).put(limited.path, {
    required_plugins: [good, withLimit({ limit: 0 })],
  });

  expect(((await reply.json()) as { message: string }).message).toStartWith(
    "required_plugins[1].settings.limits.per_ip.limit",
  );
});

test("GET /v1/plugins returns the schema of the settings", async () => {
  const reply = await (await kit()).get("/v1/plugins");
  const { items } = (await reply.json()) as { items: Record<string, unknown>[] };

  expect(items[0]).toMatchObject({
    name: "rate_limiter",
    stages: ["pre_request"],
    settings_schema: {
      type: "object",
      required: ["limits", "actions"],
      properties: { limits: { properties: { per_ip: { required: ["limit", "window"] } } } },
    },
  });
});
