/** What a person typed and where they were: kept when the session ends, the server leaves, or a link slips. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { OWNER_TOKEN, sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

/** The settings of a new gateway, with its name changed and not saved. */
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

/** Answers every question of the browser; the list says which there were. */
function answers(page: Page, yes: boolean): string[] {
  const asked: string[] = [];
  page.removeAllListeners("dialog");
  page.on("dialog", (dialog) => {
    asked.push(dialog.message());
    void (yes ? dialog.accept() : dialog.dismiss());
  });
  return asked;
}

test("a session that ends amid typing hides the page and gives it back to the same person", async () => {
  const { opened, page, field } = await editing("Ends");
  await using _ = opened;
  await page.context().clearCookies();

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Your session has ended.").waitFor();
  expect(await field.isVisible()).toBe(false);
  await page.getByLabel("Administrator token").fill(OWNER_TOKEN);
  await page.keyboard.press("Enter");

  await field.waitFor();
  expect(await field.inputValue()).toBe("Ends typed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  expect(opened.violations).toEqual([]);
});

test("another person who signs in after a session ended sees nothing that was typed", async () => {
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

test("a server that cannot be read again leaves the page as it was, and says so", async () => {
  const { opened, page, field } = await editing("Away");
  await using _ = opened;
  await page.route("**/v1/**", (route) =>
    route.request().method() === "GET" ? route.abort() : route.continue(),
  );

  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^The gateway could not be read again/).waitFor();
  expect(await field.inputValue()).toBe("Away typed");
  await page.unroute("**/v1/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  expect(await page.locator("h1").textContent()).toBe("Away typed");
});

test("a link, Back and closing the tab ask before what was typed is lost", async () => {
  const { opened, page, field } = await editing("Leaving");
  await using _ = opened;
  const here = page.url();

  const refused = answers(page, false);
  const asked = async (times: number) => {
    while (refused.length < times) await page.waitForTimeout(20);
  };
  await page.getByRole("link", { name: "Policies" }).click();
  await asked(1);
  await page.getByRole("link", { name: "Rate limits", exact: true }).click();
  await asked(2);
  await page.evaluate(() => history.back());
  await asked(3);
  expect(new Set(refused)).toEqual(new Set(["What you typed here is not saved. Leave it?"]));
  await page.close({ runBeforeUnload: true });
  await asked(4);
  expect([page.url(), await field.inputValue()]).toEqual([here, "Leaving typed"]);

  answers(page, true);
  await field.click();
  await page.evaluate(() => history.back());
  await page.getByRole("heading", { name: "Gateways", level: 1 }).waitFor();
});

test("what is saved, and a policy that is looked at from another tab, leave without a question", async () => {
  const { kit, opened, page } = await editing("Saved");
  await using _ = opened;
  const asked = answers(page, false);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.").waitFor();
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();

  const policy = await kit.make("/v1/policies", { name: "Kept" });
  await opened.go(`/policies/${policy.id}`);
  await page.getByLabel("Name").fill("Kept typed");
  await page.getByRole("link", { name: "Gates" }).click();
  await page.getByRole("heading", { name: "Gates" }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole("link", { name: "Detectors" }).click();
  while (asked.length === 0) await page.waitForTimeout(20);
});

test("saving by keyboard leaves the focus where it was", async () => {
  const { opened, page, field } = await editing("Focus");
  await using _ = opened;
  await field.press("Enter");
  await page.getByText("Saved.").waitFor();

  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
});

test("a row that goes, or loses its buttons, leaves the focus at its table", async () => {
  const kit = await started();
  await kit.make("/v1/tokens", { name: "Going", role: "viewer" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/tokens?q=Going");
  await page.getByRole("button", { name: "Revoke Going" }).press("Enter");
  await page.getByRole("button", { name: "Revoke token" }).press("Enter");
  await page.getByRole("cell", { name: "revoked" }).waitFor();

  await page.waitForFunction(() => document.activeElement?.classList.contains("table"));
});

test("a sheet begins at its heading, however long it is", async () => {
  const kit = await started();
  await kit.make("/v1/gateways", { name: "Sheet" });
  await using opened = await open(kit, { width: 390 });
  const { page, go } = opened;
  await go("/audit?resource=gateway");
  await page.locator("tbody button").first().click();

  expect(await page.locator("dialog").evaluate((sheet) => sheet.scrollTop)).toBe(0);
});
