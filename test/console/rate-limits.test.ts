/** Rate limits of a gateway in the console: settings, usage and blocks. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { startLimited } from "../limiter/limited.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit({ settings: { TRUSTED_PROXIES: "127.0.0.1" } });
const open = sharedBrowser();

const consolePath = (path: string) => path.replace("/v1", "");
const user = (name: string) => ({ "user-id": name });
const perUser = (limit: number) => ({ limits: { per_user: { limit, window: "1h" } } });
const pluginsAt = async (kit: Kit, path: string) =>
  ((await (await kit.get(path)).json()) as { required_plugins: object[] }).required_plugins;
/** Waits for the block: it is written shortly after it applies. */
async function blockAt(kit: Kit, path: string): Promise<void> {
  const listed = async () =>
    ((await (await kit.get(`${path}/limits/blocks`)).json()) as { items: object[] }).items;
  await until(async () => (await listed()).length > 0);
}

test("8.1 limits are set and disabled in a form generated from the plugin's schema", async () => {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "Free" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${id}`);

  await page.getByText("No plugins.").waitFor();
  await page.getByRole("link", { name: "set rate limits" }).click();
  await page.getByText("This gateway has no rate limits.").waitFor();
  const address = page.getByRole("group", { name: "Per IP" });
  await address.getByLabel("Limit").fill("100");
  await address.getByLabel("Window").fill("1m");
  await page.getByLabel("Type").selectOption("reject");
  await page.getByRole("button", { name: "Set limits" }).click();
  await page.getByText("In force: each address 100 requests in 1m.").waitFor();

  const settings = {
    limits: { per_ip: { limit: 100, window: "1m" } },
    actions: { type: "reject" },
  };
  const entry = {
    name: "rate_limiter",
    stage: "pre_request",
    priority: 0,
    enabled: true,
    settings,
  };
  expect(await pluginsAt(kit, `/v1/gateways/${id}`)).toEqual([entry]);

  await page.getByLabel("Enabled").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("This gateway has no rate limits.").waitFor();
  expect(await pluginsAt(kit, `/v1/gateways/${id}`)).toEqual([{ ...entry, enabled: false }]);
  await page.getByRole("link", { name: "Settings" }).last().click();
  expect(await page.locator(".table tbody tr").textContent()).toBe("rate_limiterpre_request0off");
  expect(opened.violations).toEqual([]);
});

test("entries are added, edited and deleted one by one", async () => {
  const kit = await started();
  await using limited = await startLimited(kit, perUser(2));
  const [first] = await pluginsAt(kit, limited.path);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${consolePath(limited.path)}?tab=limits`);

  await page.getByLabel("Entry").selectOption("New entry");
  const all = page.getByRole("group", { name: "Global" });
  await all.getByLabel("Limit").fill("50");
  await all.getByLabel("Window").fill("1d");
  await page.getByLabel("Priority").fill("-5");
  await page.getByLabel("Type").selectOption("reject");
  await page.getByRole("button", { name: "Set limits" }).click();
  await page
    .getByText("In force: all together 50 requests in 1d; each user 2 requests in 1h.")
    .waitFor();
  expect(await pluginsAt(kit, limited.path)).toMatchObject([
    first ?? {},
    { priority: -5, settings: { limits: { global: { limit: 50, window: "1d" } } } },
  ]);

  await go(consolePath(limited.path));
  expect(await page.locator(".table tbody tr").first().textContent()).toBe(
    "rate_limiterpre_request-5on",
  );
  await go(`${consolePath(limited.path)}?tab=limits`);
  await page.getByLabel("Entry").selectOption({ index: 0 });
  await page.getByRole("button", { name: "Delete entry" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("In force: all together 50 requests in 1d.", { exact: true }).waitFor();
  expect(await pluginsAt(kit, limited.path)).toMatchObject([{ priority: -5 }]);
  expect(opened.violations).toEqual([]);
});

test("8.1 an invalid setting is shown at its field, and the stored configuration is kept", async () => {
  const kit = await started();
  await using limited = await startLimited(kit, perUser(2));
  const before = await pluginsAt(kit, limited.path);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${consolePath(limited.path)}?tab=limits`);
  const person = page.getByRole("group", { name: "Per user" });
  const save = page.getByRole("button", { name: "Save" });

  await person.getByLabel("Window").fill("soon");
  await save.click();
  await page.getByRole("alert").waitFor();
  expect(await person.getByLabel("Window").getAttribute("aria-invalid")).toBe("true");
  expect(await person.locator(".problem").textContent()).toBe(
    "must be a duration such as 30s, 1m, 2h, 1d or 1h30m",
  );

  await person.getByLabel("Limit").fill("");
  await person.getByLabel("Window").fill("");
  await save.click();
  await page.getByText("must have at least one limit", { exact: true }).waitFor();
  expect(await pluginsAt(kit, limited.path)).toEqual(before);
});

test("usage is listed, searched, and reset after a confirmation", async () => {
  const kit = await started();
  await using limited = await startLimited(kit, {
    limits: { ...perUser(2).limits, per_ip: { limit: 50, window: "1h" } },
  });
  await limited.statuses(2, user("team/one"));
  await limited.statuses(1, user("ana"));
  await using opened = await open(kit);
  const { page, go } = opened;
  const rows = page.locator(".table tbody tr");
  await go(`${consolePath(limited.path)}?tab=usage`);

  expect(await rows.allTextContents()).toEqual([
    expect.stringMatching(/^team\/oneUser2 of 2 in 1h0/),
    expect.stringMatching(/^anaUser1 of 2 in 1h1/),
    expect.stringMatching(/^127\.0\.0\.1Address3 of 50 in 1h47/),
  ]);
  await page.getByLabel("Limit", { exact: true }).selectOption("Address");
  await page.getByRole("row", { name: /^team/ }).waitFor({ state: "detached" });
  expect(await rows.count()).toBe(1);
  await page.getByLabel("Limit", { exact: true }).selectOption("All");
  await page.getByRole("row", { name: /^ana/ }).waitFor();
  await page.getByRole("searchbox").fill("TEAM");
  await page.getByRole("row", { name: /^ana/ }).waitFor({ state: "detached" });
  expect(await rows.count()).toBe(1);

  await page.getByRole("button", { name: "Reset team/one, User" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Reset team/one?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await limited.statuses(1, user("team/one"))).toEqual([429]);
  await page.getByRole("button", { name: "Reset team/one, User" }).press("Enter");
  await dialog.getByRole("button", { name: "Reset" }).click();
  await page.getByText("No matches.").waitFor();
  expect(await limited.statuses(1, user("team/one"))).toEqual([200]);
  expect(opened.violations).toEqual([]);
});

test("8.5 an unblocked subject can send requests again", async () => {
  const kit = await started();
  await using limited = await startLimited(kit, {
    limits: { per_user: { limit: 1, window: "1s" } },
    actions: { type: "block" },
  });
  await limited.statuses(2, user("bad/one"));
  await blockAt(kit, limited.path);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${consolePath(limited.path)}?tab=blocks`);

  expect(await page.locator(".table tbody tr").textContent()).toMatch(
    /^bad\/oneUser.*unblocked manually/,
  );
  await page.getByRole("button", { name: "Unblock bad/one, User" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Unblock" }).click();
  await page.getByText("No blocks.").waitFor();
  await Bun.sleep(1_000);
  expect(await limited.statuses(1, user("bad/one"))).toEqual([200]);
});

test("a viewer can read limits, usage and blocks, but not change them", async () => {
  const kit = await started();
  await using limited = await startLimited(kit, { ...perUser(1), actions: { type: "block" } });
  await limited.statuses(2, user("bad"));
  await blockAt(kit, limited.path);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Looks on",
    role: "viewer",
  });
  await using opened = await open(kit, { token });
  const { page, go, move } = opened;
  await go(`${consolePath(limited.path)}?tab=limits`);

  const limit = page.getByRole("group", { name: "Per user" }).getByLabel("Limit");
  expect([await limit.inputValue(), await limit.isDisabled()]).toEqual(["1", true]);
  expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
  for (const tab of ["usage", "blocks"]) {
    await move(`${consolePath(limited.path)}?tab=${tab}`);
    await page.getByRole("rowheader", { name: "bad" }).waitFor();
    expect(await page.locator("tbody button").count()).toBe(0);
  }
});
