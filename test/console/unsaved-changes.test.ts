/** Unsaved changes and focus survive an expired session, an outage and an accidental link. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { OWNER_TOKEN, sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

/** Opens the settings of a gateway, with an unsaved name. */
async function editing(name: string) {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name });
  const opened = await open(kit);
  const { page } = opened;
  await opened.go("/gateways");
  await opened.move(`/gateways/${gateway.id}`);
  const field = page.getByLabel("Name", { exact: true });
  await field.fill(`${name} typed`);
  return { kit, gateway, opened, page, field };
}

/** Accepts or dismisses every dialog of the browser, and returns their messages. */
function handleDialogs(page: Page, accept: boolean): string[] {
  const messages: string[] = [];
  page.removeAllListeners("dialog");
  page.on("dialog", (dialog) => {
    messages.push(dialog.message());
    void (accept ? dialog.accept() : dialog.dismiss());
  });
  return messages;
}

test("an expired session hides the page, and the same administrator gets it back with its draft", async () => {
  const { opened, page, field } = await editing("Ends");
  await using _ = opened;
  await page.context().clearCookies();

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your session has expired.").waitFor();
  expect(await field.isVisible()).toBe(false);
  await page.getByLabel("Administrator token").fill(OWNER_TOKEN);
  await page.keyboard.press("Enter");

  await field.waitFor();
  expect(await field.inputValue()).toBe("Ends typed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(opened.violations).toEqual([]);
});

test("another administrator does not see the draft", async () => {
  const { kit, opened, page, field } = await editing("Other");
  await using _ = opened;
  const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: "Bo", role: "admin" });
  await page.context().clearCookies();

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Administrator token").fill(token);
  await page.keyboard.press("Enter");

  await field.waitFor();
  expect(await field.inputValue()).toBe("Other");
});

test("a failed reload keeps the page and shows the error", async () => {
  const { opened, page, field } = await editing("Away");
  await using _ = opened;
  await page.route("**/v1/**", (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^The gateway could not be refreshed/).waitFor();
  expect(await field.inputValue()).toBe("Away typed");
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  expect(await page.locator("h1").textContent()).toBe("Away typed");
});

test("a link, Back and closing the tab ask before unsaved changes are lost", async () => {
  const { opened, page, field } = await editing("Leaving");
  await using _ = opened;
  const here = page.url();

  const messages = handleDialogs(page, false);
  const shown = async (times: number) => {
    while (messages.length < times) await page.waitForTimeout(20);
  };
  await page.getByRole("link", { name: "Policies" }).click();
  await shown(1);
  await page.getByRole("link", { name: "Rate limits", exact: true }).click();
  await shown(2);
  await page.evaluate(() => history.back());
  await shown(3);
  expect(new Set(messages)).toEqual(new Set(["You have unsaved changes. Leave without saving?"]));
  await page.close({ runBeforeUnload: true });
  await shown(4);
  expect([page.url(), await field.inputValue()]).toEqual([here, "Leaving typed"]);

  handleDialogs(page, true);
  await field.click();
  await page.evaluate(() => history.back());
  await page.getByRole("heading", { name: "Gateways", level: 1 }).waitFor();
});

test("saved forms and other tabs of a policy do not ask", async () => {
  const { kit, opened, page } = await editing("Saved");
  await using _ = opened;
  const messages = handleDialogs(page, false);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();

  const policy = await kit.make("/v1/policies", { name: "Kept" });
  await opened.go(`/policies/${policy.id}`);
  await page.getByLabel("Name").fill("Kept typed");
  await page.getByRole("link", { name: "Gates" }).click();
  await page.getByRole("heading", { name: "Gates" }).waitFor();
  expect(messages).toEqual([]);
  await page.getByRole("link", { name: "Detectors" }).click();
  while (messages.length === 0) await page.waitForTimeout(20);
});

test("an added row asks before it is lost, like typed text", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Rows" });
  await using opened = await open(kit);
  const { page } = opened;
  await opened.go(`/gateways/${gateway.id}`);
  const messages = handleDialogs(page, false);

  await page.getByRole("button", { name: "Add label" }).click();
  await page.getByRole("link", { name: "Policies" }).click();
  while (messages.length === 0) await page.waitForTimeout(20);

  expect(await page.locator("h1").textContent()).toBe("Rows");
});

test("saving by keyboard keeps the focus", async () => {
  const { opened, page, field } = await editing("Focus");
  await using _ = opened;
  await field.press("Enter");
  await page.getByText("Saved.").waitFor();

  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
});

test("the table gets the focus when the focused button disappears", async () => {
  const kit = await started();
  await kit.make("/v1/tokens", { name: "Going", role: "viewer" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/tokens?q=Going");
  await page.getByRole("button", { name: "Options of Going" }).press("Enter");
  await page.getByRole("menuitem", { name: "Revoke…" }).press("Enter");
  await page.getByRole("button", { name: "Revoke token" }).press("Enter");
  await page.getByRole("cell", { name: "revoked" }).waitFor();

  await page.waitForFunction(() => document.activeElement?.classList.contains("table"));
});

test("a long sheet starts at its heading", async () => {
  const kit = await started();
  await kit.make("/v1/gateways", { name: "Sheet" });
  await using opened = await open(kit, { width: 390 });
  const { page, go } = opened;
  await go("/audit?resource=gateway");
  await page.locator("tbody button").first().click();

  expect(await page.locator("dialog").evaluate((sheet) => sheet.scrollTop)).toBe(0);
});
