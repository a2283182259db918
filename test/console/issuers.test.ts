/** Identity providers in the console: tokens of an added issuer are accepted. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { newSigningKey, startIssuer } from "../kit/issuer.ts";
import { sharedKit } from "../kit/kit.ts";
import { startStore } from "../kit/store.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

test("tokens of an issuer work until it is disabled or deleted", async () => {
  const kit = await started();
  const store = await startStore(kit);
  const key = await newSigningKey("ES256", "k1");
  await using issuer = await startIssuer(key);
  const token = await issuer.sign(key, { aud: `${kit.url}/me/mcp` });
  const ask = async () => {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${kit.url}/v0.1/servers`, { headers })).status;
  };
  await using opened = await open(kit);
  const { page, go } = opened;
  const dialog = page.getByRole("dialog");
  const save = (name: string) => dialog.getByRole("button", { name, exact: true }).click();
  await go(`/gateways/${store.gateway.id}/store?tab=issuers`);

  await page.getByText("No identity providers yet.").waitFor();
  expect(await ask()).toBe(401);
  await page.getByRole("button", { name: "New issuer" }).click();
  await dialog.getByLabel("Name").fill("Company login");
  await dialog.getByLabel("Issuer").fill("https://login.example.com");
  await dialog.getByLabel("JWKS URL").fill(issuer.jwks_url);
  await save("Create issuer");
  await dialog.getByRole("alert").waitFor();
  expect(await dialog.getByLabel("JWKS URL").getAttribute("aria-invalid")).toBe("true");
  await dialog.getByLabel("Allow private addresses").check();
  await save("Create issuer");
  await page.getByText("Issuer Company login was created.").waitFor();
  expect(await ask()).toBe(200);

  await page.getByRole("button", { name: "Company login", exact: true }).click();
  await dialog.getByLabel("Enabled").uncheck();
  await save("Save");
  await page.getByText("Saved.", { exact: true }).waitFor();
  expect(await ask()).toBe(401);
  await page.locator(".table tbody tr", { hasText: "disabled" }).waitFor();

  const viewing = await kit.make<{ token: string }>("/v1/tokens", { name: "v", role: "viewer" });
  await using viewer = await open(kit, { token: viewing.token });
  await viewer.go(`/gateways/${store.gateway.id}/store?tab=issuers`);
  expect(await viewer.page.getByRole("button", { name: /New issuer|Delete/ }).count()).toBe(0);
  await viewer.page.getByRole("button", { name: "Company login" }).click();
  expect(await viewer.page.getByRole("dialog").getByLabel("Audience").isDisabled()).toBe(true);

  await page.getByRole("button", { name: "Options of Company login" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await save("Delete issuer");
  await page.getByText("Issuer Company login was deleted.").waitFor();
  await page.getByText("No identity providers yet.").waitFor();
  expect(opened.violations).toEqual([]);
});
