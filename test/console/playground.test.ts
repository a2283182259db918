/** The playground sends real requests of a consumer without a key, and shows response, verdict, trace and code. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { until } from "../kit/until.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const openBrowser = sharedBrowser();

async function makeConsumer(kit: Kit) {
  const gateway = await kit.make("/v1/gateways", { name: `Play ${Math.random()}` });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await kit.make(`${path}/registries`, { name: "Demo", provider: "demo" });
  const consumer = await kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
    name: "Quill",
    registries: [{ id: registry.id }],
  });
  return { gateway, consumer };
}

test("a streamed chat continues a conversation, links to its request, and is shown as code", async () => {
  const kit = await started();
  const { gateway, consumer } = await makeConsumer(kit);
  await using opened = await openBrowser(kit, { width: 360 });
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/playground`);
  await page.getByLabel("Model").waitFor();
  expect(await page.getByLabel("Model").inputValue()).toBe("demo-chat");
  // The message is on the first screen of a phone.
  expect((await page.getByLabel("Message").boundingBox())?.y).toBeLessThan(700);

  for (const text of ["What is a portcullis?", "And a moat?"]) {
    await page.getByLabel("Message").fill(text);
    await page.getByLabel("Message").press("Control+Enter");
    await page.getByRole("button", { name: "New conversation" }).waitFor();
  }

  const turns = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
  expect(await turns.count()).toBe(4);
  expect((await turns.nth(1).innerText()).length).toBeGreaterThan(12);
  await page.getByRole("link", { name: "Demo", exact: true }).waitFor(); // the registry
  await page.getByText("This request as code").click();
  const code = page.locator(".snippet code");
  expect(await code.innerText()).toContain(`/${consumer.slug}/v1/chat/completions`);
  await page.getByRole("button", { name: "Python" }).click();
  expect(await code.innerText()).toContain("client.chat.completions.create(");
  expect(await page.content()).not.toContain("sealed:v2:");
  await page.getByRole("link", { name: "Request", exact: true }).click();
  await page.locator(".table tbody tr").waitFor();
  expect(opened.violations).toEqual([]);
});

test("the user enters the results of tool calls, and the model continues with them", async () => {
  const kit = await started();
  const { gateway } = await makeConsumer(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/playground`);
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await press("Add tool");
  const tool = page.getByRole("group", { name: "Tool 1", exact: true });
  await tool.getByLabel("Name", { exact: true }).fill("weather");
  await tool.getByLabel("Description", { exact: true }).fill("Returns the weather");
  await press("Add parameter");
  await tool.getByLabel("Parameter 1: name").fill("city");
  await tool.getByLabel("required").check();
  await press("Show as JSON (Tools)");
  const json = page.getByRole("textbox", { name: "Tools" });
  const [weather] = JSON.parse(await json.inputValue());
  expect(weather).toEqual({
    type: "function",
    function: {
      name: "weather",
      description: "Returns the weather",
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      },
    },
  });
  await json.fill(JSON.stringify([weather, { type: "web_search" }, { type: "function" }]));
  await press("Show as fields (Tools)");
  await page.getByLabel("Definition (JSON)").first().waitFor();
  await press("Remove tool 3");
  await press("Remove tool 2");
  await press("Add tool");
  await page
    .getByRole("group", { name: "Tool 2", exact: true })
    .getByLabel("Name", { exact: true })
    .fill("time");
  const turns = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");

  for (const isStreamed of [true, false]) {
    await page.getByLabel("Stream the response").setChecked(isStreamed);
    await page.getByLabel("Message").fill("Call weather and time.");
    await page.getByRole("button", { name: "Send" }).click();
    const send = page.getByRole("button", { name: "Send the results" });
    await page.getByLabel("Result of weather").fill("Fog until noon");
    expect(await send.isDisabled()).toBe(true);
    await page.getByLabel("Result of time").fill('{"hour": 9}');
    await send.click();
    await turns.getByText(/The tool returned/).waitFor();

    expect(await turns.locator("strong").allTextContents()).toEqual([
      "You",
      "Model",
      "Result of weather",
      "Result of time",
      "Model",
    ]);
    expect(await turns.last().innerText()).toContain('{"hour": 9}');
    await page.getByRole("button", { name: "New conversation" }).click();
  }
  expect(opened.violations).toEqual([]);
});

test("an image is shown, speech plays, an error is explained, and a rejected message can be changed", async () => {
  const kit = await started();
  const { gateway } = await makeConsumer(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  const path = `/gateways/${gateway.id}/playground`;

  await go(`${path}?tab=images`);
  await page.getByRole("button", { name: "Send" }).click();
  const picture = page.getByRole("img", { name: "A castle gate at dawn" });
  await picture.waitFor();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(256);

  await page.getByRole("link", { name: "Speech" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  const audio = page.getByLabel("Generated speech");
  await until(async () =>
    (await audio.count()) > 0
      ? await audio.evaluate((player: HTMLAudioElement) => player.duration > 0)
      : false,
  );

  await page.getByRole("link", { name: "Embeddings" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("row", { name: /A castle gate \d+ 1\.000/ }).waitFor();
  await page.getByLabel("Model").fill("@openai/none");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByRole("alert").innerText()).toContain("registry");

  await page.getByRole("link", { name: "Chat" }).click();
  const turns = page.getByRole("list", { name: "Conversation" }).getByRole("listitem");
  await page.getByLabel("Model").fill("@openai/none");
  await page.getByLabel("Message").fill("Open the gate.");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("alert").waitFor();
  expect(await turns.count()).toBe(0);
  expect(await page.getByLabel("Message").inputValue()).toBe("Open the gate.");
  await page.getByLabel("Model").fill("demo-chat");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("button", { name: "New conversation" }).waitFor();
  expect(await turns.locator("strong").allTextContents()).toEqual(["You", "Model"]);
});

test("a recording of the microphone is transcribed, and leaving the page turns the microphone off", async () => {
  const kit = await started();
  const { gateway } = await makeConsumer(kit);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await page.addInitScript(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      Object.assign(window, { microphone: stream.getAudioTracks()[0] });
      return stream;
    };
  });
  const isOff = () => page.evaluate<boolean>("microphone.readyState === 'ended'");
  await go(`/gateways/${gateway.id}/playground?tab=transcription`);

  await page.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByRole("button", { name: "Stop recording" }).click();
  await page.getByText("Selected: recording.webm").waitFor();
  expect(await isOff()).toBe(true);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByLabel("Transcript").getByText("recording.webm").waitFor();
  // With -F, curl would send the content of a local file.
  await page.getByLabel("Model").fill("@/etc/hostname");
  await page.getByText("This request as code").click();
  await page.getByText("--form-string 'model=@/etc/hostname'").waitFor();

  await page.getByRole("button", { name: "Record", exact: true }).click();
  await page.getByRole("button", { name: "Stop recording" }).waitFor();
  expect(await isOff()).toBe(false);
  await page.getByRole("link", { name: "Speech" }).click();
  await until(isOff);
  expect(opened.violations).toEqual([]);
});

test("a file is uploaded, listed, downloaded and deleted, and text is evaluated as a collector", async () => {
  const kit = await started();
  const { gateway } = await makeConsumer(kit);
  const guard = await makeGuardWithRules(kit, "data_loss_prevention", {
    collector: { name: "Till" },
  });
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await go(`/gateways/${gateway.id}/playground?tab=files`);

  await page
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("moat") });
  await page.getByRole("button", { name: "Send" }).click();
  const row = page.getByRole("row", { name: /notes\.txt user_data 4/ });
  await row.waitFor();
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("notes.txt");
  await row.getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });

  await page.getByRole("link", { name: "Evaluations", exact: true }).first().click();
  await page.getByLabel("Collector").selectOption("Till");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByLabel("Verdict").getByText("block", { exact: true }).first().waitFor();
  const { items } = await (await kit.get(`/v1/activity?collector_id=${guard.collector.id}`)).json();
  expect(items).toMatchObject([{ status: "block" }]);
  expect(opened.violations).toEqual([]);
});

test("a tool of the consumer is called with arguments", async () => {
  const kit = await started();
  await using server = startMcpServer({
    tools: [
      {
        name: "echo",
        inputSchema: {
          type: "object",
          properties: { text: { type: "string" } },
          required: ["text"],
        },
      },
    ],
  });
  const store = await makeMcpStore(kit);
  const consumer = await store.consumer([await store.serve("Echo", server.url)]);
  await using opened = await openBrowser(kit);
  const { page, go } = opened;
  await go(`/gateways/${store.gateway.id}/playground?tab=mcp`);

  expect(await page.getByLabel("Argument 1: name").inputValue()).toBe("text");
  await page.getByLabel("Argument 1: value").fill("drawbridge");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByLabel("Result", { exact: true }).getByText("drawbridge").waitFor();
  await page.getByText("This request as code").click();
  await page.getByRole("button", { name: "Python" }).click();

  expect(await page.locator(".snippet code").innerText()).toContain(consumer.url);
  expect(server.calls.map(({ args }) => args)).toEqual([{ text: "drawbridge" }]);
  expect(opened.violations).toEqual([]);
});
