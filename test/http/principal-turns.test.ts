/** Pages and batches of one principal do not block other requests. */
import { expect, test } from "bun:test";
import { type Kit, startKit } from "../kit/kit.ts";
import { post } from "../kit/mcp-client.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { minOfRuns } from "../kit/until.ts";

/** A Store with many servers. */
async function makeLargeStore(kit: Kit) {
  const store = await makeMcpStore(kit);
  const servers = Array.from({ length: 300 }, (_, index) => ({
    name: `io.test/s${index}`,
    description: "A server",
    version: "1.0.0",
    remotes: [{ type: "streamable-http", url: `https://s${index}.example.com/mcp` }],
  }));
  await kit.call("POST", `${store.path}/store/catalog/import`, { servers });
  return { ...store, token: await store.token("alice") };
}

/** Returns the share of the longest turn of the event loop in the work. */
async function measureMaxTurn(work: () => Promise<void>): Promise<number> {
  const [longest, , all] = await measureLongestTurn(work);
  return longest / all;
}

test("the messages of an MCP batch take turns of the event loop", async () => {
  await using kit = await startKit();
  const { url, token } = await makeLargeStore(kit);
  const params = { name: "store_search", arguments: {} };
  const batch = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params,
  }));
  const send = async () => {
    const reply = await post(url, { authorization: `Bearer ${token}` }, batch);
    expect((await reply.text()).split('"jsonrpc"')).toHaveLength(101);
  };
  await send();

  const share = await minOfRuns(() => measureMaxTurn(send), 0.5);

  expect(share).toBeLessThan(0.5);
}, 60_000);

test("pages of one principal that are requested at once take turns of the event loop", async () => {
  await using kit = await startKit();
  const { token } = await makeLargeStore(kit);
  const signedIn = await fetch(`${kit.url}/me`, {
    method: "POST",
    headers: { origin: kit.url },
    body: new URLSearchParams({ token }),
    redirect: "manual",
  });
  const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";");
  const openPage = async () => {
    const reply = await fetch(`${kit.url}/me`, { headers: { cookie } });
    expect(await reply.text()).toContain("alice");
  };
  const openMany = async () => {
    await Promise.all(Array.from({ length: 60 }, openPage));
  };
  await openMany();

  const share = await minOfRuns(() => measureMaxTurn(openMany), 0.35);

  expect(share).toBeLessThan(0.35);
}, 60_000);
