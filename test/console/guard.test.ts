/** The guard of gateways and consumers in the console. */
import { expect, test } from "bun:test";
import { makeGuard } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();

async function makeGateway(kit: Kit) {
  const name = `gateway ${crypto.randomUUID()}`;
  const { id } = await kit.make("/v1/gateways", { name });
  const path = `/v1/gateways/${id}`;
  const consumer = await kit.make(`${path}/consumers`, { name: "App" });
  const guardAt = async (at: string) => (await (await kit.get(at)).json()).guard;
  return {
    id,
    path,
    consumer: `${path}/consumers/${consumer.id}`,
    gatewayGuard: () => guardAt(path),
    consumerGuard: () => guardAt(`${path}/consumers/${consumer.id}`),
    consumerPage: `/gateways/${id}/consumers/${consumer.id}`,
  };
}

test("a gateway's guard is set in the console, which names the policy that applies", async () => {
  const kit = await started();
  const { collector } = await makeGuard(kit, { name: "Strict" }, { name: "Gateway traffic" });
  const it = await makeGateway(kit);
  const foreign = await makeGateway(kit);
  await makeGuard(kit, {}, { name: "Elsewhere", gateway_id: foreign.id });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${it.id}`);

  expect(await page.getByLabel("Collector").textContent()).not.toContain("Elsewhere");
  expect(await page.getByLabel("Streamed responses").count()).toBe(0);
  await page.getByLabel("Collector").selectOption("Gateway traffic");
  await page.getByText("Policy Strict (version 1, enforce)").waitFor();
  await page.getByLabel("Responses of models").uncheck();
  await page.getByLabel("MCP tool calls").uncheck();
  await page.getByLabel("Requests that need approval").selectOption("wait");
  await page.getByLabel("Wait up to (seconds)").fill("45");
  await page.getByLabel("Streamed responses").selectOption("observe");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  expect(await it.gatewayGuard()).toEqual({
    collector_id: collector.id,
    llm: { input: true, output: false },
    mcp: { input: false, output: true },
    on_ask: "wait",
    wait_s: 45,
    stream: "observe",
  });
  expect(opened.violations).toEqual([]);
});

test("a consumer shows the guard it inherits, gets a copy of it as its own, and can be exempt", async () => {
  const kit = await started();
  const { collector } = await makeGuard(kit, { name: "Careful" }, { name: "Everything" });
  const it = await makeGateway(kit);
  await using opened = await open(kit);
  const { page, go, move } = opened;
  const select = (kind: string) => page.getByLabel("Guard").selectOption(kind);
  /** Returns the guard that the consumer has after the save. */
  const save = async () => {
    const before = JSON.stringify(await it.consumerGuard());
    await page.getByRole("button", { name: "Save" }).click();
    await until(async () => JSON.stringify(await it.consumerGuard()) !== before);
    await page.locator("body:not(:has([aria-busy=true]))").waitFor();
    return await it.consumerGuard();
  };
  await go(it.consumerPage);
  await page.getByText("The gateway has no guard").waitFor();
  await kit.put(it.path, { guard: { collector_id: collector.id, stream: "observe" } });
  await move("/gateways");
  await go(it.consumerPage);
  await page.getByText("Collector Everything. Policy Careful (version 1, enforce)").waitFor();

  await select("own");
  await page.getByLabel("Requests to models").uncheck();
  const own = await save();
  await select("off");
  const off = await save();
  await select("inherit");
  const inherited = await save();

  expect(own).toMatchObject({
    collector_id: collector.id,
    llm: { input: false, output: true },
    stream: "observe",
  });
  expect(off).toEqual({ off: true });
  expect(inherited).toBeNull();
  expect(opened.violations).toEqual([]);
});

test("an administrator of one gateway, who sees no collectors, keeps the collector of the guard", async () => {
  const kit = await started();
  const { collector } = await makeGuard(kit, {});
  const it = await makeGateway(kit);
  await kit.put(it.path, { guard: { collector_id: collector.id } });
  const scoped = { name: "scoped", role: "admin", gateway_ids: [it.id] };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", scoped);
  await using opened = await open(kit, { token });
  const { page, go } = opened;
  await go(`/gateways/${it.id}`);

  await page.getByLabel("Streamed responses").selectOption("observe");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  expect(await it.gatewayGuard()).toMatchObject({
    collector_id: collector.id,
    stream: "observe",
  });
});

test("a request links to its evaluations, and an evaluation to its request", async () => {
  const kit = await started();
  await using it = await makeGuardedConsumer(kit, {}, { consumer: { name: "Quill" } });
  const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
  const reply = await it.post("/v1/chat/completions", body);
  const { id } = await it.event(reply.headers.get("x-ag-trace-id"));
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${it.gateway.id}/requests?range=all&open=${id}`);

  await page.getByRole("link", { name: "Open in Activity" }).click();
  await page.waitForURL(/\/activity\?/);
  await until(async () => (await page.locator(".table tbody tr").count()) === 2);
  const column = page.locator(
    '.table tbody tr:first-child [title="Filter by this consumer: Quill"]',
  );
  expect(await column.textContent()).toBe("Quill");
  await page.locator(".table tbody tr button").first().click();
  await page.getByRole("link", { name: "Open in Requests" }).click();
  await page.waitForURL(/\/requests\?/);
  await until(async () => (await page.locator(".table tbody tr").count()) === 1);

  expect(opened.violations).toEqual([]);
});
