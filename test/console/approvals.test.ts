/** Approvals in the console: decided by a person, and applied to the next evaluation. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const GATE = { name: "Money", when: { field: "tool.name", op: "eq", value: "pay" }, action: "ask" };
const pay = (amount: number, consumer_id: string, attributes: object = {}) => ({
  payload: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "pay", arguments: { amount, purpose: "rent" } },
  },
  protocol: "mcp",
  consumer_id,
  attributes,
});

const ARGUMENT = "dl.arguments";

test("an approver sees the pending count, approves one payload, and only that payload passes", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [GATE] }, { content_storage: "none" });
  const evaluation = await guard.evaluate(pay(5, "ana"));
  await guard.evaluate(pay(6, "ana"));
  const approval_id = String(evaluation.findings[0]?.evidence.approval_id);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Decides",
    role: "approver",
  });
  await using opened = await open(kit, { token });
  const { page, go } = opened;
  const side = page.getByRole("link", { name: "Approvals" });
  const details = page.getByRole("region", { name: "Selected approval" });
  await go("");

  await side.getByText("2 pending").waitFor();
  await side.click();
  await details.locator(ARGUMENT, { hasText: "amount6" }).waitFor();
  await page.keyboard.press("j");
  await details.locator(ARGUMENT, { hasText: "amount5" }).waitFor();
  expect(await details.locator(ARGUMENT).textContent()).toBe("purposerentamount5");
  await details.getByText(/^Applies when the tool name is /).waitFor();
  await details.getByLabel("Note (optional)").fill("Known landlord");
  await details.getByRole("button", { name: "Approve" }).click();

  await page.getByText("Money was approved.").waitFor();
  await details.locator(ARGUMENT, { hasText: "amount6" }).waitFor();
  await side.getByText("1 pending").waitFor();
  expect((await guard.evaluate(pay(5, "ana", { approval_id }))).status).toBe("report");
  expect((await guard.evaluate(pay(6, "ana", { approval_id }))).status).toBe("ask");
  await page.getByLabel("Status").selectOption("Approved");
  await page.locator(".inbox-list").getByText("decided by Decides").waitFor();
  await details.getByText("Known landlord").waitFor();
  expect(await details.textContent()).toMatch(/Decided byDecides.*NoteKnown landlord/);
  expect(await details.getByRole("button", { name: "Approve" }).count()).toBe(0);
  await details.getByRole("link", { name: "Open in Activity" }).click();
  const sheet = page.getByRole("dialog", { name: "Evaluation" });
  await sheet.getByText(evaluation.request_id, { exact: true }).waitFor();
  await sheet.getByRole("link", { name: "Open in Approvals" }).click();
  await details.getByText("Known landlord").waitFor();
  await page.reload();
  await details.getByText("Known landlord").waitFor();
  expect(opened.violations).toEqual([]);
});

test("a rejected payload does not pass; an approval that was already decided shows an error", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ ...GATE, name: "Gifts" }] });
  const ids: string[] = [];
  for (const amount of [1, 2]) {
    const { findings } = await guard.evaluate(pay(amount, `bo-${amount}`));
    ids.push(String(findings[0]?.evidence.approval_id));
  }
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/approvals?q=Gifts");
  const details = page.getByRole("region", { name: "Selected approval" });
  const items = page.locator(".inbox-list button");

  await items.nth(1).click();
  await details.locator(ARGUMENT, { hasText: "amount1" }).waitFor();
  await page.keyboard.press("r");
  await page.getByText("Gifts was rejected.").waitFor();
  expect((await guard.evaluate(pay(1, "bo-1", { approval_id: ids[0] }))).status).toBe("ask");

  await details.locator(ARGUMENT, { hasText: "amount2" }).waitFor();
  await kit.post(`/v1/approvals/${ids[1]}/decide`, { decision: "denied" });
  await details.getByRole("button", { name: "Approve" }).click();
  await details.getByText("Decided by").waitFor();
  expect(await details.getByRole("alert").textContent()).toContain(
    "This approval is already denied",
  );
  expect(await details.getByRole("button", { name: "Approve" }).count()).toBe(0);
  await items.getByText("bo-2").waitFor({ state: "detached" });
});

test("a viewer can read approvals but not decide; an expired approval is marked as expired", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ ...GATE, name: "Trips" }] });
  await guard.evaluate(pay(7, "cy"));
  await guard.evaluate(pay(8, "cy"));
  await kit.db.run(
    "UPDATE approvals SET expires_at = $1 WHERE asked_by = 'Trips' AND created_at = (SELECT MIN(created_at) FROM approvals WHERE asked_by = 'Trips')",
    new Date(0).toISOString(),
  );
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Looks",
    role: "viewer",
  });
  await using opened = await open(kit, { token });
  const { page, go, move } = opened;
  const items = page.locator(".inbox-list li");

  await go("/approvals?q=Trips");
  const details = page.getByRole("region", { name: "Selected approval" });
  await details.getByText(/^Applies when the tool name is /).waitFor();
  expect(await items.count()).toBe(1);
  expect(await details.textContent()).toContain(
    "Visible to the roles approver, auditor, admin and owner",
  );
  expect(await page.getByRole("button", { name: /Approve|Reject/ }).count()).toBe(0);
  expect(await page.getByRole("checkbox").count()).toBe(0);
  await move("/approvals?q=Trips&status=expired");
  expect(await items.textContent()).toContain("expired");
});

test("evaluations and Store requests are decided together, and failures are reported per item", async () => {
  const kit = await started();
  const store = await startStore(kit, "request");
  const { id: gateway_id } = store.gateway;
  const gates = [{ ...GATE, name: "Both" }];
  const guard = await makeGuard(kit, { gates }, { gateway_id });
  for (const consumer of ["dee", "First owner"]) await guard.evaluate(pay(1, consumer));
  await store.instance("pub", "Europe");
  await store.instance("pub", "America");
  await store.install({ code: "site", reason: "For the shop" });
  await store.install({ code: "pub", reason: "For the night shift" });
  await using opened = await open(kit, { width: 360 });
  const { page, go } = opened;
  const items = page.locator(".inbox-list li");
  const bulk = page.getByRole("region", { name: "Selected items" });
  await go(`/approvals?gateway_id=${gateway_id}`);

  await items.nth(3).waitFor();
  expect(await page.getByLabel("Select Both: pay").first().isDisabled()).toBe(true);
  await page.getByLabel("Select all 3").check();
  expect(await bulk.getByRole("button", { name: "Reject 3" }).isDisabled()).toBe(true);
  await bulk.getByLabel("Note").fill("Checked");
  await bulk.getByRole("button", { name: "Approve 3" }).click();

  await page.getByText("2 approved, 1 failed.").waitFor();
  expect(await bulk.getByRole("alert").textContent()).toBe(
    "alice requests Server pub: Instance: required, because the server has several instances",
  );
  await items.nth(2).waitFor({ state: "detached" });
  expect(await store.installed()).toMatchObject([{ code: "site" }]);
  await items.last().getByRole("button").click();
  await page.getByText("or created its key. Another person must decide it.").waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.getByLabel("Kind").selectOption("Store requests");
  await items.nth(1).waitFor({ state: "detached" });
  expect(await items.textContent()).toContain("alice requests Server pub");
  expect(opened.violations).toEqual([]);
});

test("an approver sees hidden characters, and arguments of the same name by their location", async () => {
  const kit = await started();
  const guard = await makeGuard(
    kit,
    { gates: [{ ...GATE, name: "Mirrors" }] },
    { content_storage: "none" },
  );
  const { payload, ...call } = pay(5, "ana");
  const params = { name: "pay", arguments: { to: "\u202eecila\u{e0041}" }, input: { to: "alice" } };
  await guard.evaluate({ ...call, payload: { ...payload, params } });
  await using opened = await open(kit);
  const details = opened.page.getByRole("region", { name: "Selected approval" });

  await opened.go("/approvals?q=Mirrors");

  const shown = details.locator(ARGUMENT, { hasText: "ecila" });
  await shown.waitFor();
  expect(await shown.textContent()).toBe(
    "/params/arguments/to\\u202eecila\\u{e0041}/params/input/toalice",
  );
});

test("names of others in titles, lists and details show hidden characters", async () => {
  const kit = await started();
  const guard = await makeGuard(kit, { gates: [{ ...GATE, name: "Hidden", when: null }] });
  const { payload, ...call } = pay(5, "an\u200da\u202e");
  const params = { name: "pay\u200b\u{e0041}\ufe0f", arguments: { amount: 5 } };
  await guard.evaluate({ ...call, payload: { ...payload, params } });
  await using opened = await open(kit);
  const { page } = opened;
  const details = page.getByRole("region", { name: "Selected approval" });
  const tool = "pay\\u200b\\u{e0041}\\ufe0f";
  const consumer = "an\\u200da\\u202e";

  await opened.go("/approvals?q=Hidden");

  expect(await details.locator("h2").textContent()).toBe(`Hidden: ${tool}`);
  const facts = await details.textContent();
  expect(facts).toContain(`Tool${tool}`);
  expect(facts).toContain(`Consumer${consumer}`);
  const item = page.locator(".inbox-list li", { hasText: "Hidden" });
  expect(await item.textContent()).toContain(`Hidden: ${tool}${consumer} · `);
  await details.getByRole("button", { name: "Reject" }).click();
  await item.waitFor({ state: "detached" });
  await opened.go("/activity");
  const row = page.getByRole("row", { name: "Hidden" }).first();
  await row.waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(HIDDEN);
});

const HIDDEN = /\p{Default_Ignorable_Code_Point}/u;

test("an approver sees the name of every tool that a model calls, also if the client names another", async () => {
  const kit = await started();
  const gates = [{ name: "Calls", when: null, action: "ask" }];
  const guard = await makeGuard(kit, { gates }, { content_storage: "none" });
  const call = (name: string, args: string) => ({ function: { name, arguments: args } });
  const tool_calls = [call("look", '{"at":5}'), call("wipe", "")];
  const payload = { messages: [{ role: "assistant", tool_calls }] };
  await guard.evaluate({ payload, protocol: "llm", attributes: { tool: { name: "look" } } });
  await using opened = await open(kit);
  const details = opened.page.getByRole("region", { name: "Selected approval" });

  await opened.go("/approvals?q=Calls");

  const location = "/messages/0/tool_calls/0/function/arguments/at";
  await details.locator(ARGUMENT, { hasText: `${location}5` }).waitFor();
  expect(await details.locator(".stored").allTextContents()).toEqual([
    "/messages/0/tool_calls/1/function called toolwipe",
  ]);
  expect(await details.textContent()).toContain("Toollook");
});
