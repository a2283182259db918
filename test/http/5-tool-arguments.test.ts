/** What a tool is called with is more than its texts: names of members and numbers count too. */
import { expect, test } from "bun:test";
import { makeRuled } from "../kit/guard.ts";
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
    "in the JSON of a text",
    mcp({ query: '{"$where": "x.y"}' }),
    { pointer: "/params/arguments/query" },
  ],
  [
    "in the JSON of a text, by what it is asked of",
    mcp({ query: '{"password": {"$ne": 1}}' }),
    { pointer: "/params/arguments/query" },
  ],
])("5 an operator of a database is found %s", async (_, body, place) => {
  const shared = await kit();
  const direction = "direction" in body ? "output" : "input";
  const guard = await makeRuled(shared, "injection_protection", { direction });

  const { findings } = await guard.evaluate(body as Record<string, unknown>);

  expect(findings[0]?.evidence).toMatchObject({
    count: 1,
    labels: { nosql: 1 },
    places: [{ label: "nosql", ...place }],
  });
});

test("5 ordinary names with a dollar, filters of databases and texts that name an operator pass", async () => {
  const guard = await makeRuled(await kit(), "injection_protection");

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
