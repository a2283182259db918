/** The reference server of the MCP project, over HTTP, in a process of its own. */
import { resolve } from "node:path";
import { until } from "./until.ts";

const PROGRAM = resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

export async function startEverythingServer() {
  const port = freePort();
  const child = Bun.spawn([process.execPath, PROGRAM, "streamableHttp"], {
    env: { PATH: process.env.PATH ?? "", PORT: `${port}` },
    stdout: "ignore",
    stderr: "pipe",
  });
  let printed = "";
  void (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) printed += text;
  })();
  await until(() => printed.includes("listening"));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** It cannot say which port it was given. */
function freePort(): number {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = held;
  held.stop(true);
  return port;
}
