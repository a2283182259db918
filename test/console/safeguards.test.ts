/** Safeguards of the console: conflicting saves, permissions, path prefixes and error messages. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";
import { sharedBrowser } from "./browser.ts";
import { serveUnder } from "./prefix-proxy.ts";

const started = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });
const open = sharedBrowser();

interface NamedResource {
  id: string;
  name: string;
  slug: string;
}

async function demo(kit: Kit) {
  const first = async (path: string) =>
    ((await (await kit.get(path)).json()) as { items: NamedResource[] }).items[0] as NamedResource;
  const gateway = await first("/v1/gateways");
  const path = `/gateways/${gateway.id}`;
  const registry = await first(`/v1${path}/registries`);
  const consumer = await first(`/v1${path}/consumers`);
  const collector = await first("/v1/collectors");
  const detector = await first("/v1/detectors");
  const policy = await first("/v1/policies");
  return { gateway, registry, consumer, collector, detector, policy, path };
}

test("a save of an outdated version is rejected, and a reload shows the stored version", async () => {
  const kit = await started();
  const { path, registry } = await demo(kit);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${path}/registries/${registry.id}`);
  await kit.put(`/v1${path}/registries/${registry.id}`, { name: "Renamed elsewhere" });

  await page.getByLabel("Name", { exact: true }).fill("Renamed here");
  await page.getByRole("button", { name: "Save" }).click();

  const alert = page.getByRole("alert");
  expect(await alert.textContent()).toContain("Someone else changed this.");
  expect(await alert.textContent()).toContain("discards your changes");
  await alert.getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Renamed elsewhere" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Renamed here");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Renamed here" }).waitFor();
});

test("an unchanged save keeps the stored key, and the key never reaches the browser", async () => {
  const kit = await started();
  const { path } = await demo(kit);
  const api_key = "sk-a-very-secret-key-4711";
  const { id } = await kit.make(`/v1${path}/registries`, {
    name: "Keeps its key",
    provider: "openai",
    auth: { type: "api_key", api_key },
  });
  await using opened = await open(kit);
  const { page, go } = opened;
  const bodies: string[] = [];
  page.on("response", async (response) => bodies.push(await response.text().catch(() => "")));
  await go(`${path}/registries/${id}`);

  const field = page.getByLabel("API key");
  expect(await field.getAttribute("placeholder")).toBe("Leave empty to keep ***4711");
  await page.getByLabel("Name", { exact: true }).fill("Kept its key");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  const after = (await (await kit.get(`/v1${path}/registries/${id}`)).json()) as object;
  expect(after).toMatchObject({ name: "Kept its key", auth: { api_key: "***4711" } });
  expect(bodies.filter((body) => body.includes(api_key))).toEqual([]);
});

test("a validation error is shown at its field", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/gateways/new");

  await page.getByLabel("Name", { exact: true }).fill("Upper");
  await page.getByLabel("Slug (optional)").fill("Not A Slug");
  await page.getByRole("button", { name: "Create gateway" }).click();
  await page.getByRole("alert").waitFor();

  const slug = page.getByLabel("Slug (optional)");
  expect(await slug.getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator(".problem").textContent()).toContain("lower-case letters");
  const alert = page.getByRole("alert");
  expect(await alert.textContent()).not.toContain("slug:");
  await alert.getByRole("button", { name: "Slug (optional)" }).click();
  expect(await slug.evaluate((input) => input === document.activeElement)).toBe(true);
});

test("an error in a list or group is shown at its field with its position, not with a path", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Positions" });
  const path = `/gateways/${gateway.id}`;
  const registry = { name: "House model", provider: "demo" };
  const { id } = await kit.make(`/v1${path}/registries`, registry);
  const consumer = await kit.make(`/v1${path}/consumers`, { name: "App", registries: [{ id }] });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${path}/consumers/${consumer.id}`);
  const long = "x".repeat(300);

  await page.getByLabel("Allowed models").fill(`a, b, ${long}`);
  await page.getByLabel("Fallback models (optional)").fill(`a, ${long}`);
  await page.getByRole("button", { name: "Save" }).click();
  const alert = page.getByRole("alert");
  await alert.waitFor();

  expect(await page.locator(".problem").allTextContents()).toEqual([
    "Model 3: must have at most 256 characters",
    "Model 2: must have at most 256 characters",
  ]);
  expect(await alert.getByRole("button").allTextContents()).toEqual([
    "House model, Allowed models",
    "Fallback models (optional)",
  ]);
});

test("a viewer sees no buttons that change anything", async () => {
  const kit = await started();
  const { path, registry, consumer, collector, detector, policy } = await demo(kit);
  await kit.put(`/v1/policies/${policy.id}`, { mode: "observe" });
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Looks only",
    role: "viewer",
  });
  await using opened = await open(kit, { token });
  const { page, go, move } = opened;
  const labels: string[] = [];
  await go("");
  for (const target of [
    "",
    "/gateways",
    path,
    `${path}/registries`,
    `${path}/registries/${registry.id}`,
    `${path}/consumers`,
    `${path}/consumers/${consumer.id}`,
    `${path}/consumers/${consumer.id}?tab=keys`,
    "/activity",
    "/approvals",
    ...["", "?tab=installs", "?tab=access", "?tab=catalog", "?tab=tokens"].map(
      (tab) => `${path}/store${tab}`,
    ),
    "/collectors",
    ...["", "?tab=auth", "?tab=overrides", "?tab=clients"].map(
      (tab) => `/collectors/${collector.id}${tab}`,
    ),
    "/detectors",
    `/detectors/${detector.id}`,
    "/policies",
    ...["", "?tab=gates", "?tab=input", "?tab=test", "?tab=history"].map(
      (tab) => `/policies/${policy.id}${tab}`,
    ),
  ]) {
    await move(target);
    labels.push(...(await page.locator("main :is(a, button):visible").allTextContents()));
  }

  expect(labels).toContain("Demo application");
  expect(labels).toContain("Changes of version 2");
  const acts =
    /^ ?(New|Add|Create|Save|Delete|Revoke|Rotate|Change|Edit|Unblock|Remove|Run|Restore|Test connection|Erase|Approve|Deny|Reject|Hide|Show)\b/;
  expect(labels.filter((text) => acts.test(text))).toEqual([]);
  expect(await page.getByRole("link", { name: "Tokens", exact: true }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Audit log" }).count()).toBe(0);
  await go(`${path}/registries/${registry.id}`);
  expect(await page.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
}, 60_000);

test("a revoked token leads to the sign-in page", async () => {
  const kit = await started();
  const { path } = await demo(kit);
  const made = await kit.make<{ id: string; token: string }>("/v1/tokens", {
    name: "Short-lived",
    role: "viewer",
  });
  await using opened = await open(kit, { token: made.token });
  await opened.go("");
  await kit.delete(`/v1/tokens/${made.id}`);

  // Not a click: a request of the page may have failed already, and the sign-in page hides the link.
  await opened.page.locator(`a[href$="${path}/consumers"]`).first().dispatchEvent("click");

  await opened.page.getByText("Your session has expired.").waitFor();
});

test("Ctrl+K finds pages, actions and resources by name, with the keyboard alone", async () => {
  const kit = await started();
  const { path, consumer } = await demo(kit);
  await using opened = await open(kit);
  const { page, go, heading } = opened;
  await go("");
  const palette = page.getByRole("dialog");
  const choose = async (text: string, name: string) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(text);
    const option = palette.getByRole("option", { name, selected: true });
    await option.waitFor();
    expect(await palette.getByRole("combobox").getAttribute("aria-activedescendant")).toBe(
      await option.getAttribute("id"),
    );
    await page.keyboard.press("Enter");
    await palette.waitFor({ state: "detached" });
  };

  await choose("new pol", "New policy");
  expect(await heading()).toBe("New policy");
  await choose("demo appl", consumer.name);
  await page.getByRole("heading", { name: consumer.name }).waitFor();
  expect(page.url()).toEndWith(`${path}/consumers/${consumer.id}`);
  await page.keyboard.press("Control+k");
  await page.keyboard.press("ArrowDown");
  await palette.getByRole("option", { name: "Approvals", selected: true }).waitFor();
  await page.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  expect(opened.violations).toEqual([]);
});

test("deleting a gateway lists its contents and requires its slug", async () => {
  const kit = await started();
  const gateway = await kit.make<NamedResource>("/v1/gateways", { name: "Old", slug: "old-one" });
  const path = `/gateways/${gateway.id}`;
  await kit.make(`/v1${path}/registries`, { name: "R", provider: "demo" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(path);

  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 registry and 0 consumers").waitFor();
  const sure = dialog.getByRole("button", { name: "Delete gateway" });
  expect(await sure.isDisabled()).toBe(true);
  await dialog.getByLabel("Type old-one to confirm").fill("old-one");
  await sure.click();

  await page.getByText("Gateway Old was deleted.").waitFor();
  expect((await kit.get(`/v1${path}`)).status).toBe(404);
});

test("pages, links and reload work behind a proxy at /a/b", async () => {
  const kit = await started();
  const { path } = await demo(kit);
  await using proxy = serveUnder("/a/b", kit.url);
  await using opened = await open(kit, { url: proxy.url });
  const { page, go, heading } = opened;

  await go("");
  await page.getByRole("link", { name: "Consumers", exact: true }).first().click();
  await page.getByRole("heading", { name: "Consumers", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/a/b/console${path}/consumers`);
  expect(await page.locator(".table tbody").textContent()).toContain(`${proxy.url}/demo/v1`);
  await page.reload();
  await page.locator(".table tbody").waitFor();

  expect(await heading()).toBe("Consumers");
  await page.getByRole("link", { name: "Policies", exact: true }).click();
  await page.getByRole("link", { name: "Starter" }).click();
  await page.getByRole("link", { name: "Test", exact: true }).click();
  await page.getByRole("button", { name: "Run test" }).click();
  await page.locator(".verdict-large").waitFor();
  expect(new URL(page.url()).pathname).toStartWith("/a/b/console/policies/");
  expect(proxy.strays).toEqual([]);
  expect(opened.violations).toEqual([]);
});

test("search, order and filters are stored in the address, and Back restores them", async () => {
  const kit = await started();
  for (const name of ["Alpha", "Beta", "Gamma"]) await kit.make("/v1/gateways", { name });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/gateways?sort=-name");
  const names = () => page.locator("tbody th").allTextContents();
  const downwards = await names();

  await page.getByRole("button", { name: "Name" }).click();
  await page.locator("th[aria-sort=ascending]").waitFor();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("name");
  await page.locator("body:not(:has([aria-busy=true]))").waitFor();
  expect(await names()).toEqual(downwards.toReversed());
  await page.getByLabel("Search name or slug").fill("amm");
  await page.waitForURL(/q=amm/);
  await page.locator(".table tbody").getByText("Beta").waitFor({ state: "detached" });
  expect(await names()).toEqual(["Gamma"]);
  await page.goBack();
  await page.locator("th[aria-sort=descending]").waitFor();
});

test("columns and saved views of a list are stored in the browser", async () => {
  const kit = await started();
  for (const name of ["Alpine one", "Alpine two"]) await kit.make("/v1/gateways", { name });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/gateways?q=alpine&sort=-name");
  const heads = () => page.locator("thead th").allTextContents();
  const view = page.getByRole("dialog", { name: "View" });
  await page.getByRole("button", { name: "View" }).click();
  await view.getByLabel("Slug").uncheck();
  await view.getByLabel("Save the current view as").fill("Mountains");
  await view.getByRole("button", { name: "Save view" }).click();
  await view.getByRole("button", { name: "Mountains", exact: true }).waitFor();
  await view.getByLabel("Slug").check();

  await go("/gateways");
  expect(await heads()).toContain("Slug");
  await page.getByRole("button", { name: "View" }).click();
  await view.getByRole("button", { name: "Mountains", exact: true }).click();
  await view.waitFor({ state: "hidden" });
  expect(new URL(page.url()).search).toBe("?q=alpine&sort=-name");
  await page.locator("th[aria-sort=descending]").waitFor();
  expect(await heads()).not.toContain("Slug");
  await page.getByRole("button", { name: "View" }).click();
  await view.getByRole("button", { name: "Remove the view Mountains" }).click();
  await view.getByRole("button", { name: "Mountains", exact: true }).waitFor({ state: "detached" });
});

test("a failed load shows the trace ID of the log instead of an empty list (litellm #20614)", async () => {
  await using kit = await startKit({ settings: { PORTCULLIS_DEMO: "true" } });
  const { path } = await demo(kit);
  await using opened = await open(kit);
  const { page, go } = opened;
  await kit.db.run("ALTER TABLE request_events RENAME TO lost_events");

  await go(`${path}/requests`);

  const alert = page.getByRole("alert");
  expect(await alert.textContent()).toContain("The requests could not be loaded.");
  const trace_id = (await alert.locator("code").textContent()) ?? "";
  expect(trace_id).toMatch(/^[\da-f]{32}$/);
  expect(kit.lines.filter((line) => line.includes(trace_id)).join()).toContain("request_events");
  await kit.db.run("ALTER TABLE lost_events RENAME TO request_events");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No requests").waitFor();
});

test("one failed request among thousands is found by its status (bifrost #4838)", async () => {
  await using kit = await startKit();
  const one = await makeConsumer(kit, [{ provider: "demo", url: "" }]);
  await (await one.post("/v1/chat/completions", { model: "@groq/x" })).text();
  await (await one.post("/v1/chat/completions", { model: "demo-chat", messages: [] })).text();
  const good = "SELECT * FROM request_events WHERE status <> 403";
  let event = await kit.db.one<Record<string, unknown>>(good);
  for (; !event; event = await kit.db.one(good)) await Bun.sleep(50);
  const others = Object.keys(event).filter((name) => name !== "id");
  await kit.db.run(
    `WITH RECURSIVE count (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM count WHERE i < 20100)
     INSERT INTO request_events (id, ${others})
     SELECT printf('ffffffff-ffff-7fff-8fff-%012d', i), ${others} FROM count, request_events WHERE id = $1`,
    String(event.id),
  );
  await using opened = await open(kit);

  await opened.go(`/gateways/${one.gateway.id}/requests?status=403`);

  expect(await opened.page.locator(".table tbody tr").count()).toBe(1);
  expect(await opened.page.locator(".table tbody").textContent()).toContain("403");
});

test("an attempt shows the status and error of the upstream", async () => {
  const kit = await started();
  await using upstream = startUpstream({ status: 302, headers: { location: "/" }, body: "" });
  const one = await makeConsumer(kit, [{ provider: "openai", url: upstream.url }]);
  await (await one.post("/v1/chat/completions", { model: "x" })).text();
  const path = `/gateways/${one.gateway.id}/requests`;
  let id = "";
  await until(async () => {
    const { items } = await (await kit.get(`/v1${path}`)).json();
    id = items[0]?.id ?? "";
    return id !== "";
  });
  await using opened = await open(kit);

  await opened.go(`${path}?open=${id}`);

  expect(await opened.page.locator(".attempts li").textContent()).toMatch(/302.*upstream_failed/);
});

test("a token of one gateway opens all its pages, and sees no global ones", async () => {
  const kit = await started();
  const { gateway, path, registry, consumer } = await demo(kit);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "One gateway's",
    role: "admin",
    gateway_ids: [gateway.id],
  });
  await using opened = await open(kit, { token });
  const { page, go, move } = opened;
  await go("");
  for (const target of [
    "",
    "/gateways",
    path,
    `${path}?tab=limits`,
    `${path}/registries`,
    `${path}/registries/${registry.id}`,
    `${path}/consumers/${consumer.id}`,
    `${path}/requests`,
    ...["", "?tab=installs", "?tab=access", "?tab=catalog", "?tab=tokens"].map(
      (tab) => `${path}/store${tab}`,
    ),
    "/audit",
  ]) {
    await move(target);
    expect([target, await page.getByRole("alert").allTextContents()]).toEqual([target, []]);
  }

  const navigation = await page.getByRole("navigation", { name: "Console" }).innerText();
  expect(navigation).toContain("Registries");
  expect(navigation).not.toMatch(/Guard|Policies|Activity|Tokens/i);
}, 60_000);
