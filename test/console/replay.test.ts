/** Replay in the console: which verdicts an unsaved policy would change. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(60_000);

const started = sharedKit();
const open = sharedBrowser();
const CARD = { payload: { input: "4111 1111 1111 1111" } };
const PLAIN = { payload: { input: "Hello" } };

test("a replay compares unsaved changes with the recorded verdicts", async () => {
  const kit = await started();
  const collector = { content_storage: "full" };
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", { collector });
  const other = await makeGuardWithRules(kit, "data_loss_prevention", { collector });
  for (const body of [CARD, PLAIN, CARD]) await guard.evaluate(body);
  await other.evaluate(CARD);
  await using opened = await open(kit);
  const { page, go } = opened;
  const outcome = page.getByRole("region", { name: "Result" });
  const run = () => page.getByRole("button", { name: "Run replay" }).click();
  const tabs = page.getByRole("navigation", { name: "Policy" });
  await go(`/policies/${guard.policy.id}?tab=replay`);

  await page.getByLabel("Collector").selectOption(guard.collector.id);
  await run();
  await outcome.getByText("3 replayed, 0 changed.").waitFor();

  await tabs.getByRole("link", { name: "Input rules" }).click();
  await page.getByLabel("Action").selectOption("report");
  await tabs.getByRole("link", { name: "Replay" }).click();
  await page.getByText("with its unsaved changes").waitFor();
  expect(await page.getByLabel("Collector").inputValue()).toBe(guard.collector.id);
  await run();
  await outcome.getByText("3 replayed, 2 changed.").waitFor();
  const transitions = page.getByRole("region", { name: "Changed verdicts" });
  expect(await transitions.locator("tbody tr").allTextContents()).toEqual(["blockreport2"]);
  await page.getByLabel("Collector").selectOption("Any");
  await run();
  await outcome.getByText("4 replayed, 3 changed.").waitFor();

  const events = page.getByRole("region", { name: "Events with a changed verdict" });
  await events.getByRole("link").last().click();
  await page.getByRole("dialog", { name: "Evaluation" }).waitFor();
  expect(await page.locator(".table tbody tr").count()).toBe(1);
  expect(opened.violations).toEqual([]);
});

test("a long replay shows its progress, counts each event once, and can be stopped", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", {
    action: "report",
    collector: { content_storage: "full" },
  });
  for (let turn = 0; turn < 5; turn += 1) {
    await Promise.all(Array.from({ length: 50 }, () => guard.evaluate(PLAIN)));
  }
  await using opened = await open(kit);
  const { page, go } = opened;
  const outcome = page.getByRole("region", { name: "Result" });
  const run = () => page.getByRole("button", { name: "Run replay" }).click();
  await go(`/policies/${guard.policy.id}?tab=replay`);
  await page.getByLabel("Collector").selectOption(guard.collector.id);

  await page.getByLabel("Max events").selectOption("Latest 200");
  await run();
  await outcome.getByText(/^\d+ replayed, 0 changed\.$/).waitFor();
  await page.getByLabel("Max events").selectOption("Latest 1,000");
  await run();
  await outcome.getByText("250 replayed, 0 changed.").waitFor();

  const held = Promise.withResolvers<void>();
  let requests = 0;
  await page.route("**/replay", async (route) => {
    requests += 1;
    if (requests === 2) await held.promise;
    await route.continue();
  });
  await run();
  await outcome.getByText(/^100 of 250 events\./).waitFor();
  expect(await page.getByLabel("Replayed events").getAttribute("value")).toBe("100");
  await page.getByRole("button", { name: "Stop" }).click();
  held.resolve();
  await outcome.getByText(/^Stopped after 100 of 250 events\./).waitFor();
  expect(requests).toBe(2);
  expect(opened.violations).toEqual([]);
});

test("events that cannot be re-evaluated are listed with the reason, and a viewer cannot replay", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", {
    collector: { content_storage: "masked" },
  });
  await guard.evaluate(CARD);
  await guard.evaluate(PLAIN);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Looks",
    role: "viewer",
  });
  const path = `/policies/${guard.policy.id}?tab=replay`;
  await using opened = await open(kit);
  await opened.go(path);
  await opened.page.getByLabel("Collector").selectOption(guard.collector.id);
  await opened.page.getByRole("button", { name: "Run replay" }).click();
  await opened.page.getByText("1 replayed, 0 changed; 1 cannot be re-evaluated.").waitFor();
  await opened.page.getByText("Show the events").click();
  const skips = opened.page.getByRole("region", { name: "Events that cannot be re-evaluated" });
  expect(await skips.locator("tbody").textContent()).toContain("inputblockcontent masked");

  await using viewer = await open(kit, { token });
  await viewer.go(path);
  await viewer.page.getByText("Replay requires the role auditor, admin or owner.").waitFor();
});
