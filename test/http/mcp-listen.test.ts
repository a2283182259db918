/** Listening clients are notified when their tools may have changed, on any node. */
import { describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Kit, startKit } from "../kit/kit.ts";
import { post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore, STORE_TOOLS } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";

/** Longer than a notification takes. */
const QUIET_MS = 900;

async function listenAt(kit: Kit, token: string) {
  const client = new Client(
    { name: "listener", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${kit.url}/me/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  let heard = Promise.withResolvers<void>();
  let notified = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    notified += 1;
    heard.resolve();
  });
  await client.listen({ toolsListChanged: true });
  return {
    client,
    notified: () => notified,
    /** Expects a notification for `change`, and none for earlier changes. */
    async hears(change: () => Promise<unknown>): Promise<string[]> {
      await Bun.sleep(QUIET_MS);
      heard = Promise.withResolvers<void>();
      await change();
      await heard.promise;
      return (await client.listTools()).tools.map(({ name }) => name).slice(STORE_TOOLS.length);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe.each(databaseKinds)("on %s", (database) => {
  test.concurrent("a client that listens hears of what others change, and of nothing else", async () => {
    await using kit = await startKit({ database });
    // With Postgres the client is at another node than the administrator.
    await using beside =
      database === "postgres"
        ? await startKit({ database_url: kit.database_url, data_dir: kit.data_dir })
        : undefined;
    await using server = startMcpServer();
    const store = await makeMcpStore(kit);
    const tickets = await store.serve("Tickets", server.url);
    const wiki = await store.serve("Wiki", server.url);
    await kit.make(`${store.path}/store/access-rules`, {
      subject_type: "user",
      subject: "alice",
      target_type: "code",
      target: wiki.code,
      level: "request",
    });
    await using listener = await listenAt(beside ?? kit, await store.token("alice"));
    let install = "";

    const installed = await listener.hears(async () => {
      install = await store.install("alice", tickets.code);
    });
    expect(installed).toEqual(["tickets__echo"]);

    const input = { principal_sub: "alice", code: wiki.code, reason: "to read" };
    await kit.make(`${store.path}/store/principal/installs`, input);
    const [request] = (await (await kit.get(`${store.path}/store/requests`)).json()).items;
    const approved = await listener.hears(() =>
      kit.post(`${store.path}/store/requests/${request.id}/approve`, {}),
    );
    expect(approved).toEqual(["tickets__echo", "wiki__echo"]);

    const disabled = await listener.hears(() => kit.put(wiki.path, { enabled: false }));
    expect(disabled).toEqual(["tickets__echo"]);

    const removed = await listener.hears(() =>
      kit.delete(`${store.path}/store/principal/installs/${install}`),
    );
    expect(removed).toEqual([]);

    const before = listener.notified();
    await kit.get(`${store.path}/store/requests`);
    await listener.client.callTool({ name: "store_search", arguments: {} });
    await Bun.sleep(QUIET_MS);
    expect(listener.notified()).toBe(before);
  }, 30_000);
});

test("a stop does not wait for clients that listen", async () => {
  const kit = await startKit({ settings: { SHUTDOWN_TIMEOUT_S: "20" } });
  const store = await makeMcpStore(kit);
  await using _ = await listenAt(kit, await store.token("alice"));

  const began = performance.now();
  await kit[Symbol.asyncDispose]();

  expect(performance.now() - began).toBeLessThan(5000);
}, 30_000);

test("only clients that can listen get the capability", async () => {
  await using kit = await startKit();
  const store = await makeMcpStore(kit);
  const token = await store.token("alice");
  await using listener = await listenAt(kit, token);
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "old", version: "1" },
  };

  const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const old = await post(store.url, { authorization: `Bearer ${token}` }, initialize);

  expect(listener.client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
  expect(await old.text()).toContain('"tools":{"listChanged":false}');
});
