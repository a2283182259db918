/** Approvals in the console: decided by a person, and applied to the next evaluation. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
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
  await go("");

  await side.getByText("2 pending").waitFor();
  await side.click();
  const rows = page.locator(".table tbody tr");
  await rows.nth(1).waitFor();
  expect(await rows.nth(1).textContent()).toMatch(/Moneyananonepaypending/);
  await rows.nth(1).getByRole("button").click();
  const dialog = page.getByRole("dialog", { name: "Approval: Money" });
  await dialog.getByText(/^Condition/).waitFor();
  await dialog
    .locator("figure", { hasText: "/params/arguments/purpose" })
    .getByText("rent")
    .waitFor();
  await dialog.locator("figure", { hasText: "/params/arguments/amount" }).getByText("5").waitFor();
  await dialog.getByLabel("Note (optional)").fill("Known landlord");
  await dialog.getByRole("button", { name: "Approve" }).click();

  await page.getByText("Money was approved.").waitFor();
  await side.getByText("1 pending").waitFor();
  expect((await guard.evaluate(pay(5, "ana", { approval_id }))).status).toBe("report");
  expect((await guard.evaluate(pay(6, "ana", { approval_id }))).status).toBe("ask");
  await page.getByLabel("Status").selectOption("Approved");
  await rows.getByText("Decides").waitFor();
  await rows.first().getByRole("button").click();
  expect(await dialog.textContent()).toMatch(/Decided byDecides.*NoteKnown landlord/);
  expect(await dialog.getByRole("button", { name: "Approve" }).count()).toBe(0);
  await dialog.getByRole("link", { name: "Open in Activity" }).click();
  const sheet = page.getByRole("dialog", { name: "Evaluation" });
  await sheet.getByText(evaluation.request_id, { exact: true }).waitFor();
  await sheet.getByRole("link", { name: "Open in Approvals" }).click();
  await dialog.getByText("Known landlord").waitFor();
  await page.reload();
  await dialog.getByText("Known landlord").waitFor();
  expect(opened.violations).toEqual([]);
});

test("a denied payload does not pass; an approval that was already decided shows an error", async () => {
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
  const rows = page.locator(".table tbody tr");
  const dialog = page.getByRole("dialog");

  await rows.nth(1).getByRole("button").click();
  await dialog.getByText("rent").waitFor();
  await dialog.getByRole("button", { name: "Deny" }).click();
  await page.getByText("Gifts was denied.").waitFor();
  expect((await guard.evaluate(pay(1, "bo-1", { approval_id: ids[0] }))).status).toBe("ask");

  await rows.first().getByRole("button").click();
  await dialog.getByText("rent").waitFor();
  await kit.post(`/v1/approvals/${ids[1]}/decide`, { decision: "denied" });
  await dialog.getByRole("button", { name: "Approve" }).click();
  await dialog.getByText("Decided by").waitFor();
  expect(await dialog.getByRole("alert").textContent()).toContain(
    "This approval is already denied",
  );
  expect(await dialog.getByRole("button", { name: "Approve" }).count()).toBe(0);
  await rows.getByText("bo-2").waitFor({ state: "detached" });
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

  await go("/approvals?q=Trips");
  expect(await page.locator(".table tbody tr").count()).toBe(1);
  await page.locator("tbody button").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^Condition/).waitFor();
  expect(await dialog.textContent()).toContain(
    "Visible to the roles approver, auditor, admin and owner",
  );
  expect(await dialog.locator("figure").count()).toBe(0);
  expect(await page.getByRole("button", { name: /Approve|Deny/ }).count()).toBe(0);
  await move("/approvals?q=Trips&status=expired");
  expect(await page.locator(".table tbody tr").textContent()).toContain("expired");
});
