/** A real MCP server on loopback, made with the SDK: its tools can be changed, slowed and broken while it runs. */
import {
  createMcpHandler,
  type EventStore,
  type JSONRPCMessage,
  type Progress,
  Server,
  type Tool,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

export interface ServedTool extends Partial<Tool> {
  name: string;
  /** Default: returns its arguments. */
  call?: (
    args: Record<string, unknown>,
    /** Sends progress to a caller that requested it. */
    sendProgress: (progress: Progress) => Promise<void>,
    /** Sends list_changed before the result. */
    changed: () => Promise<void>,
    /** Closes the stream before the result; the client must resume it. Only with `resumable`. */
    close: () => void,
  ) => unknown;
}

export interface McpServerOptions {
  tools?: ServedTool[];
  /** Returns a response to reject a request. */
  gate?: ((request: Request) => Response | undefined | Promise<Response | undefined>) | undefined;
  /** Delay of every response in milliseconds. */
  delay_ms?: number;
  /** Every page of tools takes so many milliseconds, and names another one. */
  page_ms?: number;
  /** Speaks the 2025 era only, with sessions that it remembers. */
  sessions?: boolean;
  /** With `sessions`: streams begin with an event that has an id and no data, and can be resumed. */
  resumable?: boolean;
}

export function startMcpServer(options: McpServerOptions = {}) {
  const state = { delay_ms: 0, tools: [{ name: "echo" }] as ServedTool[], ...options };
  const calls: { name: string; args: Record<string, unknown>; headers: Headers }[] = [];
  let lists = 0;
  let cancelled = 0;
  const newServer = ({ requestInfo }: { requestInfo?: Request | undefined }) => {
    const server = new Server(
      { name: "test", version: "1" },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler("tools/list", async () => {
      lists += 1;
      if (state.page_ms !== undefined) await Bun.sleep(state.page_ms);
      return {
        ...(state.page_ms === undefined ? {} : { nextCursor: `${lists}` }),
        tools: state.tools.map(({ call: _, ...tool }) => ({
          description: `Does ${tool.name}`,
          inputSchema: { type: "object" as const },
          ...tool,
        })),
      };
    });
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq, http }) => {
      mcpReq.signal.addEventListener("abort", () => {
        cancelled += 1;
      });
      const sendProgress = async (progress: Progress) => {
        const progressToken = mcpReq._meta?.progressToken;
        if (progressToken === undefined) return;
        await mcpReq.notify({
          method: "notifications/progress",
          params: { ...progress, progressToken },
        });
      };
      const changed = () => mcpReq.notify({ method: "notifications/tools/list_changed" });
      const args = params.arguments ?? {};
      calls.push({ name: params.name, args, headers: new Headers(requestInfo?.headers) });
      const tool = state.tools.find(({ name }) => name === params.name);
      const result = tool?.call
        ? await tool.call(args, sendProgress, changed, () => http?.closeSSE?.())
        : { tool: params.name, args };
      if (typeof result === "object" && result !== null && "content" in result)
        return result as never;
      return { content: [{ type: "text", text: JSON.stringify(result) }] };
    });
    return server;
  };
  const endpoint = createMcpHandler(newServer);
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  async function inSession(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known) return await known.handleRequest(request);
    if (id !== null) return new Response("no such session", { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      ...(state.resumable ? { eventStore: createEventStore(), retryInterval: 100 } : {}),
      onsessioninitialized: (made) => void sessions.set(made, transport),
    });
    await newServer({ requestInfo: request }).connect(transport);
    return await transport.handleRequest(request);
  }
  const hits: Request[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      hits.push(request.clone());
      const refusal = await state.gate?.(request);
      if (refusal) return refusal;
      await Bun.sleep(state.delay_ms);
      return state.sessions ? await inSession(request) : await endpoint.fetch(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    origin: `http://127.0.0.1:${server.port}`,
    /** Replaces the tools. */
    state,
    calls,
    hits,
    sessions,
    lists: () => lists,
    /** Returns the number of canceled calls. */
    cancelled: () => cancelled,
    async [Symbol.asyncDispose]() {
      await endpoint.close();
      await server.stop(true);
    },
  };
}

function createEventStore(): EventStore {
  const events: { streamId: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return `${events.length}`;
    },
    async replayEventsAfter(last, { send }) {
      const from = Number(last);
      const { streamId = "" } = events[from - 1] ?? {};
      for (const [at, event] of events.entries()) {
        if (at >= from && event.streamId === streamId) await send(`${at + 1}`, event.message);
      }
      return streamId;
    },
  };
}
