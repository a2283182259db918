/** Explain in the console: where a consumer's request would go, and why the other registries are out. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

/** A person who may only look: to explain changes nothing. */
async function explaining(attach: Parameters<typeof makeConsumer>[1]) {
  const kit = await started();
  const { path } = await makeConsumer(kit, attach);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: path, role: "viewer" });
  const opened = await open(kit, { token });
  await opened.go(`${path.replace("/v1", "")}?tab=explain`);
  return opened;
}

const url = "https://upstream.example/v1";

test("it shows the order of those that are in, and why each other one is out", async () => {
  await using opened = await explaining([
    { provider: "openai", url, name: "First" },
    { provider: "groq", url, name: "No pictures" },
    { provider: "mistral", url, name: "Switched off", enabled: false },
  ]);
  const { page } = opened;

  await page.getByLabel("Capability").selectOption("images");
  await page.getByLabel("Model").fill("gpt-image-1");
  await page.keyboard.press("Enter");
  await page.getByText("Tried, in this order").waitFor();

  const told = page.locator(".explanation");
  expect(await told.locator("ol li").allTextContents()).toEqual([
    `First (openai) as gpt-image-1 at ${url}/images/generations`,
  ]);
  expect(await told.locator("ul li").allTextContents()).toEqual([
    "No pictures (groq): The registry does not support this endpoint.",
    "Switched off (mistral): The registry is disabled.",
  ]);
  expect(opened.violations).toEqual([]);
});

test("4.7.3 a pin that fits nothing shows what the client would get", async () => {
  await using opened = await explaining([{ provider: "openai", url, name: "Only" }]);
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

test("a consumer without registries is told to attach one", async () => {
  await using opened = await explaining([]);
  const { page } = opened;

  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("No registry is attached to the consumer").waitFor();
});
