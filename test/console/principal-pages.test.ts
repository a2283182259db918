/** Pages of principals in a real browser, with the headers that browsers send. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { startVendor } from "../kit/vendor.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

test("a principal signs in, connects an account, and rotates the token that uses it", async () => {
  const kit = await started();
  await using vendor = await startVendor(kit);
  const { token, link } = await vendor.installed("alice");
  await vendor.store.newToken("alice");
  await using opened = await open(kit, { token: null });
  const { page } = opened;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

  await page.goto(link);
  await page.getByLabel("Your token").fill(token);
  await press("Continue");
  await press("Sign in at Linear");
  await page.getByRole("heading", { name: "Linear is connected" }).waitFor();

  await page.goto(link);
  await page.getByRole("link", { name: "Your tokens" }).click();
  expect(await page.getByRole("listitem").count()).toBe(2);
  expect(await page.getByText("Uses your accounts.").count()).toBe(1);
  await press("Rotate the token you are signed in with");
  const next = (await page.locator("main code").textContent()) ?? "";
  await using client = await connectClient(`${kit.url}/me/mcp`, {
    authorization: `Bearer ${next}`,
  });
  expect(await client.call("linear__issues")).toMatchObject({ isError: false });
});
