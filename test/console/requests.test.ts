/** Requests in the console show why a request failed, filter by errors, and lead to routing explain. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { until } from "../kit/until.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const openBrowser = sharedBrowser();

/** Sends a request that succeeds, one that the upstream rejects, and one without a key. */
async function makeFailures() {
  const kit = await started();
  const error = { message: "Unknown size.", type: "invalid_request_error", code: "bad_size" };
  const one = await startConsumer(
    kit,
    [{ provider: "openai", name: "Pictures" }],
    [(_, count) => (count === 1 ? { body: {} } : { status: 400, body: { error } })],
  );
  const path = "/v1/images/edits";
  const form = () =>
    one.form(path, [
      ["model", "gpt-image-1"],
      ["prompt", "a cat"],
      ["image", "png", "a.png"],
    ]);
  await (await form()).text();
  const failed = await form();
  await failed.text();
  await fetch(`${one.url}${path}`, { method: "POST" });
  const list = `/gateways/${one.gateway.id}/requests`;
  await until(async () => {
    const { items } = (await (await kit.get(`/v1${list}`)).json()) as { items: unknown[] };
    return items.length === 3;
  });
  return { ...one, kit, list, trace_id: failed.headers.get("x-ag-trace-id") ?? "" };
}

test("the list of errors shows why, and a request leads to the explanation of its routing", async () => {
  await using it = await makeFailures();
  await using opened = await openBrowser(it.kit);
  const { page, go } = opened;
  await go(`${it.list}?range=all`);
  const rows = page.locator(".table tbody tr");
  await until(async () => (await rows.count()) === 3);

  await page.getByLabel("Status class").selectOption("errors");
  await until(async () => (await rows.count()) === 2);

  // Each status class is a series of the chart.
  await page.locator("figure", { hasText: "Requests by status" }).getByText("4xx").waitFor();
  expect(await page.locator(".u-legend").getByText("2xx").count()).toBe(0);
  const reasons = await rows.locator(".reason").allTextContents();
  expect(reasons).toEqual([
    "Send a consumer key in the header X-AG-API-Key.",
    "invalid_request_error bad_size: Unknown size.",
  ]);

  await rows.nth(1).getByRole("button").click();
  const sheet = page.getByRole("dialog");
  await sheet.getByText("Upstream error").waitFor();
  expect(await sheet.locator(".attempt-message").textContent()).toBe(reasons[1] ?? "");
  expect(await sheet.getByRole("link", { name: "Open in Activity" }).count()).toBe(1);
  await sheet.getByRole("link", { name: "Explain" }).click();

  await page.getByText("Tried in this order").waitFor();
  expect(await page.getByLabel("Capability").inputValue()).toBe("images");
  expect(await page.getByLabel("Model").inputValue()).toBe("gpt-image-1");
  expect(await page.locator(".explanation ol li").textContent()).toContain("Pictures (openai)");
  expect(opened.violations).toEqual([]);
});

test("two clicks lead from a trace ID to the cause of a failed request, whichever gateway is selected", async () => {
  await using it = await makeFailures();
  const other = await it.kit.make("/v1/gateways", { name: "Elsewhere" });
  await using opened = await openBrowser(it.kit);
  const { page, go } = opened;
  await go(`/gateways/${other.id}`);

  await page.getByRole("button", { name: "Go to" }).click();
  await page.keyboard.type(it.trace_id);
  await page.getByRole("option", { name: "400 images.edits: invalid_request_error" }).click();

  const sheet = page.getByRole("dialog", { name: "Request" });
  await sheet.locator("dd").getByText("bad_size: Unknown size.").waitFor();
  expect(opened.violations).toEqual([]);
});

test("a request without a response is listed with the registry of its last attempt", async () => {
  const kit = await started();
  await using it = await startConsumer(
    kit,
    [{ provider: "openai", name: "Silent" }],
    [{ delay_ms: 2000 }],
  );
  const signal = AbortSignal.timeout(200);
  const body = '{"model":"m"}';
  const sent = it.call("/v1/chat/completions", { method: "POST", body, signal });
  expect(sent).rejects.toThrow();
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await go(`/gateways/${it.gateway.id}/requests?range=all`);

  const row = page.locator(".table tbody tr", { hasText: "499" });
  await row.getByText("Silent").waitFor();
  await row.getByRole("button").click();
  const registry = page.getByRole("dialog").locator("dt", { hasText: "Registry" });
  expect(await registry.locator("+ dd").textContent()).toBe("Silent");
});

test("a rejected request without a key opens, and Home links to the errors", async () => {
  await using it = await makeFailures();
  await using opened = await openBrowser(it.kit);
  const { page, go, move } = opened;
  await go(it.list); // selects the gateway
  await move("");

  await page.getByRole("link", { name: /^Failed requests/ }).click();
  await page.getByRole("heading", { name: "Requests", level: 1 }).waitFor();
  expect(await page.getByLabel("Status class").inputValue()).toBe("errors");
  await page.locator(".table tbody tr").first().getByRole("button").click();

  const sheet = page.getByRole("dialog");
  await sheet.getByText("No upstream was called.").waitFor();
  expect(await sheet.locator("dt", { hasText: "Key ID" }).locator("+ dd").textContent()).toBe(
    "none",
  );
  expect(opened.violations).toEqual([]);
});

test("new requests appear by themselves if they match the filters, and wait while the list is paused", async () => {
  const kit = await started();
  await using it = await startConsumer(
    kit,
    [{ provider: "openai", name: "Chats" }],
    [(_, count) => (count === 1 ? { body: {} } : { status: 400, body: { error: {} } })],
  );
  const chat = async () => {
    const body = { model: "gpt", messages: [{ role: "user", content: "Hello" }] };
    await (await it.post("/v1/chat/completions", body, { "X-User-ID": "jane" })).text();
  };
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  const rows = page.locator(".table tbody tr");
  await go(`/gateways/${it.gateway.id}/requests?status_class=errors`);

  await chat();
  await chat();
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  await rows.getByRole("button").focus();
  await page.getByRole("button", { name: "Pause" }).click();
  await chat();
  await chat();
  const resume = page.getByRole("button", { name: "Resume" });
  await resume.getByText("2 new").waitFor();
  expect(await rows.count()).toBe(1);
  await resume.click();
  await rows.nth(2).waitFor();

  await rows.nth(0).getByRole("button").click();
  await page.getByRole("button", { name: "Filter by this user" }).click();
  await until(async () => (await page.getByLabel("User").inputValue()) === "jane");
  await rows.nth(2).waitFor();
  await page.getByLabel("User").fill("joe");
  await page.keyboard.press("Enter");
  await until(async () => (await rows.count()) === 0);

  expect(opened.violations).toEqual([]);
});
