/** Accessibility of every page in both themes: axe findings, keyboard use and narrow screens. */
import { expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";
import { makePages } from "./pages.ts";

const started = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });
const open = sharedBrowser();

let made: Promise<string[]> | undefined;
/** Creates the data once. */
function paths(kit: Kit): Promise<string[]> {
  made ??= makePages(kit);
  return made;
}

/**
 * Returns the axe findings in both themes, one line each. `part`: only within this element; the frame of
 * every page is the same.
 */
async function findings(page: Page, part = "body"): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return await page.evaluate(async (selector) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    const { dataset } = document.documentElement;
    const found: string[] = [];
    // Starts with the theme that the page has: another one is drawn anew.
    const [first, second] = dataset.theme === "dark" ? ["dark", "light"] : ["light", "dark"];
    for (const theme of [first, second]) {
      dataset.theme = theme;
      // Two frames later the page has its size and colors.
      await new Promise((resolve) =>
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))),
      );
      const { violations } = await loaded.run(selector, {
        resultTypes: ["violations"],
        preload: false,
        selectors: false,
        // Only colors differ between the themes.
        ...(theme === second ? { runOnly: ["color-contrast"] } : {}),
      });
      for (const { id, nodes } of violations) {
        found.push(...nodes.map(({ html }) => `${theme} ${id}: ${html}`));
      }
    }
    return found;
  }, part);
}

/** Phone, and 1280 px at a zoom of 200 %. */
const NARROW = [320, 640];

test("no page has axe findings, or scrolls sideways on a phone or at 200 % zoom", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  await go("");
  found.push(...(await findings(page)));
  for (const path of await paths(kit)) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await move(path);
    for (const line of await findings(page, "main")) found.push(`${path}: ${line}`);
    for (const width of NARROW) {
      await page.setViewportSize({ width, height: 800 });
      const actual = await page.evaluate(() => document.documentElement.scrollWidth);
      if (actual > width) found.push(`${path}: ${actual} px wide on a screen of ${width} px`);
    }
  }

  expect(found).toEqual([]);
  expect(opened.violations).toEqual([]);
}, 180_000);

test("dynamic content has no axe findings in the light or dark theme", async () => {
  const kit = await started();
  const all = await paths(kit);
  const policy = all.find((path) => path.endsWith("?tab=gates")) ?? "";
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  const look = async () => found.push(...(await findings(page, "main")));

  await go(policy);
  await page.getByRole("button", { name: "Add gate" }).click();
  await page.getByLabel("Action").selectOption("transform");
  await page.getByLabel("Selected kinds").check();
  await page.locator("summary", { hasText: "Contact and identity" }).click();
  await page.getByLabel("Mask with another text").selectOption("email");
  await look();
  await page.getByRole("button", { name: "Add group" }).click();
  await look();
  await page.getByRole("button", { name: "Show as JSON" }).click();
  await page.getByRole("textbox", { name: "Condition of" }).fill("{");
  await page.getByRole("button", { name: "Save" }).click();
  await look();
  await move(policy.replace("gates", "replay"));
  await page.getByRole("button", { name: "Run replay" }).click();
  await page.getByText("The replay did not finish.").waitFor();
  await look();
  await move("/approvals?kind=evaluation");
  await page.locator(".inbox-list input").first().check();
  await page.locator(".decide").waitFor();
  await look();
  await move("/approvals?kind=store_request");
  await page.getByLabel("Access expires").waitFor();
  await look();
  await go(policy.replace("gates", "test"));
  await page.getByLabel("Text").fill("My card is 4111 1111 1111 1111.");
  await page.getByRole("button", { name: "Run test" }).click();
  await page.locator(".diff").waitFor();
  await look();
  await page.getByLabel("Content").selectOption("Tool call");
  await page.getByRole("button", { name: "Add argument" }).click();
  await page.getByLabel("Argument 2: type").selectOption("list");
  await page.getByRole("button", { name: "Add item" }).click();
  await page.getByText("Consumer and attributes").click();
  await page.getByRole("button", { name: "Add attribute" }).click();
  await look();
  await page.getByLabel("Content").selectOption("Tools offered to a model");
  for (const type of ["text", "object", "list"]) {
    await page.getByRole("button", { name: "Add parameter", exact: true }).click();
    await page
      .getByLabel(/^Parameter \d: type$/)
      .last()
      .selectOption({ label: type });
    await page.getByText("Limits and description").last().click();
  }
  await look();
  await move("/detectors/new");
  await page.getByLabel("Kind").selectOption("secrets");
  await page.getByText("Advanced settings").click();
  await page.getByLabel("Add disabled format").selectOption("password");
  await look();
  await move(all.find((path) => path.endsWith("?tab=limits")) ?? "");
  await page.getByRole("group", { name: "Per user" }).getByLabel("Window").fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await look();
  await move(all.find((path) => path.endsWith("?tab=explain")) ?? "");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator(".explanation h3").first().waitFor();
  await look();

  expect(found).toEqual([]);
}, 60_000);

test("no dialog has axe findings in the light or dark theme", async () => {
  const kit = await started();
  const all = await paths(kit);
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  const look = async (part = "dialog[open]") => found.push(...(await findings(page, part)));

  await go(all.find((path) => path.endsWith("/requests")) ?? "");
  await page.locator("tbody button").first().click();
  await look();
  await move("/activity");
  await page.locator("tbody .link").first().click();
  await page.locator(".stored").waitFor();
  await look();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "More options" }).click();
  await look(".menu:popover-open");
  await page.getByRole("menuitem", { name: "Erase a consumer…" }).click();
  await look();
  await move(all.find((path) => path.endsWith("?tab=access")) ?? "");
  await page.getByRole("button", { name: "New rule" }).click();
  await look();
  const catalog = all.find((path) => path.endsWith("?tab=catalog")) ?? "";
  await move(`${catalog}&source=imported`);
  await page.getByRole("button", { name: "Show imported" }).click();
  await page.getByLabel("Authentication").selectOption("API key of each person");
  await look();
  await page.keyboard.press("Escape");
  await move(all.find((path) => path.endsWith("?tab=issuers")) ?? "");
  await page.getByRole("button", { name: "New issuer" }).click();
  await look();
  await move("/audit");
  await page.locator("tbody button").first().click();
  await look();
  await move("/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await look();
  await page.getByRole("dialog").getByLabel("Name").fill("Made here");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("button", { name: "I have stored it" }).waitFor();
  await look();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await page.getByRole("button", { name: "Options of Made here" }).click();
  await look(".menu:popover-open");
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await look();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "View", exact: true }).click();
  await look(".view:popover-open");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await look();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Preferences…" }).click();
  await look();

  expect(found).toEqual([]);
}, 120_000);

test("the sign-in page has no axe findings, and the first Tab skips to the content", async () => {
  const kit = await started();
  await using stranger = await open(kit, { token: null });
  await stranger.go("");
  expect(await findings(stranger.page)).toEqual([]);

  await using opened = await open(kit);
  const { page } = opened;
  await opened.go("/gateways");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
  expect(await page.locator("h1").textContent()).toBe("Gateways");
});

test("a dialog traps the focus, and restores it when closed", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page } = opened;
  await opened.go("/tokens");
  const button = page.getByRole("button", { name: "New token" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  const inside = () => page.evaluate(() => document.activeElement?.closest("dialog") !== null);

  expect(await inside()).toBe(true);
  const outside: boolean[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    await page.keyboard.press("Tab");
    const body = await page.evaluate(() => document.activeElement === document.body);
    if (!body) outside.push(!(await inside()));
  }
  expect(outside).not.toContain(true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
});
