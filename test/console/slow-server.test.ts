/** Slow server: the console shows a notice, retries on demand, and aborts calls of closed pages. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const NOTE = "The server is slow to respond.";

/** Holds the first call to a path, and counts the calls and the aborted ones. */
async function holdFirstCall(page: Page, path: string) {
  const seen = { calls: 0, aborted: 0 };
  await page.clock.install();
  await page.route(`**${path}*`, (route) => {
    seen.calls += 1;
    if (seen.calls > 1) void route.continue();
  });
  page.on("requestfailed", (request) => {
    const aborted = request.failure()?.errorText === "net::ERR_ABORTED";
    if (aborted && request.url().includes(path)) seen.aborted += 1;
  });
  return seen;
}

test("a slow list shows a notice, and a retry aborts the first call", async () => {
  const opened = await open(await started());
  await using _ = opened;
  const { page } = opened;
  await opened.go("/gateways");
  const seen = await holdFirstCall(page, "/v1/policies");
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByText("Loading…").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);

  await page.clock.fastForward(8_000);
  await page.getByText(NOTE).waitFor();
  expect(seen).toEqual({ calls: 1, aborted: 0 });
  await page.getByRole("button", { name: "Try again" }).click();

  await page.getByText("No policies yet.").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);
  expect(seen).toEqual({ calls: 2, aborted: 1 });
  expect(opened.violations).toEqual([]);
});

test("a slow reload shows a notice beside the last data", async () => {
  const kit = await started();
  await kit.make("/v1/gateways", { name: "Stays" });
  const opened = await open(kit);
  await using _ = opened;
  const { page } = opened;
  await opened.go("/gateways");
  await page.clock.install();
  const late = Promise.withResolvers<void>();
  await page.route("**/v1/gateways?q=*", async (route) => {
    await late.promise;
    await route.continue();
  });
  await page.getByRole("searchbox").fill("nothing like it");
  await page.clock.fastForward(250);
  await page.clock.fastForward(8_000);

  await page.getByText(NOTE).waitFor();
  expect(await page.getByRole("link", { name: "Stays" }).isVisible()).toBe(true);
  late.resolve();

  await page.getByText("No matches.").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);
});

test("leaving a page aborts its calls", async () => {
  const opened = await open(await started());
  await using _ = opened;
  const { page } = opened;
  await opened.go("/gateways");
  const seen = await holdFirstCall(page, "/v1/policies");
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByText("Loading…").waitFor();

  await opened.move("/tokens");

  expect(seen).toEqual({ calls: 1, aborted: 1 });
  await page.clock.fastForward(8_000);
  expect(await page.getByText(NOTE).count()).toBe(0);
});

test("a slow start shows a notice instead of an empty page", async () => {
  const kit = await started();
  const opened = await open(kit);
  await using _ = opened;
  const { page } = opened;
  const seen = await holdFirstCall(page, "/v1/whoami");
  await page.goto(`${kit.url}/console/gateways`);
  await page.getByText("Loading…").waitFor();

  await page.clock.fastForward(8_000);
  await page.getByText(NOTE).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();

  await page.getByRole("heading", { name: "Gateways" }).waitFor();
  expect(seen).toEqual({ calls: 2, aborted: 1 });
});
