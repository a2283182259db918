/** Activity in the console: filters, details, text search, export and erasure. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeGuard, makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";
import { serveUnder } from "./prefix-proxy.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const CARD = "My card is 4111 1111 1111 1111, thanks.";

async function tokenOf(kit: Kit, role: string): Promise<string> {
  const body = { name: `Activity ${role}`, role };
  return (await kit.make<{ token: string }>("/v1/tokens", body)).token;
}

test("evaluations are listed, counted and filtered by clicking a value, and Back removes the filter", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", {
    collector: { name: "Shop" },
  });
  const source = { source: { application: "till" } };
  await guard.evaluate({ payload: { input: CARD }, consumer_id: "ana", attributes: source });
  await guard.evaluate({ payload: { input: "one pear" }, consumer_id: "bo", protocol: "mcp" });
  await using opened = await open(kit);
  const { page, go } = opened;
  const rows = page.locator(".table tbody tr");
  await go(`/activity?collector_id=${guard.collector.id}`);

  expect(await rows.count()).toBe(2);
  expect(await rows.nth(1).textContent()).toMatch(
    /blockinputallanatillShoppolicy \d+data_loss_prevention \d+/,
  );
  const counts = page.getByLabel("Evaluations by status");
  expect(await counts.textContent()).toMatch(/^2 total1block.*1allow/);
  await rows.nth(1).getByRole("button", { name: "ana" }).click();
  await page.getByLabel("Filters").getByText("Consumer: ana").waitFor();
  await page.getByRole("button", { name: "bo", exact: true }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("consumer_id")).toBe("ana");
  await page.goBack();
  await page.getByRole("button", { name: "bo", exact: true }).waitFor();
  await counts.getByRole("button", { name: "allow" }).click();
  await page.getByRole("button", { name: "ana", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Remove filter Status: allow" }).click();

  await page.getByLabel("Filter by").selectOption("Trace or request ID");
  const { items } = await (await kit.get("/v1/activity?consumer_id=bo")).json();
  await page.getByLabel("Trace or request ID").fill(items[0].id);
  await page.keyboard.press("Enter");
  await page.waitForURL(/request_id=/);
  await page.getByRole("button", { name: "ana", exact: true }).waitFor({ state: "detached" });
  expect(await rows.count()).toBe(1);

  // New evaluations and the number of pending approvals appear by themselves.
  await go(`/activity?collector_id=${guard.collector.id}&consumer_id=cy`);
  const asking = await makeGuard(kit, {
    gates: [{ name: "Ask", when: { field: "direction", op: "eq", value: "input" }, action: "ask" }],
  });
  await asking.evaluate({ payload: { input: "may I" }, consumer_id: "cy" });
  await guard.evaluate({ payload: { input: "two pears" }, consumer_id: "dee" });
  await guard.evaluate({ payload: { input: "three pears" }, consumer_id: "cy" });
  await rows.getByRole("button", { name: "cy", exact: true }).waitFor();
  await page.getByRole("link", { name: "Approvals" }).getByText("1 pending").waitFor();
  expect(await rows.count()).toBe(1);
  expect(opened.violations).toEqual([]);
});

test("an evaluation lists the parts that were not inspected", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  const file_data = `data:image/png;base64,${Buffer.from("\x89PNG\0\0\0\0").toString("base64")}`;
  const { request_id } = await guard.evaluate({ payload: { file_data } });
  await using opened = await open(kit);

  await opened.go(`/activity?collector_id=${guard.collector.id}&open=${request_id}`);

  await opened.page.getByText("/file_data: binary").waitFor();
});

test("Home shows the number of evaluations and of blocked ones", async () => {
  await using kit = await startKit();
  await kit.make("/v1/gateways", { name: "Shop" });
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  for (const input of [CARD, "one pear"]) await guard.evaluate({ payload: { input } });
  await using opened = await open(kit);
  const { page, go } = opened;

  await go("");
  const tile = page.getByRole("link", { name: "Evaluations, all gateways 2" });
  await tile.waitFor();
  expect(await page.getByRole("link", { name: /^Blocked 1/ }).textContent()).toContain("50%");
  await tile.click();

  await page.getByRole("heading", { name: "Activity" }).waitFor();
});

test("an unknown time range in the address selects the last hour", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go } = opened;
  const starts: (string | null)[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/v1/activity") starts.push(searchParams.get("from"));
  });

  await go("/activity?range=77h");

  expect(await page.getByLabel("Time").locator("option:checked").textContent()).toBe("Last hour");
  expect(starts).toEqual([expect.stringMatching(/Z$/)]);
});

test("a gate is selected by name in the detector filter, and long names widen neither it nor the list", async () => {
  const kit = await started();
  await kit.make("/v1/detectors", { name: "long ".repeat(40), kind: "secrets", settings: {} });
  const when = { field: "consumer.id", op: "eq", value: "ana" };
  const name = "Approve payments of customers in production";
  const gates = [{ name: "Only Ana", when, action: "block" }];
  const guard = await makeGuard(kit, { name, gates }, { name: "Shop assistant of customers" });
  const attributes = { source: { application: "Shop of customers in production" } };
  const consumer_id = "customer-of-the-shop-1234";
  await guard.evaluate({ payload: { input: "go" }, consumer_id: "ana" });
  await guard.evaluate({ payload: { input: "go" }, consumer_id, attributes });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/activity?collector_id=${guard.collector.id}`);

  await page.locator(`[title="Filter by this policy: ${name}"]`).first().waitFor();
  const table = page.locator(".table");
  expect(await table.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  await page.getByLabel("Filter by").selectOption("Detector or gate");
  const chooser = page.getByLabel("Detector or gate");
  expect((await chooser.boundingBox())?.width).toBeLessThan(400);
  await chooser.selectOption("Only Ana");

  await page.getByRole("button", { name: consumer_id }).waitFor({ state: "detached" });
  expect(await page.locator(".table tbody tr").textContent()).toContain("Only Ana");
});

test("a long condition of a gate wraps on a phone", async () => {
  const kit = await started();
  const value = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
  const when = { field: "tool.name", op: "in", value };
  const guard = await makeGuard(kit, { gates: [{ name: "Many", when, action: "block" }] });
  const attributes = { tool: { name: "tool_3" } };
  const { request_id } = await guard.evaluate({ payload: { input: "go" }, attributes });
  await using opened = await open(kit, { width: 390 });
  const { page, go } = opened;

  await go(`/activity?request_id=${request_id}&open=${request_id}`);
  await page
    .getByRole("dialog")
    .getByText(/^Applies when the tool name is /)
    .waitFor();

  const wide = await page.locator("dialog").evaluate((box) => box.scrollWidth - box.clientWidth);
  expect(wide).toBe(0);
});

test("arrow keys step through open evaluations, and load further pages", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", { action: "transform" });
  await guard.evaluate({ payload: { messages: [{ role: "user", content: CARD }] } });
  for (let turn = 0; turn < 50; turn += 1) {
    await guard.evaluate({ payload: { input: "x" }, consumer_id: `c${turn}` });
  }
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/activity?collector_id=${guard.collector.id}`);
  const dialog = page.getByRole("dialog", { name: "Evaluation" });
  const consumer = (id: string) =>
    dialog.locator("dd").filter({ hasText: new RegExp(`^${id}Filter`) });

  expect(await page.locator(".table tbody tr").count()).toBe(50);
  await page.locator(".table tbody tr").nth(48).getByRole("button").first().click();
  await consumer("c1").waitFor();
  await page.keyboard.press("ArrowRight");
  await consumer("c0").waitFor();
  await page.keyboard.press("ArrowRight");
  await dialog.locator("mark", { hasText: "[MASKED_CC]" }).waitFor();
  expect(await dialog.locator("figure pre").textContent()).toBe(
    "My card is [MASKED_CC]credit card: transform, thanks.",
  );
  const text = (await dialog.textContent()) ?? "";
  expect(text).toMatch(/Policypolicy \d+, version 1 \(enforce\)/);
  expect(text).toContain("credit_card /messages/0/content characters 11 to 30");
  expect(text).toContain("with personal data and secrets masked");
  expect(await dialog.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
  await page.keyboard.press("ArrowLeft");
  await consumer("c0").waitFor();
  await page.keyboard.press("Escape");
  expect(new URL(page.url()).searchParams.has("open")).toBe(false);
});

test("a text search loads further pages by itself until one is full", async () => {
  await using kit = await startKit();
  const guard = await makeGuard(kit, {});
  const { request_id } = await guard.evaluate({ payload: { input: "the needle" } });
  await makeNewer(kit, request_id);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/activity");
  const pages: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/v1/activity?")) pages.push(request.url());
  });

  await page.getByLabel("Search stored text").fill("needle");
  await page.keyboard.press("Enter");

  await page.waitForURL(/q=needle/);
  await page.locator(".table tbody tr").first().getByRole("button", { name: "allow" }).waitFor();
  await page.locator("body:not(:has([aria-busy=true]))").waitFor();
  expect(await page.locator(".table tbody tr").count()).toBe(1);
  expect(pages.map((url) => new URL(url).searchParams.has("cursor"))).toEqual([false, true]);
});

/** Copies of an event with other texts: more than the server goes through for one page. */
async function makeNewer(kit: Kit, id: string): Promise<void> {
  await kit.get(`/v1/activity/${id}`); // what an administrator was shown is in the database
  const event = await kit.db.one<Record<string, unknown>>(
    "SELECT * FROM evaluation_events WHERE id = $1",
    id,
  );
  const others = Object.keys(event ?? {}).filter((name) => name !== "id" && name !== "texts");
  const numbered = `WITH RECURSIVE count (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM count WHERE i < 5100),
    newer AS (SELECT printf('ffffffff-ffff-7fff-8fff-%012d', i) AS new_id FROM count)`;
  await kit.db.run(
    `${numbered} INSERT INTO evaluation_events (id, texts, ${others})
     SELECT new_id, '["hay"]', ${others} FROM newer, evaluation_events WHERE id = $1`,
    id,
  );
}

test("an auditor can read, search and export content; a viewer cannot", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, {});
  await guard.evaluate({ payload: { input: "between us" } });
  const place = `/activity?collector_id=${guard.collector.id}`;
  const view = async (role: string) => {
    await using opened = await open(kit, { token: await tokenOf(kit, role) });
    const { page, go } = opened;
    await go(place);
    const href = page.getByRole("link", { name: "CSV" });
    const download = (await href.count()) > 0 ? page.waitForEvent("download") : undefined;
    if (download) await href.click();
    await page.locator("tbody .link").first().click();
    await page.locator("body:not(:has([aria-busy=true]))").waitFor();
    const text = (await page.getByRole("dialog").textContent()) ?? "";
    const erases = await page.getByRole("button", { name: "More options" }).count();
    const searches = await page.getByLabel("Search stored text").count();
    return { text, file: (await download)?.suggestedFilename(), erases, searches };
  };

  const viewer = await view("viewer");
  const auditor = await view("auditor");

  expect(viewer).toMatchObject({ file: undefined, erases: 0, searches: 0 });
  expect(viewer.text).not.toContain("between us");
  expect(viewer.text).toContain("Visible to the roles auditor, admin and owner.");
  expect(auditor).toMatchObject({ file: "activity.csv", erases: 0, searches: 1 });
  expect(auditor.text).toContain("between us");
});

test("an owner erases a consumer after typing its id twice, also behind a proxy", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, {});
  await guard.evaluate({ payload: { input: "x" }, consumer_id: "forget me" });
  await guard.evaluate({ payload: { input: "y" }, consumer_id: "keep me" });
  await using proxy = serveUnder("/a/b", kit.url);
  await using opened = await open(kit, { url: proxy.url });
  const { page, go } = opened;
  await go(`/activity?collector_id=${guard.collector.id}`);

  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "Erase a consumer…" }).click();
  const dialog = page.getByRole("dialog");
  const sure = dialog.getByRole("button", { name: "Erase", exact: true });
  await dialog.getByLabel("consumer_id").fill("forget me");
  await dialog.getByLabel("Type it again to confirm").fill("forget");
  expect(await sure.isDisabled()).toBe(true);
  await dialog.getByLabel("Type it again to confirm").fill("forget me");
  await sure.click();

  await page.getByText("Erased 1 evaluations of forget me.").waitFor();
  await page.getByRole("button", { name: "forget me" }).waitFor({ state: "detached" });
  expect(await page.locator(".table tbody tr").count()).toBe(1);
  expect(proxy.strays).toEqual([]);
});
