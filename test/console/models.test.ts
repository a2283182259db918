/** Models in the console: the catalog, and the models that a consumer can use. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { SHIPPED_MODELS } from "../../src/contract/gateway/shipped-models.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

test("the catalog is searched, filtered and sorted", async () => {
  await using opened = await open(await started());
  const { page, go, heading } = opened;
  const codes = () => page.locator("tbody th code").allTextContents();
  const embeddings = SHIPPED_MODELS.filter(({ mode, provider }) => {
    return mode === "embedding" && provider === "openai";
  });

  await go("/models");
  expect(await heading()).toBe("Models");
  await page.getByLabel("Provider").selectOption("openai");
  await page.getByPlaceholder("Search model").fill("EMBEDDING");
  await page.locator("tbody tr").nth(embeddings.length).waitFor({ state: "detached" });
  expect((await codes()).toSorted()).toEqual(embeddings.map(({ model }) => model).toSorted());

  await page.getByRole("button", { name: "Input price" }).click();
  await page.locator("th[aria-sort=ascending]", { hasText: "Input price" }).waitFor();
  await page.getByRole("button", { name: "Input price" }).click();
  await page.locator("th[aria-sort=descending]", { hasText: "Input price" }).waitFor();
  await page.locator("tbody tr", { hasText: "$0.13" }).waitFor();
  expect((await codes())[0]).toBe("text-embedding-3-large");
  expect(opened.violations).toEqual([]);
});

test("a consumer's models show context, price, retirement and the name at each registry", async () => {
  const kit = await started();
  await using upstream = startUpstream({ body: { data: [{ id: "own-model" }] } });
  const models = { map: { fast: "claude-opus-4-1" }, allowed: ["fast", "own-*"] };
  const one = await makeConsumer(kit, [
    { provider: "anthropic", url: upstream.url, name: "Claude", models },
  ]);
  await using opened = await open(kit);
  const { page, go } = opened;

  await go(`${one.path.replace("/v1", "")}?tab=models`);

  const rows = await page.locator("tbody tr").allInnerTexts();
  const isNotCapabilities = (cell: string) => !cell.includes("messages");
  expect(rows.map((row) => row.split(/\s*[\t\n]+\s*/).filter(isNotCapabilities))).toEqual([
    [
      ...["fast", "Claude Opus 4.1", "Claude as claude-opus-4-1"],
      ...["200K", "$15.00", "$75.00", "retired 2026-08-05"],
    ],
    ["own-model", "Claude", "unknown", "unknown", "unknown", "not announced"],
  ]);
  expect(opened.violations).toEqual([]);
});
