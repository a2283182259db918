/** The MCP Inspector reaches the endpoint as a person would try it first: with a URL and a header. */
import { beforeAll, describe, expect, test } from "bun:test";
import { inspect, installInspector } from "../kit/inspector.ts";
import { sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore, STORE_TOOLS } from "../kit/mcp-store.ts";

const kitOf = sharedKit();

// The first time npm takes half a minute, mostly waiting: the other half of the tests goes on meanwhile.
beforeAll(async () => void (await installInspector()), 120_000);

/** Alice has a server installed, and an agent has it attached. */
async function reachable(server: { url: string }) {
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const tickets = await store.serve("Tickets", server.url);
  await store.install("alice", tickets.code);
  const { url, key } = await store.consumer([tickets]);
  return {
    principal: { url: store.url, header: `Authorization: Bearer ${await store.token("alice")}` },
    consumer: { url, header: `X-AG-API-Key: ${key}` },
  };
}

describe.each(["legacy", "modern"])("the Inspector in the %s era", (era) => {
  test.each([
    ["principal", [...STORE_TOOLS, "tickets__echo"]],
    ["consumer", ["tickets__echo"]],
  ] as const)("a %s lists and calls tools", async (who, tools) => {
    await using server = startMcpServer();
    const { url, header } = (await reachable(server))[who];
    const ask = (...args: string[]) =>
      inspect(url, "--protocol-era", era, "--header", header, "--method", ...args);

    const listed = await ask("tools/list");
    const called = await ask("tools/call", "--tool-name", "tickets__echo", "--tool-arg", "a=1");

    expect([listed.code, called.code]).toEqual([0, 0]);
    expect(listed.result?.tools?.map(({ name }) => name)).toEqual([...tools]);
    expect(called.result?.content).toEqual([
      { type: "text", text: '{"tool":"echo","args":{"a":1}}' },
    ]);
    expect(server.calls).toMatchObject([{ name: "echo", args: { a: 1 } }]);
  });
});

test.each([
  ["principal", "Send a personal token"],
  ["consumer", "Send a consumer key"],
] as const)(
  "without its secret a %s gets an error with the required header",
  async (who, message) => {
    await using server = startMcpServer();
    const { url } = (await reachable(server))[who];

    // As it is without a terminal: it would open a browser to log in.
    const refused = await inspect(url, "--stored-auth-only", "--method", "tools/list");

    expect(refused).toMatchObject({ code: 3, error: { code: "auth_required" } });
    expect(refused.error?.message).toContain(message);
    expect(server.hits).toHaveLength(0);
  },
);
