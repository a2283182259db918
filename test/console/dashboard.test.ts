/** Home shows totals, charts and the largest groups of a gateway; charts select the range of a list. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const openBrowser = sharedBrowser();

/** Sends five requests that succeed, two that fail, and two evaluations, one of which is blocked. */
async function makeTraffic(kit: Kit) {
  const gateway = await kit.make("/v1/gateways", { name: "Traffic" });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await kit.make(`${path}/registries`, {
    name: "Demo upstream",
    provider: "demo",
  });
  const consumer = await kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
    name: "Mobile app",
    registries: [{ id: registry.id, models: { allowed: ["demo-chat"] } }],
  });
  const keys = `${path}/consumers/${consumer.id}/keys`;
  const { key } = await kit.make<{ key: string }>(keys, { name: "k" });
  for (const model of ["demo-chat", "demo-chat", "demo-chat", "demo-chat", "demo-chat", "x", "y"]) {
    const reply = await fetch(`${kit.url}/${consumer.slug}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-ag-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await reply.text();
  }
  const guard = await makeGuardWithRules(kit, "data_loss_prevention");
  await guard.send(
    [{ payload: { input: "hi" } }, { payload: { input: "jo@example.com" } }],
    {},
    "/v1/evaluate/batch",
  );
  await until(async () => {
    const { totals } = (await (await kit.get(`${path}/statistics`)).json()) as {
      totals: { requests: number };
    };
    return totals.requests === 7;
  });
  return { gateway };
}

test("the dashboard shows exact totals, charts with tables, and links to the filtered lists", async () => {
  const kit = await started();
  const { gateway } = await makeTraffic(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;

  await go(`/?gateway=${gateway.id}`);
  await page.getByRole("link", { name: /^Requests 7 / }).waitFor();

  expect(await page.getByRole("link", { name: /^Failed requests/ }).innerText()).toContain(
    "2\n28.6% of all",
  );
  expect(await page.getByRole("link", { name: /^Blocked/ }).innerText()).toContain("50% of all");
  await page.locator(".plot canvas").first().waitFor();
  const chart = page.locator("figure", { hasText: "Requests by status" }).first();
  await chart.getByText("Values as a table").click();
  const cells = await chart.locator("details td").allInnerTexts();
  const sum = cells.reduce((total, text) => total + Number(text), 0);
  expect(sum).toBe(7);

  await page.getByRole("link", { name: "403 model_not_allowed" }).click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  expect(new URL(page.url()).searchParams.get("status")).toBe("403");
  const rows = (count: number) => async () =>
    (await page.locator(".table tbody tr").count()) === count;
  await until(rows(2));
  await go(`/?gateway=${gateway.id}`);
  await page.getByRole("link", { name: "demo-chat" }).first().click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  await until(rows(5));
  await go(`/?gateway=${gateway.id}`);
  await page.getByRole("link", { name: "pii", exact: true }).click();
  await page.getByText("Kind of finding: pii").waitFor();
  await until(rows(1));
  expect(opened.violations).toEqual([]);
});

test("dragging over the chart of Requests selects a range, which a link carries", async () => {
  const kit = await started();
  const { gateway } = await makeTraffic(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;

  await go(`/gateways/${gateway.id}/requests?range=1h`);
  const over = page.locator(".plot .u-over");
  await over.waitFor();
  const box = await over.boundingBox();
  if (!box) throw new Error("The chart has no size.");
  await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
  await page.mouse.up();

  await until(() => new URL(page.url()).searchParams.has("from"));
  const { searchParams } = new URL(page.url());
  expect(searchParams.get("range")).toBeNull();
  const seconds =
    (Date.parse(searchParams.get("to") ?? "") - Date.parse(searchParams.get("from") ?? "")) / 1000;
  expect(seconds).toBeGreaterThan(1200);
  expect(seconds).toBeLessThan(2400);
  expect(opened.violations).toEqual([]);
});
