/** Audit log in the console. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

test("a sentence links the name of the resource, not the same letters in another word", async () => {
  const kit = await started();
  const gateway = await kit.make<{ id: string }>("/v1/gateways", { name: "g" });
  await using opened = await open(kit);
  const { page, go } = opened;

  await go("/audit?resource=gateway");

  const sentence = page.getByText(/created the gateway g\.$/);
  await sentence.waitFor();
  const link = sentence.getByRole("link");
  expect(await link.textContent()).toBe("g");
  expect(await link.getAttribute("href")).toEndWith(`/gateways/${gateway.id}`);
});
