/** Member names and numbers of tool arguments are inspected as well as texts. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();

const mcp = (args: object) => ({
  payload: {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "find", arguments: args },
  },
});
const chat = (args: string) => ({
  direction: "output",
  payload: {
    choices: [{ message: { tool_calls: [{ function: { name: "find", arguments: args } }] } }],
  },
});
const CHAT_ARGUMENTS = "/choices/0/message/tool_calls/0/function/arguments";

test.each<[string, object, object]>([
  [
    "in an object",
    mcp({ user: "ana", password: { $ne: null } }),
    { pointer: "/params/arguments/password/$ne" },
  ],
  [
    "in the JSON of a string",
    chat('{"filter":{"$where":"x.y"}}'),
    { pointer: CHAT_ARGUMENTS, inner_pointer: "/filter/$where" },
  ],
  [
    "in JSON inside text",
    mcp({ query: '{"$where": "x.y"}' }),
    { pointer: "/params/arguments/query" },
  ],
  [
    "in JSON inside a string, by its comparison operator",
    mcp({ query: '{"password": {"$ne": 1}}' }),
    { pointer: "/params/arguments/query" },
  ],
])("a database operator is found %s", async (_, body, place) => {
  const shared = await kit();
  const direction = "direction" in body ? "output" : "input";
  const guard = await makeGuardWithRules(shared, "injection_protection", { direction });

  const { findings } = await guard.evaluate(body as Record<string, unknown>);

  expect(findings[0]?.evidence).toMatchObject({
    count: 1,
    labels: { nosql: 1 },
    places: [{ label: "nosql", ...place }],
  });
});

const calling = (call: object) => ({ messages: [{ role: "assistant", tool_calls: [call] }] });
const FEW = { amount: 1 };
const MANY = { amount: 1000 };
const using = (part: object) => ({ messages: [{ role: "assistant", content: [part] }] });

test.each<[string, Record<string, unknown>]>([
  ["Cohere's parameters", calling({ name: "pay", parameters: { user_id: "falcon" } })],
  ["input beside arguments", using({ type: "tool_use", arguments: {}, input: { id: "falcon" } })],
  ["args beside arguments", using({ functionCall: { arguments: "{}", args: { id: "falcon" } } })],
])("an id in the arguments of a call is content: %s", async (_, payload) => {
  const settings = { keywords: ["falcon"] };
  const guard = await makeGuardWithRules(await kit(), "prompt_moderation", { settings });

  expect(await guard.evaluate({ payload })).toMatchObject({ status: "block" });
});

test("an injection in a tool result is found in both directions", async () => {
  const payload = {
    jsonrpc: "2.0",
    id: 1,
    result: { content: [{ type: "text", text: "' UNION SELECT password FROM users--" }] },
  };
  for (const direction of ["input", "output"] as const) {
    const guard = await makeGuardWithRules(await kit(), "injection_protection", { direction });
    expect(await guard.evaluate({ payload, direction })).toMatchObject({ status: "block" });
  }
});

test("ordinary names with a dollar sign, database filters and texts that mention an operator are allowed", async () => {
  const guard = await makeGuardWithRules(await kit(), "injection_protection");

  const verdict = await guard.evaluate(
    mcp({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { a: { $ref: "#/$defs/b", $id: null } },
      $price: "",
      filter: { age: { $gt: 18 }, status: { $in: ["new", "open"] } },
      operator: "$ne",
      passwords: { $ne: 1 },
    }),
  );

  expect(verdict.status).toBe("allow");
});

const TOKEN = "ghp_1B4a2e77838347a7E420ce178F2E7c6912E1";

test.each<[string, string, Record<string, unknown>]>([
  ["a card", "data_loss_prevention", mcp({ "4111-1111-1111-1111": true })],
  ["a nested card", "data_loss_prevention", mcp({ cards: [{ "4111111111111111": {} }] })],
  [
    "a card in an unknown body",
    "data_loss_prevention",
    { payload: { a: { "4111111111111111": 1 } } },
  ],
  ["a token", "secrets", mcp({ [TOKEN]: 1 })],
  ["a token in the JSON of a string", "secrets", chat(JSON.stringify({ [TOKEN]: 1 }))],
])("%s as a member name is found", async (_, kind, body) => {
  const direction = "direction" in body ? "output" : "input";
  const guard = await makeGuardWithRules(await kit(), kind, { direction });

  expect((await guard.evaluate(body)).status).toBe("block");
});

const CARDS =
  '{"card":4111111111111111,"big":12345678901234567890,"n":1.50,"exp":1e3,"union":6212341111111111116}';
const MASKED =
  '{"card":"[MASKED_CC]","big":12345678901234567890,"n":1.50,"exp":1e3,"union":"[MASKED_CC]"}';

test.each<[string, (args: string) => string]>([
  [
    "arguments",
    (args) =>
      `{"jsonrpc":"2.0","id":4111111111111111,"method":"tools/call","params":{"name":"pay","arguments":${args}}}`,
  ],
  [
    "arguments in a string",
    (args) =>
      `{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"pay","arguments":${JSON.stringify(args)}}}]}],"seed":4111111111111111}`,
  ],
  [
    "a result",
    (args) =>
      `{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"json":${args}}]}]}]}`,
  ],
])("a card number in %s is masked, and every other number is unchanged", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });

  const text = await (await guard.send(`{"payload":${payload(CARDS)}}`)).text();

  expect(text).toContain(`"transformed_payload":${payload(MASKED)}`);
  expect(text).toContain('"labels":{"credit_card":2}');
});

test("a result with a hundred thousand numbers is evaluated, and none of them is stored", async () => {
  const shared = await kit();
  const guard = await makeGuardWithRules(shared, "data_loss_prevention", { direction: "output" });
  const times = Array.from({ length: 100_000 }, (_, index) => 1_700_000_000 + index);
  const result = { structuredContent: { times }, content: [{ type: "text", text: "done" }] };

  const verdict = await guard.evaluate({
    direction: "output",
    protocol: "mcp",
    payload: { jsonrpc: "2.0", id: 1, result },
  });

  expect(verdict.status).toBe("allow");
  const event = await (await shared.get(`/v1/activity/${verdict.request_id}`)).json();
  expect(event.content.map(({ text }: { text: string }) => text)).toEqual(["done"]);
});

test.each<[string, Record<string, unknown>]>([
  ["input", using({ type: "tool_use", name: "pay", arguments: {}, input: { amount: 1000 } })],
  ["input of two", using({ type: "tool_use", name: "pay", arguments: "{}", input: MANY })],
  ["args", using({ functionCall: { name: "pay", args: { amount: 1000 }, arguments: FEW } })],
  ["arguments", calling({ function: { name: "pay", arguments: MANY, input: FEW } })],
  ["parameters", calling({ name: "pay", parameters: { amount: 1000 }, arguments: FEW })],
])("the %s of a call with several arguments are checked against its schema", async (_, payload) => {
  const parameters = { type: "object", properties: { amount: { type: "integer", maximum: 10 } } };
  const settings = { known_tools: [{ name: "pay", parameters }] };
  const direction = "output";
  const guard = await makeGuardWithRules(await kit(), "tool_selection", { settings, direction });

  expect(await guard.evaluate({ payload, direction })).toMatchObject({ status: "block" });
});

test("an empty list of arguments beside the arguments of a call is not a call", async () => {
  const settings = { known_tools: [{ name: "pay", parameters: { required: ["amount"] } }] };
  const direction = "output";
  const guard = await makeGuardWithRules(await kit(), "tool_selection", { settings, direction });
  const payload = using({ type: "tool_use", name: "pay", arguments: "", args: {}, input: MANY });

  expect(await guard.evaluate({ payload, direction })).toMatchObject({ status: "allow" });
});
