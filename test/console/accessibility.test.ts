/** Every page in both themes: no finding of axe, and nothing that only a mouse can do. */
import { expect, test } from "bun:test";
import axe, { type RunOptions } from "axe-core";
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
/** Pages with something on them, an empty one, and one that failed; filled once. */
function places(kit: Kit): Promise<string[]> {
  made ??= makePlaces(kit);
  return made;
}

async function makePlaces(kit: Kit): Promise<string[]> {
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
    ...(await limitPlaces(kit)),
    `${path}/registries`,
    `${path}/registries/new`,
    `${path}/registries/${registry}`,
    `${path}/registries/00000000-0000-4000-8000-000000000000`,
    `${path}/consumers`,
    `${path}/consumers/new`,
    `${path}/consumers/${consumer}`,
    `${path}/consumers/${consumer}?tab=keys`,
    `${path}/consumers/${consumer}?tab=explain`,
    `${path}/requests`,
    ...(await decisionPlaces(kit)),
    ...(await guardPlaces(list)),
    "/tokens",
    "/audit",
    "/nowhere",
  ];
}

/** The limits of a gateway, with a subject that is over its limit and blocked. */
async function limitPlaces(kit: Kit): Promise<string[]> {
  await using limited = await startLimited(kit, {
    limits: { per_user: { limit: 1, window: "1h" } },
    actions: { type: "block" },
  });
  await limited.statuses(2, { "user-id": "bad" });
  return ["", "?tab=limits", "?tab=usage", "?tab=blocks", "?tab=usage&q=nothing-like-this"].map(
    (tab) => `${limited.path.replace("/v1", "")}${tab}`,
  );
}

/** What happened, and what is to be decided. */
async function decisionPlaces(kit: Kit): Promise<string[]> {
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
    ].map((place) => `/gateways/${store.gateway.id}/store${place}`),
    "/activity?consumer_id=ana&status=block",
    "/activity?q=nothing-like-this",
    "/approvals",
    "/approvals?q=nothing-like-this",
  ];
}

/** The pages of the guard. */
async function guardPlaces(list: (path: string) => Promise<{ id: string }[]>) {
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
    `${policy}?tab=collectors`,
    `${policy}?tab=history`,
    "/policies/00000000-0000-4000-8000-000000000000",
  ] as string[];
}

/** What axe finds in both themes, as lines that a person can act on. */
async function findings(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "light" });
  const inLight = await run(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  // Only colors differ between the themes.
  const inDark = await run(page, { runOnly: ["color-contrast"] });
  return [...inLight, ...inDark.map((line) => `dark ${line}`)];
}

async function run(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async (asked) => {
    const { axe: loaded } = window as unknown as { axe: typeof axe };
    return await loaded.run({ ...asked, resultTypes: ["violations"] });
  }, options);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

test("no page has a finding, in light and dark", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  await go("");
  for (const place of await places(kit)) {
    await move(place);
    for (const line of await findings(page)) found.push(`${place}: ${line}`);
  }

  expect(found).toEqual([]);
  expect(opened.violations).toEqual([]);
}, 120_000);

test("rows, conditions, a verdict, a diff and what is explained have no finding, in light and dark", async () => {
  const kit = await started();
  const all = await places(kit);
  const policy = all.find((place) => place.endsWith("?tab=gates")) ?? "";
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  const look = async () => found.push(...(await findings(page)));

  await go(policy);
  await page.getByRole("button", { name: "Add gate" }).click();
  await page.getByLabel("Action").selectOption("transform");
  await page.getByRole("button", { name: "Add predefined entity" }).click();
  await look();
  await page.getByLabel("Applies").selectOption("json");
  await page.getByLabel("Condition").fill("{");
  await page.getByRole("button", { name: "Save" }).click();
  await look();
  await move(policy.replace("gates", "test"));
  await page.getByRole("button", { name: "Run test" }).click();
  await page.locator(".diff").waitFor();
  await look();
  await move(policy.replace("gates", "replay"));
  await page.getByRole("button", { name: "Run replay" }).click();
  await page.getByText(/judged again/).waitFor();
  await look();
  await move("/detectors/new");
  await page.getByLabel("Kind").selectOption("secrets");
  await page.getByLabel("Add disabled format").selectOption("password");
  await look();
  await move(all.find((place) => place.endsWith("?tab=limits")) ?? "");
  await page.getByRole("group", { name: "Per user" }).getByLabel("Window").fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await look();
  await move(all.find((place) => place.endsWith("?tab=explain")) ?? "");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator(".explanation h3").first().waitFor();
  await look();

  expect(found).toEqual([]);
}, 60_000);

test("no dialog has a finding, in light and dark", async () => {
  const kit = await started();
  const all = await places(kit);
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const found: string[] = [];
  const look = async () => found.push(...(await findings(page)));

  await go(all.find((place) => place.endsWith("/requests")) ?? "");
  await page.locator("tbody button").first().click();
  await look();
  await move("/activity");
  await page.locator("tbody .link").first().click();
  await page.locator(".stored").waitFor();
  await look();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Erase…" }).click();
  await look();
  await move("/approvals");
  await page.locator("tbody .link").first().click();
  await page.locator(".stored").waitFor();
  await look();
  await move(all.find((place) => place.endsWith("/store")) ?? "");
  await page.locator("tbody .link").first().click();
  await page.getByRole("button", { name: "Approve" }).waitFor();
  await look();
  await page.keyboard.press("Escape");
  await move(all.find((place) => place.endsWith("?tab=access")) ?? "");
  await page.getByRole("button", { name: "New rule" }).click();
  await look();
  const catalog = all.find((place) => place.endsWith("?tab=catalog")) ?? "";
  await move(`${catalog}&source=imported`);
  await page.getByRole("button", { name: "Show imported" }).click();
  await page.getByLabel("What does it ask of its callers?").selectOption("A key of each person");
  await look();
  await page.keyboard.press("Escape");
  await move(all.find((place) => place.endsWith("?tab=issuers")) ?? "");
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

  expect(found).toEqual([]);
}, 60_000);

test("the sign-in page has no finding, and a first Tab skips to the content", async () => {
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

test("a dialog takes the focus, keeps it, and gives it back", async () => {
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

test("at 320 pixels nothing is cut off sideways", async () => {
  const kit = await started();
  await using opened = await open(kit, { width: 320 });
  const wide: string[] = [];
  await opened.go("");
  for (const place of await places(kit)) {
    await opened.move(place);
    const width = await opened.page.evaluate(() => document.documentElement.scrollWidth);
    if (width > 320) wide.push(`${place}: ${width}`);
  }

  expect(wide).toEqual([]);
}, 60_000);
