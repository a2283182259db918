/** Requests as code in the console, run by a real shell, Bun and Python. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";
import { sharedBrowser } from "./browser.ts";

setDefaultTimeout(30_000);

const started = sharedKit();
const open = sharedBrowser();

const MODEL = `it's "; touch pwned; $(touch pwned) \`touch pwned\` !! \\`;

test("a model name with quotes and substitutions reaches the upstream unchanged, and runs nothing", async () => {
  const kit = await started();
  await using upstream = startUpstream({ body: { id: "1", choices: [] } });
  const consumer = await makeConsumer(kit, [
    { provider: "openai_compatible", url: `${upstream.url}/v1`, models: { allowed: [MODEL] } },
  ]);
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/gateways/${consumer.gateway.id}/consumers/${consumer.id}?tab=keys`);
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Shell");
  await page.getByRole("button", { name: "Create key" }).click();
  const code = page.getByRole("region", { name: "Try it" }).locator("code");
  const command = await code.textContent();
  const cwd = mkdtempSync(join(tmpdir(), "portcullis-paste-"));

  const child = Bun.spawn(["bash", "-c", `${command} --silent --fail-with-body`], { cwd });

  expect(await child.exited).toBe(0);
  expect(JSON.parse(String(upstream.hits[0]?.body)).model).toBe(MODEL);
  await page.getByRole("button", { name: "TypeScript" }).click();
  const script = Bun.spawn([process.execPath, "-e", (await code.textContent()) ?? ""]);
  expect(await script.exited).toBe(0);
  expect(JSON.parse(String(upstream.hits[1]?.body)).model).toBe(MODEL);
  await page.getByRole("button", { name: "Python" }).click();
  const check = "import ast, sys; ast.parse(sys.argv[1])";
  const python = Bun.spawn(["python3", "-c", check, (await code.textContent()) ?? ""]);
  expect(await python.exited).toBe(0);
  expect(readdirSync(cwd)).toEqual([]);
  rmSync(cwd, { recursive: true });
});
