/** Clients as people use them: the SDK's current one in both eras of the protocol, and the older package's. */
import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type RequestOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

export type ClientKind = "2026-07-28" | "2025" | "v1 package";

export const clientKinds: ClientKind[] = ["2026-07-28", "2025", "v1 package"];

export interface ToolResponse {
  text: string;
  isError: boolean;
  structured: Record<string, unknown>;
}

export type CallOptions = Pick<RequestOptions, "onprogress" | "signal">;

export interface TestClient extends AsyncDisposable {
  tools: () => Promise<string[]>;
  listed: () => Promise<{ name: string; description?: string | undefined; inputSchema: object }[]>;
  call: (
    name: string,
    args?: Record<string, unknown>,
    options?: CallOptions,
  ) => Promise<ToolResponse>;
  version: () => string | undefined;
}

export async function connectClient(
  url: string,
  headers: Record<string, string>,
  kind: ClientKind = "2025",
): Promise<TestClient> {
  const about = { name: "test-client", version: "1" };
  if (kind === "v1 package") {
    const client = new OldClient(about);
    // The older package's own types disagree with exactOptionalPropertyTypes.
    const transport = new OldTransport(new URL(url), { requestInit: { headers } });
    await client.connect(transport as never);
    return shaped(client as never, async (params, options) =>
      client.callTool(params, undefined, options as never),
    );
  }
  const mode = kind === "2025" ? ("legacy" as const) : { pin: kind };
  const client = new Client(about, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  return shaped(client, (params, options) => client.callTool(params, options));
}

/** The few calls that both packages have alike. */
function shaped(
  client: Pick<Client, "listTools" | "close" | "getServerVersion">,
  callTool: (params: CallToolRequest["params"], options?: CallOptions) => Promise<unknown>,
): TestClient {
  const listed = async () => (await client.listTools()).tools;
  return {
    listed,
    tools: async () => (await listed()).map(({ name }) => name),
    async call(name, args = {}, options) {
      const result = await callTool({ name, arguments: args }, options);
      const { content, isError, structuredContent } = result as CallToolResult;
      const text = content.map((part) => ("text" in part ? part.text : "")).join("\n");
      const structured = (structuredContent ?? {}) as ToolResponse["structured"];
      return { text, isError: isError === true, structured };
    },
    version: () => client.getServerVersion()?.version,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** A JSON-RPC call without any client. */
export const post = (url: string, headers: Record<string, string>, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" || body instanceof ReadableStream ? body : JSON.stringify(body),
  });
