/** Replay in the console: what a policy would have decided, before it is saved. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(60_000);

const started = sharedKit();
const open = sharedBrowser();
const CARD = { payload: { input: "4111 1111 1111 1111" } };
const PLAIN = { payload: { input: "Hello" } };

test("unsaved changes are judged against what was recorded, event by event", async () => {
  const kit = await started();
  const collector = { content_storage: "full" };
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", { collector });
  const other = await makeGuardWithRules(kit, "data_loss_prevention", { collector });
  for (const body of [CARD, PLAIN, CARD]) await guard.evaluate(body);
  await other.evaluate(CARD);
  await using opened = await open(kit);
  const { page, go } = opened;
  const outcome = page.getByRole("region", { name: "What would change" });
  const run = () => page.getByRole("button", { name: "Run replay" }).click();
  const tabs = page.getByRole("navigation", { name: "Policy" });
  await go(`/policies/${guard.policy.id}?tab=replay`);

  await page.getByLabel("Collector").selectOption(guard.collector.id);
  await run();
  await outcome.getByText("3 judged again, 0 decided otherwise.").waitFor();

  await tabs.getByRole("link", { name: "Input rules" }).click();
  await page.getByLabel("Action").selectOption("report");
  await tabs.getByRole("link", { name: "Replay" }).click();
  await page.getByText("with its unsaved changes").waitFor();
  expect(await page.getByLabel("Collector").inputValue()).toBe(guard.collector.id);
  await run();
  await outcome.getByText("3 judged again, 2 decided otherwise.").waitFor();
  const counted = page.getByRole("region", { name: "Decisions that would be others, counted" });
  expect(await counted.locator("tbody tr").allTextContents()).toEqual(["blockreport2"]);
  await page.getByLabel("Collector").selectOption("Any");
  await run();
  await outcome.getByText("4 judged again, 3 decided otherwise.").waitFor();

  const events = page.getByRole("region", { name: "Events decided otherwise" });
  await events.getByRole("link").last().click();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.locator("tbody tr").waitFor();
  expect(await page.locator("tbody tr").count()).toBe(1);
  expect(opened.violations).toEqual([]);
});

test("a long replay tells how far it is, counts each event once, and can be stopped", async () => {
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
  const outcome = page.getByRole("region", { name: "What would change" });
  const run = () => page.getByRole("button", { name: "Run replay" }).click();
  await go(`/policies/${guard.policy.id}?tab=replay`);
  await page.getByLabel("Collector").selectOption(guard.collector.id);

  await page.getByLabel("How many").selectOption("The newest 200");
  await run();
  await outcome.getByText(/^\d+ judged again, 0 decided otherwise\.$/).waitFor();
  await page.getByLabel("How many").selectOption("The newest 1,000");
  await run();
  await outcome.getByText("250 judged again, 0 decided otherwise.").waitFor();

  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/replay", async (route) => {
    asked += 1;
    if (asked === 2) await held.promise;
    await route.continue();
  });
  await run();
  await outcome.getByText(/^100 of 250 events\./).waitFor();
  expect(await page.getByLabel("Events judged").getAttribute("value")).toBe("100");
  await page.getByRole("button", { name: "Stop" }).click();
  held.resolve();
  await outcome.getByText(/^Stopped after 100 of 250 events\./).waitFor();
  expect(asked).toBe(2);
  expect(opened.violations).toEqual([]);
});

test("events without texts are told apart, and a role that may not read texts is told so", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", {
    collector: { content_storage: "none" },
  });
  await guard.evaluate(CARD);
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "Looks",
    role: "viewer",
  });
  const place = `/policies/${guard.policy.id}?tab=replay`;
  await using opened = await open(kit);
  await opened.go(place);
  await opened.page.getByLabel("Collector").selectOption(guard.collector.id);
  await opened.page.getByRole("button", { name: "Run replay" }).click();
  await opened.page.getByText("1 left out, as their texts were not kept.").waitFor();

  await using viewer = await open(kit, { token });
  await viewer.go(place);
  await viewer.page.getByText("Replay is for the roles auditor, admin and owner.").waitFor();
});
