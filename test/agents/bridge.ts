/** Serves an MCP server that speaks over standard input and output at an HTTP address, as one session. */
import { delimiter } from "node:path";
import {
  installMcpServer,
  MCP_SERVERS,
  type McpServer,
  type McpServerName,
} from "./mcp-servers.ts";

interface Message {
  id?: number | string;
  method?: string;
}

/** Clients share the session: ids are replaced on the way to the server. */
export async function startBridge(name: McpServerName, folder: string) {
  const programs = await installMcpServer(name);
  const { program, args, env }: McpServer = MCP_SERVERS[name];
  const child = Bun.spawn([program, ...(args?.(folder) ?? [])], {
    env: { PATH: [programs, process.env.PATH].join(delimiter), HOME: folder, ...env },
    cwd: folder,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const waiting = new Map<number, (message: Message) => void>();
  let sent = 0;
  const write = (message: Message) => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
    child.stdin.flush();
  };
  void (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines.filter((each) => each.startsWith("{"))) {
        const message: Message = JSON.parse(line);
        if (message.method === undefined) waiting.get(Number(message.id))?.(message);
      }
    }
  })();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message: Message = await request.json();
      if (message.id === undefined) {
        write(message);
        return new Response(null, { status: 202 });
      }
      sent += 1;
      const { promise, resolve } = Promise.withResolvers<Message>();
      waiting.set(sent, resolve);
      write({ ...message, id: sent });
      return Response.json({ ...(await promise), id: message.id });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await server.stop(true);
    },
  };
}
