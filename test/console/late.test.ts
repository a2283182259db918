/** A server that does not answer: the console says so, asks once more, and gives up what nobody waits for. */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { Page } from "playwright-core";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const NOTE = "The server has not answered yet.";

/** The first call to this path gets no answer; counts the calls, and those that were given up. */
async function unanswered(page: Page, path: string) {
  const seen = { asked: 0, given_up: 0 };
  await page.clock.install();
  await page.route(`**${path}*`, (route) => {
    seen.asked += 1;
    if (seen.asked > 1) void route.continue();
  });
  page.on("requestfailed", (request) => {
    if (request.failure()?.errorText === "net::ERR_ABORTED") seen.given_up += 1;
  });
  return seen;
}

test("a list that does not come says so, and trying again gives the first call up", async () => {
  const opened = await open(await started());
  await using _ = opened;
  const { page } = opened;
  await opened.go("/gateways");
  const seen = await unanswered(page, "/v1/policies");
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByText("Loading…").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);

  await page.clock.fastForward(8_000);
  await page.getByText(NOTE).waitFor();
  expect(seen).toEqual({ asked: 1, given_up: 0 });
  await page.getByRole("button", { name: "Try again" }).click();

  await page.getByText("There is no policy").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);
  expect(seen).toEqual({ asked: 2, given_up: 1 });
  expect(opened.violations).toEqual([]);
});

test("a list that is read again says so beside what is there, until the answer comes", async () => {
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

  await page.getByText("Nothing matches.").waitFor();
  expect(await page.getByText(NOTE).count()).toBe(0);
});

test("a page that is left gives up what it asked for", async () => {
  const opened = await open(await started());
  await using _ = opened;
  const { page } = opened;
  await opened.go("/gateways");
  const seen = await unanswered(page, "/v1/policies");
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByText("Loading…").waitFor();

  await opened.move("/tokens");

  expect(seen).toEqual({ asked: 1, given_up: 1 });
  await page.clock.fastForward(8_000);
  expect(await page.getByText(NOTE).count()).toBe(0);
});

test("a console that cannot learn who is signed in says so instead of an empty page", async () => {
  const kit = await started();
  const opened = await open(kit);
  await using _ = opened;
  const { page } = opened;
  const seen = await unanswered(page, "/v1/whoami");
  await page.goto(`${kit.url}/console/gateways`);
  await page.getByText("Loading…").waitFor();

  await page.clock.fastForward(8_000);
  await page.getByText(NOTE).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();

  await page.getByRole("heading", { name: "Gateways" }).waitFor();
  expect(seen).toEqual({ asked: 2, given_up: 1 });
});
