/** Table of the other gateways, with pinned versions. A peer that cannot be installed or started is skipped. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFromNpm } from "../../test/kit/install-from-npm.ts";
import { installFromPypi } from "../../test/kit/install-from-pypi.ts";
import type { Contender, Setting } from "./contenders.ts";
import { installFromGo } from "./install-from-go.ts";
import { freePort, startProgram } from "./process.ts";
import { UPSTREAM_NAMES } from "./upstreams.ts";
import { CHAT_MODEL, IMAGE_MODEL, SPEECH_MODEL } from "./workloads.ts";

export interface Peer {
  name: string;
  from: "npm" | "PyPI" | "Go";
  package: string;
  version: string;
  /** Its configuration in the benchmark. */
  note: string;
  /** Returns the folder of the installation. */
  install: (peer: Peer) => Promise<string>;
  start: (stack: AsyncDisposableStack, setting: Setting, installed: string) => Promise<Contender>;
}

export const PEERS: readonly Peer[] = [
  {
    name: "Portkey",
    from: "npm",
    package: "@portkey-ai/gateway",
    version: "1.15.2",
    note: "without its log viewer",
    install: ({ package: name, version }) =>
      // With its own version ranges, a new installation of this release returns 500 for streams.
      installFromNpm("portcullis-bench", {
        [name]: version,
        hono: "4.9.7",
        "@hono/node-server": "1.13.5",
        "@hono/node-ws": "1.2.0",
      }),
    start: startPortkey,
  },
  {
    name: "LiteLLM",
    from: "PyPI",
    package: "litellm[proxy]",
    version: "1.106.0",
    note: "one worker, a master key, no database",
    install: ({ package: name, version }) =>
      installFromPypi("portcullis-bench-litellm", `${name}==${version}`),
    start: startLiteLlm,
  },
  {
    name: "Bifrost",
    from: "Go",
    package: "github.com/maximhq/bifrost/transports/bifrost-http",
    version: "v1.3.9",
    note: "configuration file, without its log store",
    install: ({ package: name, version }) =>
      installFromGo("portcullis-bench-bifrost", `${name}@${version}`),
    start: startBifrost,
  },
];

export interface Skipped {
  name: string;
  reason: string;
}

/** Starts every peer that works here, one after the other. */
export async function startPeers(
  stack: AsyncDisposableStack,
  setting: Setting,
): Promise<{ started: Contender[]; skipped: Skipped[] }> {
  const started: Contender[] = [];
  const skipped: Skipped[] = [];
  for (const peer of PEERS) {
    try {
      const contender = await peer.start(stack, setting, await peer.install(peer));
      await checkResponse(contender);
      started.push(contender);
    } catch (thrown) {
      const [reason = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
      skipped.push({ name: peer.name, reason });
    }
  }
  return { started, skipped };
}

/** A peer that rejects the requests of the benchmark would look fast. */
async function checkResponse({ target }: Contender): Promise<void> {
  const { port, path, headers, modelPrefix = "" } = target("plain", "/v1/chat/completions");
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({
      model: `${modelPrefix}${CHAT_MODEL}`,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
  const text = await reply.text();
  if (!reply.ok || !text.includes("chat.completion")) {
    throw new Error(`its first response had the status ${reply.status}`);
  }
}

async function startPortkey(
  stack: AsyncDisposableStack,
  { cores, tools, folder, upstreams }: Setting,
  installed: string,
): Promise<Contender> {
  const port = freePort();
  const script = join(installed, "node_modules/@portkey-ai/gateway/build/start-server.js");
  const program = await startProgram(
    stack,
    [...cores.own, tools.node, script, `--port=${port}`, "--headless"],
    { port, env: { NODE_ENV: "production" }, log: join(folder, "portkey.log") },
  );
  const target: Contender["target"] = (upstream, path) => ({
    port,
    path,
    headers: {
      authorization: "Bearer sk-upstream",
      "x-portkey-provider": "openai",
      "x-portkey-custom-host": `http://127.0.0.1:${upstreams[upstream]}/v1`,
    },
  });
  return { name: "Portkey", program, target };
}

async function startLiteLlm(
  stack: AsyncDisposableStack,
  { cores, folder, upstreams }: Setting,
  installed: string,
): Promise<Contender> {
  const port = freePort();
  const master_key = "sk-benchmark";
  const model_list = UPSTREAM_NAMES.flatMap((name) =>
    [CHAT_MODEL, IMAGE_MODEL, SPEECH_MODEL].map((model) => ({
      model_name: `${name}/${model}`,
      litellm_params: {
        model: `openai/${model}`,
        api_base: `http://127.0.0.1:${upstreams[name]}/v1`,
        api_key: "sk-upstream",
      },
    })),
  );
  const file = join(folder, "litellm.json"); // YAML includes JSON
  writeFileSync(
    file,
    JSON.stringify({
      model_list,
      general_settings: { master_key },
      litellm_settings: { telemetry: false },
    }),
  );
  const words = ["--config", file, "--host", "127.0.0.1", "--port", String(port)];
  const program = await startProgram(
    stack,
    [...cores.own, join(installed, "bin/litellm"), ...words],
    {
      port,
      // Its list of prices is otherwise downloaded.
      env: { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_LOG: "ERROR", HOME: folder },
      log: join(folder, "litellm.log"),
    },
  );
  const headers = { authorization: `Bearer ${master_key}` };
  return {
    name: "LiteLLM",
    program,
    target: (upstream, path) => ({ port, path, headers, modelPrefix: `${upstream}/` }),
  };
}

async function startBifrost(
  stack: AsyncDisposableStack,
  { cores, folder, upstreams }: Setting,
  installed: string,
): Promise<Contender> {
  const port = freePort();
  const data = join(folder, "bifrost");
  mkdirSync(data);
  const providers = UPSTREAM_NAMES.map((name) => [
    name,
    {
      keys: [{ name, value: "sk-upstream", models: ["*"], weight: 1 }],
      network_config: { base_url: `http://127.0.0.1:${upstreams[name]}` },
      custom_provider_config: { base_provider_type: "openai" },
    },
  ]);
  writeFileSync(
    join(data, "config.json"),
    JSON.stringify({
      client: { drop_excess_requests: false, enable_logging: false },
      providers: Object.fromEntries(providers),
      config_store: { enabled: false },
      logs_store: { enabled: false },
    }),
  );
  const words = ["-host", "127.0.0.1", "-port", String(port), "-app-dir", data];
  const program = await startProgram(
    stack,
    [...cores.own, join(installed, "bifrost-http"), ...words],
    { port, env: { HOME: folder }, log: join(folder, "bifrost.log") },
  );
  return {
    name: "Bifrost",
    program,
    target: (upstream, path) => ({ port, path, headers: {}, modelPrefix: `${upstream}/` }),
  };
}
