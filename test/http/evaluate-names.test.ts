/** Names of persons, places and organizations, through the evaluation endpoint. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();

const NAMES = [{ entity: "person_name" }, { entity: "location" }, { entity: "organization" }];

const makeNameGuard = async (settings: Record<string, unknown> = { predefined_entities: NAMES }) =>
  makeGuardWithRules(await kit(), "data_loss_prevention", { action: "transform", settings });

const TEXT =
  "My name is Priya Raghunathan, I live in Manchester and work for Brightwater Foods Ltd.";
const MASKED =
  "My name is [MASKED_PERSON], I live in [MASKED_LOCATION] and work for [MASKED_ORGANIZATION].";

test.each([
  [TEXT, MASKED],
  ["please call anna kowalska in berlin", "please call [MASKED_PERSON] in [MASKED_LOCATION]"],
  [
    "Ship it to Dr. Karen O'Neill, 742 Maple Street, Boise, ID 83702 by Friday.",
    "Ship it to Dr. [MASKED_PERSON], [MASKED_LOCATION] by Friday.",
  ],
  [
    "Frau Jürgens wohnt in München.\nHerr Kovač auch.",
    "Frau [MASKED_PERSON] wohnt in [MASKED_LOCATION].\nHerr [MASKED_PERSON] auch.",
  ],
])("names are masked: %s", async (text, masked) => {
  const guard = await makeNameGuard();

  const { transformed_payload } = await guard.evaluate({ payload: { input: text } });

  expect(transformed_payload).toEqual({ input: masked });
});

test.each([
  "On Monday we will mark the invoice as paid. May I ask for the PDF?",
  "public class OrderService extends BaseService { private final Logger Log; }",
  "Settings > Privacy > Advanced. Click Save Changes, then Restart.",
])("text without names is allowed: %s", async (text) => {
  const guard = await makeNameGuard();

  expect((await guard.evaluate({ payload: { input: text } })).findings).toEqual([]);
});

test("a finding has the kind and the location of a name, not the name", async () => {
  const guard = await makeNameGuard({ predefined_entities: [{ entity: "person_name" }] });

  const { findings } = await guard.evaluate({ payload: { input: TEXT } });

  expect(findings).toMatchObject([
    {
      signal: { type: "pii" },
      evidence: { places: [{ pointer: "/input", start: 11, end: 28, label: "person_name" }] },
    },
  ]);
  expect(JSON.stringify(findings)).not.toContain("Raghunathan");
});

test.each([
  ["default settings", {}],
  ["apply_all", { apply_all: true }],
])("names are not detected unless they are listed: %s", async (_, settings) => {
  const guard = await makeNameGuard(settings);

  expect((await guard.evaluate({ payload: { input: TEXT } })).findings).toEqual([]);
});

test("apply_all detects the names that are listed, and all other entities", async () => {
  const guard = await makeNameGuard({
    apply_all: true,
    predefined_entities: [{ entity: "person_name" }],
  });

  const { transformed_payload } = await guard.evaluate({
    payload: { input: `${TEXT} Write to priya@example.com.` },
  });

  expect(transformed_payload).toEqual({
    input: `${TEXT.replace("Priya Raghunathan", "[MASKED_PERSON]")} Write to [MASKED_EMAIL].`,
  });
});

test("the name of a member is context for its value", async () => {
  const guard = await makeNameGuard();
  const call = (name: string) => ({
    protocol: "mcp" as const,
    payload: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "crm", arguments: { [name]: "Hope" } },
    },
  });

  expect((await guard.evaluate(call("customer"))).findings).toHaveLength(1);
  expect((await guard.evaluate(call("status"))).findings).toEqual([]);
});

test("min_confidence and allow_list apply to names", async () => {
  const strict = await makeNameGuard({ predefined_entities: NAMES, min_confidence: 1 });
  const allowing = await makeNameGuard({
    predefined_entities: NAMES,
    allow_list: ["priya raghunathan", "manchester", "brightwater foods ltd"],
  });

  expect((await strict.evaluate({ payload: { input: TEXT } })).findings).toEqual([]);
  expect((await allowing.evaluate({ payload: { input: TEXT } })).findings).toEqual([]);
});

test("names in base64 are found", async () => {
  const guard = await makeNameGuard();
  const encoded = Buffer.from(TEXT).toString("base64");

  const { findings } = await guard.evaluate({ payload: { input: `Decode ${encoded}` } });

  expect(findings).not.toEqual([]);
});
