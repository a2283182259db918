/** Accessibility of every page in both themes: axe findings, keyboard use and narrow screens. */
import { expect, test } from "bun:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { until } from "../kit/until.ts";
import { startLimited } from "../limiter/limited.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });
const open = sharedBrowser();

let made: Promise<string[]> | undefined;
/** Returns paths of pages with data, without data, and with an error. Creates the data once. */
function paths(kit: Kit): Promise<string[]> {
  made ??= makePaths(kit);
  return made;
}

async function makePaths(kit: Kit): Promise<string[]> {
  const list = async (path: string) =>
    ((await (await kit.get(path)).json()) as { items: { id: string }[] }).items;
  const id = (await list("/v1/gateways"))[0]?.id ?? "";
  const path = `/gateways/${id}`;
  const registry = (await list(`/v1${path}/registries`))[0]?.id;
  const consumer = (await list(`/v1${path}/consumers`))[0]?.id;
  await fetch(`${kit.url}/demo/v1/chat/completions`, {
    method: "POST",
    headers: { "x-ag-api-key": kit.first?.demo?.key ?? "", "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hello" }] }),
  });
  await until(async () => (await list(`/v1${path}/requests`)).length > 0);
  return [
    "",
    "/gateways",
    "/gateways?q=nothing-like-this",
    "/gateways/new",
    path,
    ...(await limitPaths(kit)),
    `${path}/registries`,
    `${path}/registries/new`,
    `${path}/registries/${registry}`,
    `${path}/registries/00000000-0000-4000-8000-000000000000`,
    `${path}/consumers`,
    `${path}/consumers/new`,
    `${path}/consumers/${consumer}`,
    `${path}/consumers/${consumer}?tab=keys`,
    `${path}/consumers/${consumer}?tab=models`,
    `${path}/consumers/${consumer}?tab=explain`,
    `${path}/requests`,
    `${path}/playground`,
    `${path}/playground?tab=files`,
    `${path}/playground?tab=evaluations`,
    ...(await decisionPaths(kit)),
    ...(await guardPaths(list)),
    "/models",
    "/tokens",
    "/audit",
    "/nowhere",
  ];
}

/** Rate limits of a gateway, with a blocked subject. */
async function limitPaths(kit: Kit): Promise<string[]> {
  await using limited = await startLimited(kit, {
    limits: { per_user: { limit: 1, window: "1h" } },
    actions: { type: "block" },
  });
  await limited.statuses(2, { "user-id": "bad" });
  return ["", "?tab=limits", "?tab=usage", "?tab=blocks", "?tab=usage&q=nothing-like-this"].map(
    (tab) => `${limited.path.replace("/v1", "")}${tab}`,
  );
}

/** Activity, approvals and the Store. */
async function decisionPaths(kit: Kit): Promise<string[]> {
  const asking = await makeGuardWithRules(kit, "data_loss_prevention", { action: "ask" });
  await asking.evaluate({ payload: { input: "4111 1111 1111 1111" } });
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  await guard.evaluate({ payload: { input: "4111 1111 1111 1111" }, consumer_id: "ana" });
  const store = await startStore(kit, "request");
  await store.install({ code: "pub", groups: ["oncall"], reason: "For the night shift" });
  await store.rule("group:oncall", "install");
  await kit.make(`${store.path}/store/principal-tokens`, { name: "Laptop", principal_sub: "bo" });
  const { id } = await store.instance("key", "Shared");
  const remotes = [{ type: "streamable-http", url: "https://mcp.example.com/mcp" }];
  const servers = [{ name: "com.example/imported", version: "1", remotes }];
  await kit.post(`${store.path}/store/catalog/import`, { servers });
  return [
    ...[
      "",
      "?tab=installs",
      "?tab=access",
      "?tab=catalog",
      "?tab=import",
      "?tab=instances",
      "?tab=issuers",
      "?tab=tokens",
      "/instances/new?code=site",
      `/instances/${id}`,
    ].map((path) => `/gateways/${store.gateway.id}/store${path}`),
    "/activity?consumer_id=ana&status=block",
    "/activity?q=nothing-like-this",
    "/approvals",
    "/approvals?q=nothing-like-this",
  ];
}

/** Collectors, detectors and policies. */
async function guardPaths(list: (path: string) => Promise<{ id: string }[]>) {
  const first = async (path: string) => `${path}/${(await list(`/v1${path}`))[0]?.id}`;
  const [collector, detector, policy] = await Promise.all(
    ["/collectors", "/detectors", "/policies"].map(first),
  );
  return [
    "/collectors",
    "/collectors/new",
    collector,
    `${collector}?tab=auth`,
    `${collector}?tab=overrides`,
    `${collector}?tab=calibration`,
    `${collector}?tab=clients`,
    "/detectors",
    "/detectors/new",
    detector,
    "/policies",
    "/policies/new",
    policy,
    `${policy}?tab=gates`,
    `${policy}?tab=input`,
    `${policy}?tab=output`,
    `${policy}?tab=test`,
    `${policy}?tab=replay`,
    `${policy}?tab=uses`,
    `${policy}?tab=exemptions`,
    `${policy}?tab=history`,
    "/policies/00000000-0000-4000-8000-000000000000",
  ] as string[];
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
    for (const theme of ["light", "dark"]) {
      dataset.theme = theme;
      const { violations } = await loaded.run(selector, {
        resultTypes: ["violations"],
        preload: false,
        // Only colors differ between the themes.
        ...(theme === "dark" ? { runOnly: ["color-contrast"] } : {}),
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
  const look = async () => found.push(...(await findings(page)));

  await go(policy);
  await page.getByRole("button", { name: "Add gate" }).click();
  await page.getByLabel("Action").selectOption("transform");
  await page.getByLabel("Selected kinds").check();
  await page.locator("summary", { hasText: "Contact and identity" }).click();
  await page.getByLabel("Mask with another text").selectOption("email");
  await look();
  await page.getByLabel("Applies").selectOption("json");
  await page.getByLabel("Condition").fill("{");
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
  await page.getByRole("button", { name: "Run test" }).click();
  await page.locator(".diff").waitFor();
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
  await page.getByRole("button", { name: "Revoke Made here" }).click();
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
