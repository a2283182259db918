/** A collector that observes for a week in the console: one click to start and end it, and what would have happened. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();
const FORBIDDEN = { payload: { messages: [{ role: "user", content: "About falcon" }] } };

test("a collector observes for a week with one click, and its page shows what would have been blocked", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "prompt_moderation", {
    settings: { keywords: ["falcon"] },
  });
  await using opened = await open(kit);
  const { page, go } = opened;
  const path = `/collectors/${guard.collector.id}`;
  const press = (name: string) => page.getByRole("button", { name }).click();
  await go(path);

  await press("Observe for a week");
  await page.getByText("Nothing would have been blocked or withheld yet.").waitFor();
  const observed = await guard.evaluate(FORBIDDEN);
  await go(`${path}?tab=observed`);

  expect(observed.status).toBe("report");
  expect(await page.locator(".page-head").textContent()).toMatch(/observes until .*\d/);
  const row = page.getByRole("region", { name: "What would have happened" }).locator("tbody tr");
  expect(await row.locator("th, td").allTextContents()).toEqual([
    "block",
    "keyreg",
    "/messages/*/content",
    expect.stringContaining("prompt_moderation"),
    "1",
    expect.stringMatching(/\d/),
  ]);
  await press("Enforce now");
  await page.getByRole("button", { name: "Observe for a week" }).waitFor();
  expect(await guard.evaluate(FORBIDDEN)).toMatchObject({ status: "block" });
  await row.getByRole("link").click();
  const dialog = page.getByRole("dialog", { name: "Evaluation" });
  await dialog.getByText("not enforced; would be block").waitFor();
  expect(opened.violations).toEqual([]);
});

test("an observation that has ended is shown with the week before its end", async () => {
  const kit = await started();
  const { collector } = await makeGuardWithRules(kit, "prompt_moderation", {
    settings: { keywords: ["falcon"] },
    collector: { observe_until: "2026-01-08T00:00:00Z" },
  });
  await using opened = await open(kit);
  const { page, go } = opened;

  await go(`/collectors/${collector.id}?tab=observed`);

  const text = await page.locator("main").textContent();
  expect(text).toMatch(/0 evaluations since .*2026.*The observation ended .*2026/);
  expect(await page.getByRole("button", { name: "Observe for a week" }).isVisible()).toBe(true);
  expect(opened.violations).toEqual([]);
});
