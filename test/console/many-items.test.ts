/** Long lists and unusual names: everything is reachable, and nothing overflows the screen. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { version } from "../../package.json" with { type: "json" };
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

test("on a phone the navigation is a drawer, and rows of tables are cards", async () => {
  const kit = await started();
  await kit.make("/v1/gateways", { name: "On a phone" });
  await using opened = await open(kit, { width: 360 });
  const { page, go } = opened;
  await go("/gateways");
  const navigation = page.getByRole("navigation", { name: "Console" });
  const button = page.getByRole("button", { name: "Navigation" });
  const hasFocus = () => button.evaluate((element) => element === document.activeElement);

  expect((await page.locator("h1").boundingBox())?.y).toBeLessThan(200);
  expect(await navigation.isVisible()).toBe(false);
  await button.press("Enter");
  await navigation.waitFor();
  await page.keyboard.press("Escape");
  await navigation.waitFor({ state: "hidden" });
  expect(await hasFocus()).toBe(true);
  await button.click();
  await navigation.getByRole("link", { name: "Approvals" }).click();
  await page.getByRole("heading", { name: "Approvals", level: 1 }).waitFor();
  await navigation.waitFor({ state: "hidden" });

  await opened.move("/gateways");
  const cells = page.locator("tbody tr").first().locator("th, td");
  const boxes = await Promise.all((await cells.all()).map((cell) => cell.boundingBox()));
  expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
  expect(await cells.nth(1).evaluate((cell) => getComputedStyle(cell, "::before").content)).toBe(
    '"Slug"',
  );
});

test("the theme and the time zone are stored in the browser", async () => {
  const kit = await started();
  const gateway = await kit.make<{ id: string; created_at: string }>("/v1/gateways", {
    name: "In Tokyo",
  });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/gateways?q=tokyo");
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: /^Account:/ }).press("Enter");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Preferences" });
  await dialog.getByLabel("Theme").selectOption("Dark");
  await dialog.getByLabel("Time zone").selectOption("Asia/Tokyo");
  await dialog.getByRole("button", { name: "Done" }).click();
  const dark = await background();
  expect(dark).not.toBe(light);

  await page.reload();
  await page.getByRole("table").waitFor();
  expect(await background()).toBe(dark);
  const format = { dateStyle: "medium", timeStyle: "short", timeZone: "Asia/Tokyo" } as const;
  const wanted = new Intl.DateTimeFormat("en-US", format).format(new Date(gateway.created_at));
  expect(await page.locator("tbody time").first().textContent()).toBe(wanted);
  const footer = page.getByRole("contentinfo");
  expect(await footer.innerText()).toContain("Time zone: Asia/Tokyo");
  expect(await footer.innerText()).toContain(`Portcullis ${version}`);
  const guide = await page.getByRole("link", { name: /^Guide: / }).getAttribute("href");
  expect((await fetch(guide ?? "")).status).toBe(200);
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
