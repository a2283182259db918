/** Import of catalog servers in the console, from files and from a registry. */
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

async function openImport(role?: string) {
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

test("files are loaded into the text, imported as hidden, and shown by a button", async () => {
  const { browser, page, entry, press } = await openImport();
  await using _ = browser;
  const file = (name: string, value: unknown) => ({
    name,
    mimeType: "application/json",
    buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
  });

  await page.getByLabel("Files (optional)").setInputFiles([file("broken.json", "{")]);
  await page.getByText("broken.json: must be valid JSON").waitFor();
  await page
    .getByLabel("Files (optional)")
    .setInputFiles([
      file("tickets.json", server("tickets")),
      file("more.json", [server("notes"), { ...server("old"), remotes: [] }]),
    ]);
  await page.getByText("broken.json: must be valid JSON").waitFor({ state: "detached" });
  await press("Import servers");
  await page.getByText("2 imported, 1 skipped.").waitFor();
  const skipped = page.getByRole("region", { name: "Skipped servers" });
  expect(await skipped.locator("tbody tr").count()).toBe(1);
  expect(await skipped.locator("tbody tr").textContent()).toStartWith("com.example/old");
  expect(await entry("tickets")).toMatchObject({ status: "hidden", source: "imported" });

  await press("Show The tickets");
  const dialog = page.getByRole("dialog", { name: "Show The tickets" });
  await dialog.getByLabel("Authentication").selectOption("API key of each person");
  await dialog.getByLabel("Header").fill("X-Key");
  await dialog.getByLabel("Prefix of the key (optional)").fill("");
  await dialog.getByRole("button", { name: "Show server" }).click();
  await page.getByText("The tickets is now shown.").waitFor();
  await page.getByRole("button", { name: "Show The tickets" }).waitFor({ state: "detached" });
  expect(await entry("tickets")).toMatchObject({
    status: "shown",
    auth: { type: "key", header: "X-Key", scheme: "", scope: "principal" },
  });
  expect(await entry("notes")).toMatchObject({ status: "hidden" });

  await page.getByLabel("server.json", { exact: true }).fill("{");
  await press("Import servers");
  await page.getByRole("alert").getByText("The import failed.").waitFor();
  expect(await page.getByText("2 imported").count()).toBe(0);
  expect(browser.violations).toEqual([]);
});

test("servers of a registry are searched and imported; errors are shown", async () => {
  const { browser, page, entry, press } = await openImport();
  await using _ = browser;
  await using registry = startUpstream({ body: { servers: [{ server: server("search") }] } });

  await page.getByLabel("Address").first().fill(registry.url);
  await page.getByLabel("Search (optional)").fill("search");
  await press("Import from registry");
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Allow private addresses").check();
  await press("Import from registry");
  await page.getByText("1 imported, 0 skipped.").waitFor();
  expect(registry.hits[0]?.query).toContain("search=search");
  expect(await entry("search")).toMatchObject({ url: "https://search.example.com/mcp" });
  // Its authentication is unknown, so an administrator must set it up.
  await page.getByRole("link", { name: "New instance of The search" }).click();
  expect(await page.getByLabel("Store server").inputValue()).toBe("com.example/search");
  expect(browser.violations).toEqual([]);
});

test("a role that may not change the catalog cannot import", async () => {
  const { browser, page } = await openImport("approver");
  await using _ = browser;

  await page.getByText("Import requires a role that may change the catalog.").waitFor();
  expect(await page.locator("main form").count()).toBe(0);
});
