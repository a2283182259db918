/** The two upstreams that every contender forwards to: nginx for plain responses, a mock for the rest. */
import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Tools } from "./install.ts";
import { freePort, startProgram } from "./process.ts";

/** Port by upstream. `plain` responds immediately; `paced` streams, delays, or reads uploads. */
export interface Upstreams {
  plain: number;
  paced: number;
}
export type UpstreamName = keyof Upstreams;
export const UPSTREAM_NAMES: readonly UpstreamName[] = ["plain", "paced"];

export async function startUpstreams(
  stack: AsyncDisposableStack,
  tools: Tools,
  folder: string,
): Promise<Upstreams> {
  const [plain, paced] = [freePort(), freePort()];
  chmodSync(folder, 0o755); // nginx reads the image as another user
  writeFileSync(join(folder, "image.json"), imageReply());
  await startNginx(stack, tools, {
    folder,
    name: "upstream",
    port: plain,
    http: `server {
      listen 127.0.0.1:${plain};
      default_type application/json;
      root ${folder};
      location = /v1/chat/completions { return 200 '${chatReply()}'; }
      location = /v1/images/generations { error_page 404 =200 /image.json; }
    }`,
  });
  await startProgram(stack, [process.execPath, resolve("bench/gateway/mock.ts"), String(paced)], {
    port: paced,
    log: join(folder, "mock.log"),
  });
  return { plain, paced };
}

export interface NginxOptions {
  folder: string;
  name: string;
  port: number;
  /** The content of `http { }`. */
  http: string;
  /** Prefix of the command, for a core of its own. */
  own?: readonly string[];
}

export function startNginx(
  stack: AsyncDisposableStack,
  { nginx }: Tools,
  { folder, name, port, http, own = [] }: NginxOptions,
) {
  const file = join(folder, `${name}.conf`);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, `${name}-${kind}`)};`)
    .join("\n");
  writeFileSync(
    file,
    `worker_processes 1;
    daemon off;
    pid ${file}.pid;
    error_log ${file}.log crit;
    events { worker_connections 15000; }
    http {
      access_log off;
      sendfile on;
      keepalive_requests 1000000000;
      client_max_body_size 0;
      ${temporary}
      ${http}
    }`,
  );
  return startProgram(stack, [...own, nginx, "-p", folder, "-c", file], {
    port,
    log: `${file}.out`,
  });
}

function chatReply(): string {
  const message = { role: "assistant", content: "A reply of an ordinary length. ".repeat(22) };
  return JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 200, completion_tokens: 150, total_tokens: 350 },
  });
}

function imageReply(): string {
  return JSON.stringify({ created: 1, data: [{ b64_json: "A".repeat(4 * 1024 * 1024) }] });
}
