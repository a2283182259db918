/** Pages of principals in a real browser, with the headers that browsers send. */
import { expect, setDefaultTimeout, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { sharedKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { startVendor } from "../kit/vendor.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

/** Returns axe findings in both themes, and whether the page is wider than the screen. */
async function findFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
    faults.push(...found.map((text) => `${colorScheme} ${text}`));
  }
  await page.setViewportSize({ width: 360, height: 800 });
  if (await page.evaluate(() => document.documentElement.scrollWidth > 360))
    faults.push("too wide");
  await page.setViewportSize({ width: 1280, height: 800 });
  return faults;
}

test("an employee finds, requests, installs, connects and removes servers, and rotates a token", async () => {
  const kit = await started();
  await using vendor = await startVendor(kit);
  const { store } = vendor;
  const url = "https://mcp.example.com/mcp";
  const add = (entry: object) => kit.make(`${store.path}/store/catalog`, { url, ...entry });
  await add({ code: "wiki", name: "Wiki", vendor: "Example", description: "Finds pages." });
  await add({ code: "pay", name: "Payroll", category: "finance" });
  await add({ code: "crm", name: "Acme", auth: { type: "key" } });
  await add({ code: "hr", name: "Salaries" });
  const rule = (target: string, level: string) => ({
    ...{ subject_type: "everyone", target_type: "code" },
    ...{ target, level },
  });
  await kit.make(`${store.path}/store/access-rules`, rule("pay", "request"));
  await kit.make(`${store.path}/store/access-rules`, rule("hr", "none"));
  const fields = [{ key: "X-Team", label: "Team", in: "header", required: true }];
  await kit.make(`${store.path}/registries`, {
    ...{ name: "Pay", type: "mcp", auth: { type: "principal_key" } },
    provider_options: { code: "pay", url, fields },
  });
  const token = await store.token("carol");
  await store.newToken("carol");
  await using opened = await open(kit, { token: null });
  const { page } = opened;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const follow = (name: string) => page.getByRole("link", { name, exact: true }).click();
  const card = (name: string) =>
    page.getByRole("article").filter({ has: page.getByRole("heading", { name, exact: true }) });
  const item = (name: string) => page.getByRole("listitem").filter({ hasText: name });
  const faults: string[] = [];

  await page.goto(`${kit.url}/me`);
  await page.getByLabel("Your token").fill(token);
  await press("Continue");
  await page.getByLabel("Search", { exact: true }).fill("ACME");
  await page.getByText("1 server", { exact: true }).waitFor();
  expect(await card("Acme").innerText()).toContain("Not set up yet");
  await page.getByLabel("Search", { exact: true }).fill("salaries");
  await page.getByText("No server matches.").waitFor();
  await page.getByLabel("Search", { exact: true }).fill("");
  await page.getByLabel("Category", { exact: true }).selectOption("Finance");
  await card("Payroll").waitFor();
  faults.push(...(await findFaults(page)));

  await follow("Request Payroll");
  await page.getByLabel("Why do you need Payroll?").fill("For the audit");
  const needs = page.getByRole("heading", { name: "What you need" }).locator("+ ul");
  expect(await needs.getByRole("listitem").allTextContents()).toEqual([
    "Your own API key.",
    "Team.",
  ]);
  faults.push(...(await findFaults(page)));
  await press("Send request");
  await page.getByText("Waiting for approval").waitFor();
  await follow("Store");
  await page.getByLabel("Search", { exact: true }).fill("wiki");
  await press("Install Wiki");
  await item("Wiki").getByText("Ready", { exact: true }).waitFor();
  await page.goto(`${kit.url}/me?q=test/linear`);
  await press("Install Linear");
  await page.getByRole("heading", { name: "Linear" }).waitFor();
  await follow("My servers");
  await item("Linear").getByText("Needs sign-in").waitFor();
  faults.push(...(await findFaults(page)));
  await follow("Sign in at Linear");
  await press("Sign in at Linear");
  await page.getByRole("heading", { name: "Linear is connected" }).waitFor();
  await follow("My servers");
  await item("Linear").getByText("Ready", { exact: true }).waitFor();

  await press("Cancel request for Payroll");
  await page.getByText("Waiting for approval").waitFor({ state: "detached" });
  await item("Wiki").getByText("Remove", { exact: true }).click();
  await press("Remove Wiki");
  await item("Wiki").waitFor({ state: "detached" });
  await follow("Connect a client");
  await press("Copy the configuration of Cursor");
  await page.getByText("Copied").waitFor();
  const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
  expect(copied.mcpServers.company.url).toBe(`${kit.url}/me/mcp`);
  faults.push(...(await findFaults(page)));
  await follow("Your tokens");
  faults.push(...(await findFaults(page)));
  expect(await page.getByRole("listitem").count()).toBe(2);
  expect(await page.getByText("Uses your accounts.").count()).toBe(1);
  await press("Rotate the token you are signed in with");
  const next = (await page.locator("#new-token").textContent()) ?? "";
  await using client = await connectClient(`${kit.url}/me/mcp`, {
    authorization: `Bearer ${next}`,
  });
  expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  expect(faults).toEqual([]);
  // The sign-in page of the vendor is on another host.
  expect(opened.violations.filter((text) => !text.includes("/authorize?"))).toEqual([]);
});
