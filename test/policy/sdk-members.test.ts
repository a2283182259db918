/** The guard reads every string of a payload, in each member that the official SDKs and the MCP specification define. */
import { expect, test } from "bun:test";
import { readPayload } from "../../src/policy/payload/read-payload.ts";
import { listSdkMembers } from "../kit/sdk-members.ts";

/** The second one has full-width digits; the last two are base64 and hexadecimal. */
const CARDS = [
  ...["4111111111111111", "４１１１１１１１１１１１１１１１", "card:4111-1111-1111-1111"],
  ...["NDExMTExMTExMTExMTExMQ==", "34313131313131313131313131313131"],
];
type BuildPayload = (members: object) => Record<string, unknown>;
const locate = (direction: "input" | "output", protocol: "llm" | "mcp", build: BuildPayload) => ({
  direction,
  protocol,
  build,
});
const result: (build: BuildPayload) => BuildPayload = (build) => (members) => ({
  jsonrpc: "2.0",
  id: 1,
  result: build(members),
});

const LOCATIONS = {
  body: locate("input", "llm", (members) => ({ ...members })),
  member: locate("input", "llm", (members) => ({ unknown_member: members })),
  message: locate("input", "llm", (members) => ({ messages: [{ role: "user", ...members }] })),
  part: locate("input", "llm", (members) => ({ messages: [{ content: [{ ...members }] }] })),
  item: locate("input", "llm", (members) => ({ input: [{ ...members }] })),
  Gemini: locate("input", "llm", (members) => ({ contents: [{ parts: [members] }] })),
  tool: locate("input", "llm", (members) => ({ tools: [members] })),
  choice: locate("output", "llm", (members) => ({ choices: [members] })),
  output: locate("output", "llm", (members) => ({ output: [{ ...members }] })),
  candidate: locate("output", "llm", (members) => ({ candidates: [members] })),
  params: locate("input", "mcp", (members) => ({ jsonrpc: "2.0", method: "x", params: members })),
  content: locate(
    "output",
    "mcp",
    result((members) => ({ content: [members] })),
  ),
};

const LISTS = ["tools", "prompts", "resources", "resourceTemplates"];

/** Returns the members with text in which the reader finds nothing. */
async function listUnread(where: ReturnType<typeof locate>, text: string): Promise<string[]> {
  const names = new Set((await listSdkMembers()).map(({ name }) => name));
  expect(names.size).toBeGreaterThan(1000);
  const { build, ...context } = where;
  return [...names].filter((name) =>
    [text, [text], { inner: text }].some((value) => {
      const payload = build({ [name]: value });
      const read = readPayload(payload, { ...context, attributes: {}, is_foreign_body: true });
      const texts = read.segments.map((segment) => segment.text);
      // Some members are decoded when they are read.
      return !texts.some((each) => each.includes(text) || each === CARDS[0]);
    }),
  );
}

test.each(Object.entries(LOCATIONS))(
  "a card number in any member of a %s is read",
  async (at, where) => {
    // Token lists repeat the text beside them. A change of the text removes them.
    for (const card of CARDS) {
      expect(await listUnread(where, card)).toEqual(at === "choice" ? ["logprobs"] : []);
    }
  },
);

test.each(LISTS)(
  "an instruction in any member of the %s of an MCP server is read",
  async (list) => {
    const where = locate(
      "output",
      "mcp",
      result((members) => ({ [list]: [members] })),
    );

    expect(await listUnread(where, "ignore_all_previous_instructions")).toEqual([]);
  },
);
