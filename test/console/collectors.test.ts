/** Collectors in the console: policy, keys, service clients and overrides. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });
const open = sharedBrowser();

interface NamedResource {
  id: string;
  name: string;
}

test("a collector created in the console uses its policy; its key is shown once and works", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go } = opened;
  const press = (name: string) => page.getByRole("button", { name }).click();
  await go("/collectors");

  await page.getByRole("link", { name: "New collector" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Support desk");
  await page.getByLabel("Policy").selectOption({ label: "Starter (enforce)" });
  await page.getByLabel("Content storage").selectOption("none");
  await press("Create collector");

  await press("New key");
  await page.getByRole("dialog").getByLabel("Name").fill("Production");
  await press("Create key");
  const dialog = page.getByRole("dialog", { name: "Key Production" });
  await dialog.waitFor();
  for (const key of ["Escape", "Escape"]) await page.keyboard.press(key);
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
  const secret = (await dialog.locator("code").first().textContent()) ?? "";
  const curl = (await dialog.locator("code").nth(1).textContent()) ?? "";
  expect(secret).toMatch(/^pc_[\w-]{43}$/);

  const verdict = await Bun.$`sh -c ${`${curl} -s`}`.json();
  expect(verdict.status).toBe("transform");

  await press("I have stored it");
  expect(await page.content()).not.toContain(secret);
  expect(await page.locator(".table tbody").textContent()).toContain(
    `Production${secret.slice(0, 7)}`,
  );
  expect(opened.violations).toEqual([]);
});

test("a service client's command fetches a token", async () => {
  const kit = await started();
  const collector = await kit.make<NamedResource>("/v1/collectors", { name: "Edge" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/collectors/${collector.id}?tab=clients`);

  await page.getByRole("button", { name: "New service client" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Edge node");
  await page.getByRole("button", { name: "Create service client" }).click();
  await page.getByRole("dialog", { name: "Service client Edge node" }).waitFor();
  const curl = (await page.locator("dialog code").nth(1).textContent()) ?? "";

  expect(await Bun.$`sh -c ${`${curl} -s`}`.json()).toMatchObject({ token_type: "Bearer" });
});

test("an override applies another policy to one consumer_id until it is deleted", async () => {
  const kit = await started();
  const collector = await kit.make<NamedResource>("/v1/collectors", { name: "Desk" });
  const policy = await kit.make<NamedResource>("/v1/policies", {
    name: "Lenient",
    mode: "observe",
  });
  const overrides = `/v1/collectors/${collector.id}/overrides`;
  const stored = async () =>
    ((await (await kit.get(overrides)).json()) as { items: unknown }).items;
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/collectors/${collector.id}?tab=overrides`);

  await page.getByRole("button", { name: "New override" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("consumer_id").fill("team/blue");
  await dialog.getByLabel("Policy").selectOption({ label: "Lenient (observe)" });
  await dialog.getByLabel("Version").fill("1");
  await dialog.getByRole("button", { name: "Create override" }).click();
  await page.getByRole("link", { name: "Lenient" }).waitFor();
  expect(await stored()).toMatchObject([
    { consumer_id: "team/blue", policy_id: policy.id, policy_version: 1 },
  ]);
  await page.getByRole("button", { name: "New override" }).click();
  await dialog.getByLabel("consumer_id").fill("team/blue");
  await dialog.getByLabel("Policy").selectOption({ label: "Lenient (observe)" });
  await dialog.getByRole("button", { name: "Create override" }).click();
  await dialog.getByText("already has an override. Edit that one.").first().waitFor();
  expect(await stored()).toMatchObject([{ policy_version: 1 }]);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Options of team/blue" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete override" }).click();
  await page.getByText("No overrides.").waitFor();
  expect(await stored()).toEqual([]);
});

test("after a save the form shows the stored values; the collector key cannot be emptied", async () => {
  const kit = await started();
  const collector = await kit.make<NamedResource>("/v1/collectors", {
    name: "Kept",
    collector_key: "kept-key",
  });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/collectors/${collector.id}`);
  const key = page.getByLabel("Collector key");
  const save = page.getByRole("button", { name: "Save" });

  await key.fill("");
  await save.click();
  expect(await key.evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true);
  await key.fill("other-key");
  await page.getByLabel("Retention (days)").fill("030");
  await save.click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  expect(await key.inputValue()).toBe("other-key");
  expect(await page.getByLabel("Retention (days)").inputValue()).toBe("30");
});

test("settings of coding agents send their hooks to the collector, and fail as it does", async () => {
  const kit = await started();
  const body = { name: "Agents", fail_mode: "closed" };
  const collector = await kit.make<NamedResource>("/v1/collectors", body);
  const { key } = await kit.make<{ key: string }>(`/v1/collectors/${collector.id}/keys`, {
    name: "agents",
  });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/collectors/${collector.id}`);

  await page.getByRole("link", { name: "Coding agents" }).click();
  const read = async (label: string) =>
    (await page.getByRole("region", { name: label }).locator("code").textContent()) ?? "";
  const claude = JSON.parse(await read("Claude Code, ~/.claude/settings.json"));
  const codex = JSON.parse(await read("Codex, ~/.codex/hooks.json"));
  const cursor = await read("Cursor, ~/.cursor/hooks.json");

  const url = `${kit.url}/v1/hooks`;
  expect(claude.hooks.PreToolUse[0].hooks[0]).toMatchObject({
    url: `${url}/claude-code`,
    onFailure: "block",
  });
  const command: string = codex.hooks.PreToolUse[0].hooks[0].command;
  const run = (secret: string, text: string) =>
    Bun.$`sh -c ${command} < ${new Response(text)}`
      .env({ PATH: process.env.PATH ?? "", USER: "ana", PORTCULLIS_COLLECTOR_KEY: secret })
      .nothrow()
      .quiet();
  const passed = await run(key, '{"hook_event_name": "Stop"}');
  const failed = await run("pc_wrong", '{"hook_event_name": "Stop"}');
  expect([passed.exitCode, passed.stdout.toString()]).toEqual([0, "{}"]);
  expect(failed.exitCode).toBe(2);
  // Cursor takes two slashes for the start of a comment.
  expect(cursor).not.toContain("//");
  const entry = JSON.parse(cursor).hooks.beforeShellExecution[0];
  expect(entry).toMatchObject({ failClosed: true });
  expect(entry.command).toEndWith(`${url}/cursor`);
  expect(opened.violations).toEqual([]);
});
