/** Explain in the console: where a request would go, and why other registries are excluded. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

/** Opens the page as a viewer: explaining changes nothing. */
async function openExplain(attach: Parameters<typeof makeConsumer>[1]) {
  const kit = await started();
  const { path } = await makeConsumer(kit, attach);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: path, role: "viewer" });
  const opened = await open(kit, { token });
  await opened.go(`${path.replace("/v1", "")}?tab=explain`);
  return opened;
}

const url = "https://upstream.example/v1";

test("shows the order of the registries, and why others are excluded", async () => {
  await using opened = await openExplain([
    { provider: "openai", url, name: "First" },
    { provider: "groq", url, name: "No pictures" },
    { provider: "mistral", url, name: "Switched off", enabled: false },
  ]);
  const { page } = opened;

  await page.getByLabel("Capability").selectOption("images");
  await page.getByLabel("Model").fill("gpt-image-1");
  await page.keyboard.press("Enter");
  await page.getByText("Tried in this order").waitFor();

  const explanation = page.locator(".explanation");
  expect(await explanation.locator("ol li").allTextContents()).toEqual([
    `First (openai) as gpt-image-1 at ${url}/images/generations`,
  ]);
  expect(await explanation.locator("ul li").allTextContents()).toEqual([
    "No pictures (groq): The registry does not support this endpoint.",
    "Switched off (mistral): The registry is disabled.",
  ]);
  expect(opened.violations).toEqual([]);
});

test("4.7.3 a pin that matches nothing shows the error of the client", async () => {
  await using opened = await openExplain([{ provider: "openai", url, name: "Only" }]);
  const { page } = opened;

  await page.getByLabel("Model").fill("gpt-4o");
  await page.getByLabel("Pin").fill("@mistral");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("The client would get 403 model_not_allowed.").waitFor();

  expect(await page.locator(".explanation ol").count()).toBe(0);
  expect(await page.locator(".explanation ul li").textContent()).toBe(
    "Only (openai): The request is pinned to another registry or provider.",
  );
});

test("a consumer without registries shows that one must be attached", async () => {
  await using opened = await openExplain([]);
  const { page } = opened;

  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("The consumer has no registries.").waitFor();
});

test("names the policy that evaluates the request", async () => {
  const kit = await started();
  await using it = await makeGuardedConsumer(
    kit,
    { name: "Strict" },
    { collector: { name: "All" } },
  );
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`${it.path.replace("/v1", "")}?tab=explain`);

  await page.getByLabel("Model").fill("gpt-4o");
  await page.getByRole("button", { name: "Explain" }).click();

  await page
    .getByText(
      "The guard (collector All) evaluates the request and the response by the policy Strict, version 1 (enforce).",
    )
    .waitFor();
});
