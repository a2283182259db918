/** The playground sends real requests of a consumer without a key, and shows response, verdict, trace and code. */
import { expect, test } from "bun:test";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const openBrowser = sharedBrowser();

async function makeConsumer(kit: Kit) {
  const gateway = await kit.make("/v1/gateways", { name: `Play ${Math.random()}` });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await kit.make(`${path}/registries`, { name: "Demo", provider: "demo" });
  const consumer = await kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
    name: "Quill",
    registries: [{ id: registry.id }],
  });
  return { gateway, consumer };
}

test("a streamed chat continues a conversation, links to its request, and is shown as code", async () => {
  const kit = await started();
  const { gateway, consumer } = await makeConsumer(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/playground`);
  await page.getByLabel("Model").waitFor();
  expect(await page.getByLabel("Model").inputValue()).toBe("demo-chat");

  for (const text of ["What is a portcullis?", "And a moat?"]) {
    await page.getByLabel("Message").fill(text);
    await page.getByLabel("Message").press("Control+Enter");
    await page.getByRole("button", { name: "New conversation" }).waitFor();
  }

  const turns = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
  expect(await turns.count()).toBe(4);
  expect((await turns.nth(1).innerText()).length).toBeGreaterThan(12);
  await page.getByText("This request as code").click();
  const code = page.locator(".snippet code");
  expect(await code.innerText()).toContain(`/${consumer.slug}/v1/chat/completions`);
  await page.getByRole("button", { name: "Python" }).click();
  expect(await code.innerText()).toContain("client.chat.completions.create(");
  expect(await page.content()).not.toContain("sealed:v2:");
  await page.getByRole("link", { name: "Request", exact: true }).click();
  await until(async () => {
    if ((await page.locator(".table tbody tr").count()) === 1) return true;
    await page.getByRole("button", { name: "Refresh" }).click();
    return false;
  });
  expect(opened.violations).toEqual([]);
});

test("an image is shown, speech plays, and an error of the gateway is explained", async () => {
  const kit = await started();
  const { gateway } = await makeConsumer(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  const path = `/gateways/${gateway.id}/playground`;

  await go(`${path}?tab=images`);
  await page.getByRole("button", { name: "Send" }).click();
  const picture = page.getByRole("img", { name: "A castle gate at dawn" });
  await picture.waitFor();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(256);

  await page.getByRole("link", { name: "Speech" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  const audio = page.getByLabel("Generated speech");
  await until(async () =>
    (await audio.count()) > 0
      ? await audio.evaluate((player: HTMLAudioElement) => player.duration > 0)
      : false,
  );

  await page.getByRole("link", { name: "Embeddings" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("row", { name: /A castle gate \d+ 1\.000/ }).waitFor();
  await page.getByLabel("Model").fill("@openai/none");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("registry");
});
