/** The MCP endpoint: what it adds to a tool call, and how long a list over many servers takes. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startProgram } from "../test/kit/program.ts";
import { atMost, type Check } from "./checks.ts";

const UPSTREAMS = 20;
const PRINCIPALS = 500;
const INSTALLS = 10;
const CALLS = 1000;
const MAX_ADDED_MS = 0.7;
const MAX_LIST_MS = 20;

export async function run(): Promise<readonly Check[]> {
  const checks: Check[] = [];
  await using stack = new AsyncDisposableStack();
  const urls = await startServers(stack);
  const program = stack.use(await startProgram());
  const store = await makeStore(program, urls);

  console.log(`MCP: servers, gateway and client in a process each\n`);
  console.log(`| tools/call, ${CALLS} one after the other | p50 ms | p99 ms |\n|---|--:|--:|`);
  for (const pin of ["2025", "2026-07-28"]) {
    const direct = stack.adopt(await connect(urls[0] ?? "", {}, pin), (client) => client.close());
    const through = stack.adopt(await store.client("everything", pin), (client) => client.close());
    const args = { name: "x".repeat(100), most: 5 };
    const [one, other] = await both(
      () => direct.callTool({ name: "tool_1", arguments: args }),
      () => through.callTool({ name: "server_0__tool_1", arguments: args }),
    );
    row(`${pin} client, direct`, one);
    row(`${pin} client, through the gateway`, other);
    const added = at(other, 0.5) - at(one, 0.5);
    console.log(`| added | ${added.toFixed(2)} | |`);
    const what = `Added to an MCP call (median), ${pin} client`;
    checks.push(atMost(what, added, { max: MAX_ADDED_MS, unit: "ms", digits: 2 }));
  }

  console.log(`\n| tools/list, ${UPSTREAMS} servers of 10 tools | ms |\n|---|--:|`);
  await using cold = await startProgram();
  const fresh = await makeStore(cold, urls);
  const client = stack.adopt(await fresh.client("everything", "2025"), (one) => one.close());
  console.log(`| cold: nothing is connected | ${(await timed(() => listed(client))).toFixed(1)} |`);
  const warm = await repeat(100, () => listed(client));
  console.log(`| warm, p50 | ${at(warm, 0.5).toFixed(1)} |`);

  const lists = await everyPrincipal(store);
  console.log(
    `\n| tools/list of ${PRINCIPALS} principals, ${INSTALLS} installs each | ms |\n|---|--:|`,
  );
  console.log(`| p50 | ${at(lists, 0.5).toFixed(1)} |\n| p99 | ${at(lists, 0.99).toFixed(1)} |`);
  const list = { max: MAX_LIST_MS, unit: "ms", digits: 1 };
  return [...checks, atMost("Warm tools/list of a principal (median)", at(lists, 0.5), list)];
}

type Store = Awaited<ReturnType<typeof makeStore>>;

async function startServers(stack: AsyncDisposableStack): Promise<string[]> {
  const file = new URL("./mcp-upstreams.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, file, String(UPSTREAMS)], { stdout: "pipe" });
  stack.defer(async () => {
    child.kill();
    await child.exited;
  });
  for await (const chunk of child.stdout) return JSON.parse(new TextDecoder().decode(chunk));
  throw new Error("The servers did not start.");
}

/** Servers named `Server 0` and on, all installed for the principal `everything`. */
async function makeStore(
  { admin, url }: Pick<Awaited<ReturnType<typeof startProgram>>, "admin" | "url">,
  urls: readonly string[],
) {
  const make = async <T>(path: string, body: unknown): Promise<T> => {
    const reply = await admin("POST", path, body);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  };
  const gateway = await make<{ id: string }>("/v1/gateways", {
    name: "bench",
    store: { default_level: "install" },
  });
  const path = `/v1/gateways/${gateway.id}`;
  const codes: string[] = [];
  for (const [index, at] of urls.entries()) {
    const code = `bench/server-${index}`;
    codes.push(code);
    const entry = { code, name: `Server ${index}`, url: at, allow_private: true };
    await make(`${path}/store/catalog`, entry);
    await make(`${path}/store/principal/installs`, { code, principal_sub: "everything" });
  }
  const token = async (principal_sub: string, groups: string[] = []) => {
    const body = { name: principal_sub, principal_sub, groups };
    return (await make<{ token: string }>(`${path}/store/principal-tokens`, body)).token;
  };
  return {
    codes,
    make,
    path,
    token,
    url: `${url}/me/mcp`,
    async client(principal_sub: string, pin: string) {
      const authorization = `Bearer ${await token(principal_sub)}`;
      return await connect(`${url}/me/mcp`, { authorization }, pin);
    },
  };
}

async function connect(url: string, headers: Record<string, string>, pin: string): Promise<Client> {
  const mode = pin === "2025" ? ("legacy" as const) : { pin };
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return client;
}

/** In turns, so that both meet the same machine. */
async function both(one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  for (let warming = 0; warming < 500; warming += 1) await Promise.all([one(), other()]);
  for (let call = 0; call < CALLS; call += 1) {
    times[0].push(await timed(one));
    times[1].push(await timed(other));
  }
  return times;
}

async function everyPrincipal({ codes, make, path, token, url }: Store): Promise<number[]> {
  const names = Array.from({ length: PRINCIPALS }, (_, index) => `principal-${index}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push(await token(name, ["all"]));
  for (const code of codes.slice(0, INSTALLS)) {
    await make(`${path}/store/bulk-installs`, { code, group: "all" });
  }
  const list = async (secret: string) => {
    const reply = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    const text = await reply.text();
    if (!text.includes("server_9__tool_9"))
      throw new Error(`Not a whole list: ${text.slice(0, 300)}`);
  };
  const times: number[] = [];
  for (const secret of tokens) times.push(await timed(() => list(secret)));
  return times;
}

/** Bypasses the client's cache. */
const listed = (client: Client) => client.listTools(undefined, { cacheMode: "refresh" });

async function repeat(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < count; round += 1) times.push(await timed(work));
  return times;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * share)] ?? 0;
}

const row = (name: string, times: readonly number[]) =>
  console.log(`| ${name} | ${at(times, 0.5).toFixed(2)} | ${at(times, 0.99).toFixed(2)} |`);
