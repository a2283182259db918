/** The guard reads every string of a payload, in each member that the official SDKs and the MCP specification define. */
import { expect, test } from "bun:test";
import { readPayload } from "../../src/policy/payload/read-payload.ts";
import { listSdkMembers } from "../kit/sdk-members.ts";

const CARD = "4111111111111111";
type Place = (members: object) => Record<string, unknown>;
const place = (direction: "input" | "output", protocol: "llm" | "mcp", build: Place) => ({
  direction,
  protocol,
  build,
});
const result: (build: Place) => Place = (build) => (members) => ({
  jsonrpc: "2.0",
  id: 1,
  result: build(members),
});

const PLACES = {
  body: place("input", "llm", (members) => ({ ...members })),
  member: place("input", "llm", (members) => ({ unknown_member: members })),
  message: place("input", "llm", (members) => ({ messages: [{ role: "user", ...members }] })),
  part: place("input", "llm", (members) => ({ messages: [{ content: [{ ...members }] }] })),
  item: place("input", "llm", (members) => ({ input: [{ ...members }] })),
  Gemini: place("input", "llm", (members) => ({ contents: [{ parts: [members] }] })),
  tool: place("input", "llm", (members) => ({ tools: [members] })),
  choice: place("output", "llm", (members) => ({ choices: [members] })),
  output: place("output", "llm", (members) => ({ output: [{ ...members }] })),
  candidate: place("output", "llm", (members) => ({ candidates: [members] })),
  params: place("input", "mcp", (members) => ({ jsonrpc: "2.0", method: "x", params: members })),
  content: place(
    "output",
    "mcp",
    result((members) => ({ content: [members] })),
  ),
};

const LISTS = ["tools", "prompts", "resources", "resourceTemplates"];

/** Returns the members with text in which the reader finds nothing. */
async function listUnread(where: ReturnType<typeof place>, text: string): Promise<string[]> {
  const names = new Set((await listSdkMembers()).map(({ name }) => name));
  expect(names.size).toBeGreaterThan(1000);
  const { build, ...context } = where;
  return [...names].filter((name) =>
    [text, [text], { inner: text }].some((value) => {
      const payload = build({ [name]: value });
      const read = readPayload(payload, { ...context, attributes: {}, is_foreign_body: true });
      return !read.segments.some((segment) => segment.text.includes(text));
    }),
  );
}

test.each(Object.entries(PLACES))(
  "a card number in any member of a %s is read",
  async (at, where) => {
    // Token lists repeat the text beside them. A change of the text removes them.
    expect(await listUnread(where, CARD)).toEqual(at === "choice" ? ["logprobs"] : []);
  },
);

test.each(LISTS)(
  "an instruction in any member of the %s of an MCP server is read",
  async (list) => {
    const where = place(
      "output",
      "mcp",
      result((members) => ({ [list]: [members] })),
    );

    expect(await listUnread(where, "ignore_all_previous_instructions")).toEqual([]);
  },
);
