/** Calibration in the console: proposed thresholds, one click to apply them, reset. */
import { afterAll, expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startScoringModel } from "../kit/scoring-model.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();
const model = startScoringModel();
afterAll(() => model.stop());

test("a proposed threshold is applied with one click, links to its events, and can be reset", async () => {
  const kit = await started();
  const guard = await makeGuardWithRules(kit, "gateway", {
    settings: { ...(await model.makeSettings(kit)), threshold: 0.5 },
    policy: { mode: "observe" },
  });
  const bodies = Array.from({ length: 100 }, (_, at) => ({
    payload: { input: `score ${at === 0 ? 0.9 : at < 10 ? 0.6 : 0.01 + at / 500}` },
  }));
  await guard.send(bodies, {}, "/v1/evaluate/batch");
  await using opened = await open(kit);
  const { page, go, move } = opened;
  await go(`/collectors/${guard.collector.id}?tab=calibration`);
  const row = page.locator(".table tbody tr");

  expect(await row.textContent()).toContain("flags 10 (10%)");
  expect(await row.textContent()).toContain("flags 1 (1%)");
  expect(await page.getByRole("img", { name: "Histogram of 100 scores" }).isVisible()).toBe(true);
  await row.getByRole("button", { name: "Apply" }).click();
  await page.getByText("Its policies have a new version.").waitFor();

  const detector = await (await kit.get(`/v1/detectors/${guard.detector.id}`)).json();
  const { threshold } = (detector as { settings: { threshold: number } }).settings;
  expect(threshold).toBeGreaterThan(0.6);
  expect(threshold).toBeLessThanOrEqual(0.9);
  await row.getByRole("button", { name: "Apply", disabled: true }).waitFor();

  await row.getByRole("link", { name: /:\d\d/ }).first().click();
  await page.getByRole("dialog", { name: "Evaluation" }).waitFor();

  await move(`/collectors/${guard.collector.id}?tab=calibration`);
  await page.getByRole("button", { name: "Reset…" }).click();
  await page.getByRole("button", { name: "Reset calibration" }).click();
  await page.getByText("No scores yet.").waitFor();
  expect(opened.violations).toEqual([]);
});
