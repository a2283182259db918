/** Long lists and unusual names: everything is reachable, and nothing overflows the screen. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { addConsumer } from "../kit/dataplane.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(60_000);

const started = sharedKit();
const open = sharedBrowser();

/** Creates more items than the largest page of 200; the last by name is `zz`. */
const many = (make: (name: string) => Promise<unknown>) =>
  Promise.all([...Array.from({ length: 200 }, (_, n) => `a${n}`), "zz"].map(make));

const registry = (kit: Kit, path: string) => (name: string) =>
  kit.make(`${path}/registries`, { name, provider: "demo" });

test("menus and names include more than the first 200 items", async () => {
  const kit = await started();
  const gateway = await kit.make<{ id: string; slug: string }>("/v1/gateways", { name: "Many" });
  const path = `/v1/gateways/${gateway.id}`;
  await many(registry(kit, path));
  await many((name) => kit.make(`${path}/consumers`, { name }));
  await many((name) => kit.make("/v1/collectors", { name }));
  await many((name) => kit.make("/v1/gateways", { name: `gateway ${name}` }));
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const countOptions = async (label: string) => {
    const options = page.locator("main").getByLabel(label, { exact: true }).locator("option");
    await options.filter({ hasText: /\bzz\b/ }).waitFor({ state: "attached" });
    return await options.count();
  };

  await go(`${path.slice(3)}/consumers/new`);
  expect(await countOptions("Attach a registry")).toBe(202);
  await move(`${path.slice(3)}/requests`);
  expect([await countOptions("Consumer"), await countOptions("Registry")]).toEqual([202, 202]);
  await move("/activity");
  await page.getByLabel("Filter by").selectOption("Collector");
  expect(await countOptions("Collector")).toBe(202);
  await move("/collectors/new");
  expect(await countOptions("Gateway")).toBeGreaterThanOrEqual(202);
  expect(opened.violations).toEqual([]);
});

test("a filter that the server rejects can be removed", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Refused" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/requests?consumer_id=unknown`);

  await page.getByText("The requests could not be loaded.").waitFor();
  await page.getByLabel("Consumer", { exact: true }).selectOption("Any");
  await page.getByText("No requests in this time range.").waitFor();

  await go("/gateways?cursor=no-such-cursor");
  await page.getByText("The gateways could not be loaded.").waitFor();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("table").waitFor();
});

const LONG = [
  "W".repeat(200),
  "مرحبا بالعالم، فريق الدفع",
  "👩‍👩‍👧‍👦 family",
  "<img src=x onerror=alert(1)>",
];

test.each([390, 1024])(
  "names of any length and script stay on a screen of %d px",
  async (width) => {
    const kit = await started();
    const asking = await makeGuardWithRules(kit, "data_loss_prevention", { action: "ask" });
    await asking.evaluate({ payload: { input: "4111 1111 1111 1111" }, consumer_id: LONG[0] });
    const paths: string[] = [
      "/approvals",
      "/gateways",
      "/policies",
      "/collectors",
      "/audit",
      "/tokens",
    ];
    for (const [at, name] of LONG.entries()) {
      const gateway = await kit.make<{ id: string; slug: string }>("/v1/gateways", { name });
      const path = `/gateways/${gateway.id}`;
      const upstream = await registry(kit, `/v1${path}`)(name);
      const registries = [{ id: upstream.id, weight: 1, models: {} }];
      const consumer = await kit.make(`/v1${path}/consumers`, { name, registries });
      const policy = await kit.make("/v1/policies", { name: `${name.slice(0, 190)} ${width}` });
      if (at > 0) continue;
      paths.push("", path, `${path}/registries/${upstream.id}`, `${path}/consumers`);
      paths.push(`${path}/consumers/${consumer.id}`, `/policies/${policy.id}`);
    }
    const store = await startStore(kit, "request");
    await store.install({ code: "pub", groups: LONG, reason: LONG[0] });
    paths.push(`/gateways/${store.gateway.id}/store`);
    await using opened = await open(kit, { width });
    const { page, go, move } = opened;
    await go("");
    const wide: string[] = [];
    for (const path of paths) {
      await move(path);
      const [page_px = 0, table_px = 0] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.querySelector("table")?.scrollWidth ?? 0,
      ]);
      // A table may be scrolled, but one name must not fill many screens.
      if (page_px > width || table_px > 1300) wide.push(`${path}: ${page_px}, ${table_px}`);
    }

    await move("/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    if (await page.locator("dialog").evaluate((box) => box.scrollWidth > box.clientWidth)) {
      wide.push("New token");
    }

    expect(wide).toEqual([]);
    expect(opened.violations).toEqual([]);
  },
);

test("the page starts on the first screen of a phone", async () => {
  const kit = await started();
  await using opened = await open(kit, { width: 390 });
  await opened.go("/gateways");

  expect((await opened.page.locator("h1").boundingBox())?.y).toBeLessThan(200);
});

test("the current navigation entry is visible on a phone", async () => {
  const kit = await started();
  await using opened = await open(kit, { width: 390 });
  const { page, go, move } = opened;
  const seen = async () => {
    const { x = -1, width = 0 } = (await page.locator(".side [aria-current]").boundingBox()) ?? {};
    return x >= 0 && x + width <= 390;
  };

  await go("/approvals");
  expect(await seen()).toBe(true);
  await move("");
  expect(await seen()).toBe(true);
});

test("a change in one tab appears in another; a reload keeps the gateway", async () => {
  const kit = await started();
  const gateway = await kit.make<{ id: string; slug: string }>("/v1/gateways", { name: "Zulu" });
  await addConsumer(kit, gateway, []);
  await using opened = await open(kit);
  const { page, go, move } = opened;
  await go(`/gateways/${gateway.id}/registries`);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.getByRole("link", { name: "New registry" }).first().click();
  await other.getByLabel("Provider").selectOption("demo");
  await other.getByLabel("Name", { exact: true }).fill("From the other tab");
  await other.getByRole("button", { name: "Create registry" }).click();
  await page.getByRole("link", { name: "From the other tab" }).waitFor();

  await move("");
  await page.reload();
  await page.getByText("Overview of Zulu.").waitFor();
  expect(await page.getByText("Time zone:").textContent()).toMatch(/: \w+/);
});

test("a name that cannot be part of a URL is rejected before the request is sent", async () => {
  const kit = await started();
  const policy = await kit.make("/v1/policies", { name: "Dots" });
  const collector = await kit.make("/v1/collectors", { name: "Dots" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/collectors/${collector.id}?tab=overrides`);
  await page.getByRole("button", { name: "New override" }).click();
  await page.getByLabel("consumer_id", { exact: true }).fill("..");
  await page.getByLabel("Policy", { exact: true }).selectOption(policy.id);
  await page.getByRole("button", { name: "Create override" }).click();

  await page.getByText("“..” cannot be part of a URL in a browser. Use the API instead.").waitFor();
});
