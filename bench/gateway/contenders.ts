/** Everything that is compared: no gateway, two proxies, a bare pass-through, other gateways and Portcullis. */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Cores } from "../cores.ts";
import type { Tools } from "./install.ts";
import { type Skipped, startPeers } from "./peers.ts";
import { startPortcullis } from "./portcullis.ts";
import { freePort, type Program, startProgram } from "./process.ts";
import { startNginx, UPSTREAM_NAMES, type UpstreamName, type Upstreams } from "./upstreams.ts";

/** Address of the contender for an upstream path, and the headers it requires. */
export interface Target {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Selects the upstream for gateways that route by model name. */
  modelPrefix?: string;
}

export interface Contender {
  name: string;
  /** Undefined: there is no gateway. */
  program: Program | undefined;
  target: (upstream: UpstreamName, path: string) => Target;
}

export interface Setting {
  tools: Tools;
  cores: Cores;
  folder: string;
  upstreams: Upstreams;
  /** Stopped at the end of the run. */
  stack: AsyncDisposableStack;
}

export async function startContenders(
  stack: AsyncDisposableStack,
  setting: Setting,
): Promise<{ contenders: Contender[]; skipped: Skipped[] }> {
  const { started, skipped } = await startPeers(stack, setting);
  const contenders = [
    { name: "direct", program: undefined, target: byPort(setting.upstreams) },
    await startNginxProxy(stack, setting),
    await startHaproxy(stack, setting),
    await startPassThrough(stack, setting),
    await startPortcullis(stack, setting),
    ...started,
  ];
  return { contenders, skipped };
}

/** A port for each upstream, the path as it is. */
const byPort =
  (ports: Upstreams): Contender["target"] =>
  (upstream, path) => ({ port: ports[upstream], path, headers: {} });

const ownPorts = (): Upstreams => ({ plain: freePort(), paced: freePort() });

async function startNginxProxy(
  stack: AsyncDisposableStack,
  { cores, tools, folder, upstreams }: Setting,
): Promise<Contender> {
  const ports = ownPorts();
  const servers = UPSTREAM_NAMES.map(
    (name) => `upstream ${name} { server 127.0.0.1:${upstreams[name]}; keepalive 64; }
      server {
        listen 127.0.0.1:${ports[name]};
        location / {
          proxy_pass http://${name};
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_buffering off;
          proxy_request_buffering off;
        }
      }`,
  );
  const http = servers.join("\n");
  const options = { folder, name: "proxy", port: ports.paced, http, own: cores.own };
  const program = await startNginx(stack, tools, options);
  return { name: "nginx", program, target: byPort(ports) };
}

async function startHaproxy(
  stack: AsyncDisposableStack,
  { cores, tools, folder, upstreams }: Setting,
): Promise<Contender> {
  const ports = ownPorts();
  const file = join(folder, "haproxy.cfg");
  const proxies = UPSTREAM_NAMES.map(
    (name) => `listen ${name}
  bind 127.0.0.1:${ports[name]}
  server upstream 127.0.0.1:${upstreams[name]}
`,
  );
  writeFileSync(
    file,
    `global
  nbthread 1
defaults
  mode http
  http-reuse always
  option http-no-delay
  timeout connect 5s
  timeout client 60s
  timeout server 60s
${proxies.join("")}`,
  );
  const command = [...cores.own, tools.haproxy, "-db", "-f", file];
  const log = join(folder, "haproxy.log");
  const program = await startProgram(stack, command, { port: ports.paced, log });
  return { name: "HAProxy", program, target: byPort(ports) };
}

async function startPassThrough(
  stack: AsyncDisposableStack,
  { cores, folder, upstreams }: Setting,
): Promise<Contender> {
  const ports = ownPorts();
  const pairs = UPSTREAM_NAMES.map((name) => `${ports[name]}=${upstreams[name]}`);
  const command = [
    ...cores.own,
    process.execPath,
    resolve("bench/gateway/pass-through.ts"),
    ...pairs,
  ];
  const program = await startProgram(stack, command, {
    port: ports.paced,
    // Left alone, Bun's fetch keeps at most 256 requests in flight.
    env: { BUN_CONFIG_MAX_HTTP_REQUESTS: "65336" },
    log: join(folder, "pass-through.log"),
  });
  return { name: "bare Bun", program, target: byPort(ports) };
}
