/** The MCP endpoint: what a principal and a consumer see there, in every era of the protocol. */
import { describe, expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { clientKinds, connectClient, post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";

const STORE_TOOLS = ["store_search", "store_install", "store_status", "store_uninstall"];

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database });

  test.each(clientKinds)("a principal lists and calls installed tools: %s client", async (kind) => {
    const kit = await kitOf();
    await using server = startMcpServer({ tools: [{ name: "echo" }, { name: "add" }] });
    const store = await makeMcpStore(kit);
    const { code } = await store.serve("Tickets", server.url);
    await store.install("alice", code);
    await using client = await store.client("alice", kind);

    expect(await client.tools()).toEqual([...STORE_TOOLS, "tickets__echo", "tickets__add"]);
    const answer = await client.call("tickets__add", { a: 1 });

    expect(answer).toMatchObject({ text: '{"tool":"add","args":{"a":1}}', isError: false });
    expect(server.calls).toMatchObject([{ name: "add", args: { a: 1 } }]);
  });
});
