/** From an empty installation to the first request in the console. */
import { expect, test } from "bun:test";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();

test("a wrong token is rejected, a valid token opens Home, and signing out ends the session", async () => {
  await using opened = await open(await started(), { token: null });
  const { page, go, heading } = opened;
  await go("");

  await page.getByLabel("Administrator token").fill("pa_wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  expect(await page.getByRole("alert").textContent()).toMatch(/unknown, expired.*Trace ID \w{32}/);

  await page.getByLabel("Administrator token").fill(OWNER_TOKEN);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /^Account:/ }).waitFor();
  expect(await heading()).toBe("Home");
  expect(await page.locator(".who").textContent()).toContain("First owner owner");

  await page.getByRole("button", { name: /^Account:/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText("Your session has expired.").count()).toBe(0);
  await go("/tokens");
  expect(await heading()).toBe("Sign in");
  expect(opened.violations).toEqual([]);
});

test("gateway, registry, consumer and key are created in the console, and a request is listed", async () => {
  await using kit = await startKit();
  await using opened = await open(kit);
  const { page, go } = opened;
  const press = (name: string) => page.getByRole("button", { name }).click();
  const follow = (name: string) => page.getByRole("link", { name }).click();

  await go("");
  await follow("Create a gateway");
  await page.getByLabel("Name", { exact: true }).fill("Production");
  await press("Create gateway");

  await page.getByRole("heading", { name: "Registries", level: 1 }).waitFor();
  await page.locator(".empty").getByRole("link", { name: "New registry" }).click();
  await page.getByLabel("Provider").selectOption("demo");
  await page.getByLabel("Name", { exact: true }).fill("House demo");
  await press("Test connection");
  await page.getByText("The upstream returned its model list.").waitFor();
  await press("Create registry");
  await page.getByRole("link", { name: "House demo" }).waitFor();

  await follow("Consumers");
  await page.locator(".empty").getByRole("link", { name: "New consumer" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Shop");
  await page.getByLabel("Slug (optional)").fill("shop");
  await page.getByLabel("Attach a registry").selectOption({ label: "House demo (demo)" });
  await page.getByLabel("Default model").fill("demo-chat");
  await page.getByLabel("Browser origins (optional)").fill("shop.example");
  await press("Create consumer");
  await page.getByText("must be an origin as browsers send it").first().waitFor();
  await page
    .getByLabel("Browser origins (optional)")
    .fill("https://shop.example, http://localhost");
  await press("Create consumer");

  await press("New key");
  await page.getByRole("dialog").getByLabel("Name").fill("Laptop");
  await press("Create key");
  await page.getByRole("heading", { name: "Key Laptop" }).waitFor();
  const secret = (await page.locator("dialog code").first().textContent()) ?? "";
  const curl = (await page.locator("dialog code").nth(1).textContent()) ?? "";
  expect(secret).toMatch(/^ag_[\w-]{43}$/);

  const response = await Bun.$`sh -c ${`${curl} -s`}`.json();
  expect(response.choices[0].message.content).toContain("Hello!");

  await press("I have stored it");
  expect(await page.content()).not.toContain(secret);
  expect(await page.locator(".table tbody").textContent()).toContain(`Laptop${secret.slice(0, 7)}`);

  await follow("Requests");
  const row = page.locator(".table tbody tr");
  await waitForRow(async () => {
    await press("Refresh");
    return (await row.count()) > 0;
  });
  expect(await row.first().textContent()).toMatch(/200chatShopdemo-chatHouse demo\d+ \+ \d+/);
  await row.first().getByRole("button").click();
  expect(await page.getByRole("dialog").textContent()).toMatch(/Trace ID\w{32}/);
  expect(opened.violations).toEqual([]);
});

test("a new secret stays visible until the user confirms that it is stored", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("");
  await page.getByRole("link", { name: "Tokens" }).click();

  await page.getByRole("button", { name: "New token" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("For a script");
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Token For a script" });
  await dialog.waitFor();
  for (const key of ["Escape", "Escape", "Escape"]) await page.keyboard.press(key);
  await page.mouse.click(5, 5);
  await page.goBack();
  expect(await dialog.isVisible()).toBe(true);

  await dialog.getByRole("button", { name: "I have stored it" }).click();
  expect(await dialog.isVisible()).toBe(false);
});

test("a rotated key works for the selected time; a revoked key ends at once", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Keys" });
  const path = `/gateways/${gateway.id}/consumers`;
  const consumer = await kit.make(`/v1${path}`, { name: "App" });
  await kit.make(`/v1${path}/${consumer.id}/keys`, { name: "Old one" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${path}/${consumer.id}?tab=keys`);

  await page.getByRole("button", { name: "Options of Old one" }).click();
  await page.getByRole("menuitem", { name: "Rotate…" }).click();
  await page.getByLabel("Old key").selectOption({ label: "Works for 7 days" });
  await page.getByRole("button", { name: "Rotate key" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  const rows = page.locator(".table tbody tr");
  expect(await rows.count()).toBe(2);
  expect(await rows.first().locator("td").nth(4).textContent()).not.toBe("never");

  await rows.nth(1).getByRole("button", { name: "Options of" }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Key Old one was revoked.").waitFor();
  const { items } = (await (await kit.get(`/v1${path}/${consumer.id}/keys`)).json()) as {
    items: { state: string }[];
  };
  expect(items.map(({ state }) => state)).toEqual(["active", "revoked"]);
});

/** Events are written in batches, shortly after the response. */
async function waitForRow(there: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    if (await there()) return;
    await Bun.sleep(100);
  }
  throw new Error("The request did not appear.");
}
