/** Detectors in the console: a form for every kind, with errors at their fields. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { sharedBrowser } from "./browser.ts";

const started = sharedKit();
const open = sharedBrowser();

test("the default form of every kind without required settings can be saved", async () => {
  const kit = await started();
  const { items } = (await (await kit.get("/v1/detectors/catalog")).json()) as {
    items: { kind: string; title: string; settings_schema: { required?: string[] } }[];
  };
  await using opened = await open(kit);
  const { page, go, move } = opened;
  await go("/detectors/new");
  const made: string[] = [];
  for (const { kind, title, settings_schema } of items) {
    if (settings_schema.required?.length) continue;
    await page.getByLabel("Kind").selectOption({ label: title });
    await page.getByLabel("Name", { exact: true }).fill(kind);
    await page.getByRole("button", { name: "Create detector" }).click();
    await page.waitForURL("**/detectors"); // saved
    await move("/detectors/new");
    made.push(kind);
  }

  expect(made.length).toBe(items.length - 2);
  expect(opened.violations).toEqual([]);
}, 60_000);

test("rows of settings can be added, and an error is shown in its row", async () => {
  const kit = await started();
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/detectors/new");
  await page.getByLabel("Kind").selectOption("data_loss_prevention");
  await page.getByLabel("Name", { exact: true }).fill("Case numbers");
  await page.getByLabel("Selected kinds").check();
  const group = page.locator("details", { hasText: "Names, found by a learned model" });
  for (const other of await page.locator(".entity-groups details").all()) {
    await other.locator("summary").click();
    await other.getByRole("button", { name: "Select none" }).click();
  }
  await group.getByLabel("Person name").check();
  await page.getByLabel("Mask with another text").selectOption("person_name");
  await page.getByLabel("Mask for Person name").fill("N.N.");
  await page.getByLabel("Values that are never reported").fill("CASE-000\n\nCASE-001");
  await page.getByRole("button", { name: "Add rule" }).click();
  const row = page.getByRole("group", { name: "rule 1" });
  await row.getByLabel("Name").fill("case_number");
  await row.getByLabel("Type").selectOption("regex");
  await row.getByLabel("Pattern").fill("CASE-(");
  await page.getByRole("button", { name: "Create detector" }).click();
  await page.getByRole("alert").waitFor();

  expect(await row.getByLabel("Pattern").getAttribute("aria-invalid")).toBe("true");
  await row.getByLabel("Pattern").fill("CASE-[0-9]{3}");
  await page.getByRole("button", { name: "Create detector" }).click();
  await page.getByRole("link", { name: "Case numbers" }).click();
  await page.getByRole("heading", { name: "Case numbers" }).waitFor();

  const list = (await (await kit.get("/v1/detectors?q=Case")).json()) as { items: unknown[] };
  expect(list.items).toMatchObject([
    {
      kind: "data_loss_prevention",
      settings: {
        apply_all: false,
        predefined_entities: [{ entity: "person_name", enabled: true, mask_with: "N.N." }],
        allow_list: ["CASE-000", "CASE-001"],
        rules: [{ name: "case_number", type: "regex", pattern: "CASE-[0-9]{3}" }],
      },
    },
  ]);
});

test("saving a remote detector keeps its settings and secrets; in use, it names its policies instead of being deleted", async () => {
  const kit = await started();
  const settings = { url: "https://judge.example/", headers: { "x-key": "very-secret-4711" } };
  const { id } = await kit.make("/v1/detectors", { name: "Remote", kind: "http", settings });
  const read = async () => (await (await kit.get(`/v1/detectors/${id}`)).json()) as object;
  const before = (await read()) as { settings: object };
  await using opened = await open(kit);
  const { page, go } = opened;
  await go(`/detectors/${id}`);

  await page.getByLabel("Enabled").uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved.", { exact: true }).waitFor();

  expect(await read()).toMatchObject({ enabled: false, settings: before.settings, version: 2 });
  const input_rules = [{ detector_id: id, action: "block" }];
  const policy = await kit.make("/v1/policies", { name: "Strict", input_rules });
  await page.reload();
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Remote is in use" });
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual(["Strict, latest version"]);
  expect(await dialog.getByRole("button", { name: "Delete" }).count()).toBe(0);
  await dialog.getByRole("link", { name: "Strict" }).click();
  await page.getByRole("heading", { name: "Strict", level: 1 }).waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await kit.put(`/v1/policies/${policy.id}`, { input_rules: [] });
  await go(`/detectors/${id}`);
  await page.getByRole("button", { name: "More options" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete detector" }).click();
  await page.getByText("Detector Remote was deleted.").waitFor();
});

test("a detector that calls a model selects its registry by name", async () => {
  const kit = await started();
  const gateway = await kit.make("/v1/gateways", { name: "Judges" });
  const path = `/v1/gateways/${gateway.id}/registries`;
  const registry = await kit.make(path, { name: "House model", provider: "demo" });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/detectors/new");

  await page.getByLabel("Kind").selectOption("gateway");
  await page.getByLabel("Name", { exact: true }).fill("Second opinion");
  await page.getByLabel("Registry ID").selectOption({ label: "House model (demo)" });
  await page.getByLabel("Model").fill("demo-chat");
  await page.getByLabel("Instructions").fill("Flag insults.");
  await page.getByRole("button", { name: "Create detector" }).click();
  await page.getByRole("link", { name: "Second opinion" }).waitFor();

  const { items } = (await (await kit.get("/v1/detectors?q=opinion")).json()) as {
    items: { settings: object }[];
  };
  expect(items[0]?.settings).toMatchObject({ registry_id: registry.id, model: "demo-chat" });
});

test("a duplicate name and invalid entries are shown at their fields, counted from 1", async () => {
  const kit = await started();
  await kit.make("/v1/detectors", { name: "Taken", kind: "secrets", settings: {} });
  await using opened = await open(kit);
  const { page, go } = opened;
  await go("/detectors/new");
  const create = page.getByRole("button", { name: "Create detector" });
  const name = page.getByLabel("Name", { exact: true });
  const problemText = () => page.locator(".problem").textContent();

  await page.getByLabel("Kind").selectOption("prompt_moderation");
  await name.fill("Taken");
  await create.click();
  await page.getByRole("alert").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  expect(await problemText()).toBe("this value is already taken.");

  await name.fill("Free");
  await page.getByText("Advanced settings").click();
  await page.getByLabel("Patterns", { exact: true }).fill("fine\n\n(?=x)");
  await create.click();
  await page.getByText("Entry 2:").waitFor();
  expect(await problemText()).toMatch(/^Entry 2: .*look/);
});

test("the arguments of a tool are checked by a schema that was entered in rows, and JSON keeps the rest", async () => {
  const kit = await started();
  const settings = {
    known_tools: [
      {
        name: "lookup",
        parameters: {
          type: "object",
          properties: { id: { $ref: "#/$defs/id" }, at: { type: "string", format: "date" } },
          $defs: { id: { type: "string" } },
        },
      },
    ],
  };
  const { id } = await kit.make("/v1/detectors", {
    name: "Tools",
    kind: "tool_selection",
    settings,
  });
  await using opened = await open(kit, { width: 360 });
  const { page, go } = opened;
  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  await go(`/detectors/${id}`);
  await page.getByText("Accepts id (value with other rules ($ref)) and at (text").waitFor();
  await press("Add known tool");
  const tool = page.getByRole("group", { name: "known tool 2", exact: true });
  await tool.getByLabel("Name", { exact: true }).fill("search");
  const add = async (number: string, name: string, type: string) => {
    const parent = number.includes(".") ? ` to parameter ${number.replace(/\.\d$/, "")}` : "";
    await tool.getByRole("button", { name: `Add parameter${parent}`, exact: true }).click();
    await tool.getByLabel(`Parameter ${number}: name`).fill(name);
    await tool.getByLabel(`Parameter ${number}: type`).selectOption({ label: type });
  };
  const limitsOf = async (number: string) => {
    const row = tool.getByRole("group", { name: `Parameter ${number}`, exact: true });
    await row.getByText("Limits and description").first().click();
    return row;
  };
  await add("1", "limit", "whole number");
  await (await limitsOf("1")).getByLabel("Maximum").fill("10");
  await tool.getByLabel("required").check();
  await add("2", "filter", "object");
  await add("2.1", "unit", "text");
  await (await limitsOf("2.1")).getByLabel("Allowed values").fill("C\nF");
  await add("2.2", "unit", "list");
  await tool.getByLabel("Parameter 2.2: type of the items").selectOption({ label: "number" });
  await tool.getByLabel("No other arguments").check();
  await press("Save");
  await page
    .locator(".problem", { hasText: "must be unique; another one has this name" })
    .waitFor();
  await tool.getByLabel("Parameter 2.2: name").fill("range");
  const sentence =
    "Requires limit (whole number, at most 10). Accepts filter (object with unit (one of C or F, optional) and range (list of number, optional)). Rejects other arguments.";
  expect(await tool.locator(".sentence").textContent()).toBe(sentence);

  const json = tool.getByRole("textbox", { name: "JSON Schema" });
  await tool.getByRole("button", { name: "Show as JSON" }).click();
  await json.fill(
    (await json.inputValue()).replace('"maximum": 10', '"maximum": 5, "multipleOf": 5'),
  );
  await tool.getByRole("button", { name: "Show as fields" }).click();
  expect(await tool.locator(".sentence").textContent()).toContain("multipleOf");
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await press("Save");
  await page.getByText("Saved.", { exact: true }).waitFor();

  const saved = (await (await kit.get(`/v1/detectors/${id}`)).json()) as { settings: object };
  expect(saved.settings).toMatchObject({
    known_tools: [
      settings.known_tools[0],
      {
        name: "search",
        parameters: {
          type: "object",
          properties: {
            limit: { type: "integer", maximum: 5, multipleOf: 5 },
            filter: {
              type: "object",
              properties: {
                unit: { type: "string", enum: ["C", "F"] },
                range: { type: "array", items: { type: "number" } },
              },
            },
          },
          required: ["limit"],
          additionalProperties: false,
        },
      },
    ],
  });
  expect(opened.violations).toEqual([]);
});
