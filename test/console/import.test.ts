/** Servers brought into the catalog in the console: from files, from a registry, and shown one by one. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const server = (name: string) => ({
  name: `com.example/${name}`,
  title: `The ${name}`,
  version: "1.0.0",
  remotes: [{ type: "streamable-http", url: `https://${name}.example.com/mcp` }],
});

async function opened(role?: string) {
  const kit = await started();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const token = role && (await kit.make<{ token: string }>("/v1/tokens", { name: "t", role }));
  const browser = await open(kit, token ? { token: token.token } : {});
  await browser.go(`/gateways/${id}/store?tab=import`);
  const entry = async (name: string) => {
    const code = encodeURIComponent(`com.example/${name}`);
    return await (await kit.get(`/v1/gateways/${id}/store/catalog/${code}`)).json();
  };
  const press = (name: string) => browser.page.getByRole("button", { name, exact: true }).click();
  return { browser, page: browser.page, entry, press };
}

test("files are read into the text, imported hidden, and shown by a button", async () => {
  const { browser, page, entry, press } = await opened();
  await using _ = browser;
  const file = (name: string, value: unknown) => ({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  });

  await page.getByLabel("Files (optional)").setInputFiles([file("broken.json", "{")]);
  await page.getByText("broken.json: is not JSON").waitFor();
  await page
    .getByLabel("Files (optional)")
    .setInputFiles([
      file("tickets.json", server("tickets")),
      file("more.json", [server("notes"), { ...server("old"), remotes: [] }]),
    ]);
  await page.getByText("broken.json: is not JSON").waitFor({ state: "detached" });
  await press("Import servers");
  await page.getByText("2 imported, 1 left out.").waitFor();
  const left = page.getByRole("region", { name: "Servers that were left out" });
  expect(await left.locator("tbody tr").count()).toBe(1);
  expect(await left.locator("tbody tr").textContent()).toStartWith("com.example/old");
  expect(await entry("tickets")).toMatchObject({ status: "hidden", source: "imported" });

  await press("Show The tickets");
  const dialog = page.getByRole("dialog", { name: "Show The tickets" });
  await dialog.getByLabel("What does it ask of its callers?").selectOption("A key of each person");
  await dialog.getByLabel("Header").fill("X-Key");
  await dialog.getByLabel("Word before the key (optional)").fill("");
  await dialog.getByRole("button", { name: "Show server" }).click();
  await page.getByText("The tickets is shown now.").waitFor();
  await page.getByRole("button", { name: "Show The tickets" }).waitFor({ state: "detached" });
  expect(await entry("tickets")).toMatchObject({
    status: "shown",
    auth: { type: "key", header: "X-Key", scheme: "", scope: "principal" },
  });
  expect(await entry("notes")).toMatchObject({ status: "hidden" });

  await page.getByLabel("server.json", { exact: true }).fill("{");
  await press("Import servers");
  await page.getByRole("alert").getByText("Nothing was imported.").waitFor();
  expect(await page.getByText("2 imported").count()).toBe(0);
  expect(browser.violations).toEqual([]);
});

test("a registry is searched and imported; what it says wrong is told", async () => {
  const { browser, page, entry, press } = await opened();
  await using _ = browser;
  await using registry = startUpstream({ body: { servers: [{ server: server("search") }] } });

  await page.getByLabel("Address").first().fill(registry.url);
  await page.getByLabel("Search (optional)").fill("search");
  await press("Import from registry");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("May be at a private address").check();
  await press("Import from registry");
  await page.getByText("1 imported, 0 left out.").waitFor();
  expect(registry.hits[0]?.query).toContain("search=search");
  expect(await entry("search")).toMatchObject({ url: "https://search.example.com/mcp" });
  // Nobody knows what it asks for yet.
  await page.getByRole("link", { name: "New instance of The search" }).click();
  expect(await page.getByLabel("Server of the Store").inputValue()).toBe("com.example/search");
  expect(browser.violations).toEqual([]);
});

test("who may not change the catalog is told so", async () => {
  const { browser, page } = await opened("approver");
  await using _ = browser;

  await page.getByText("Importing needs a role that may change the catalog.").waitFor();
  expect(await page.locator("main form").count()).toBe(0);
});
