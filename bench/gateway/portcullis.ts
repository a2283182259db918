/** Portcullis as a user starts it, with everything on, configured through the admin API. */
import { mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Contender, Setting, Target } from "./contenders.ts";
import { freePort, type Program, startProgram } from "./process.ts";
import type { UpstreamName } from "./upstreams.ts";

export const BENCHMARK_TOKEN = "pa_owner-token-of-the-benchmark-run-0123456789";

export interface Portcullis extends Contender {
  program: Program;
  data_folder: string;
  /** Creates a consumer of an upstream, and returns its targets by path. */
  attach: (provider: string, base_url: string) => Promise<(path: string) => Target>;
}

export async function startPortcullis(
  stack: AsyncDisposableStack,
  { cores, folder, upstreams }: Pick<Setting, "cores" | "folder" | "upstreams">,
  settings: Record<string, string> = {},
): Promise<Portcullis> {
  const port = freePort();
  const data_folder = mkdtempSync(join(folder, "portcullis-"));
  const program = await startProgram(stack, [...cores.own, resolve("bin/portcullis"), "start"], {
    port,
    env: {
      PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
      PORTCULLIS_DATA_DIR: data_folder,
      PORTCULLIS_ADMIN_TOKEN: BENCHMARK_TOKEN,
      PORTCULLIS_DEMO: "false",
      // The uploads of this benchmark are larger than the caps that are there by default.
      FILES_BODY_MIB: "2048",
      MEDIA_BODY_MIB: "512",
      ...settings,
    },
    log: `${data_folder}.log`,
  });
  const admin = adminOf(`http://127.0.0.1:${port}`);
  const gateway = await admin<{ id: string }>("POST", "/v1/gateways", { name: "Benchmark" });
  await limitRequests(admin, gateway.id);
  const attach = async (provider: string, base_url: string) => {
    const { slug, key } = await addConsumer(admin, gateway.id, { provider, base_url });
    return (path: string) => ({ port, path: `/${slug}${path}`, headers: { "x-ag-api-key": key } });
  };
  const targets = {
    plain: await attach("openai", `http://127.0.0.1:${upstreams.plain}/v1`),
    paced: await attach("openai", `http://127.0.0.1:${upstreams.paced}/v1`),
  };
  const target = (upstream: UpstreamName, path: string) => targets[upstream](path);
  await checkLimits(target("plain", "/v1/models"));
  return { name: "Portcullis", program, target, data_folder, attach };
}

export type Admin = <T>(method: string, path: string, body?: object) => Promise<T>;

export function adminOf(url: string): Admin {
  return async <T>(method: string, path: string, body?: object) => {
    const reply = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${BENCHMARK_TOKEN}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T; // the admin API's own shapes, which its tests hold
  };
}

/** All four types, none of them ever reached. */
async function limitRequests(admin: Admin, gatewayId: string): Promise<void> {
  const types = ["global", "per_ip", "per_user", "per_fingerprint"];
  const limits = Object.fromEntries(types.map((type) => [type, { limit: 1e9, window: "1h" }]));
  const settings = { limits, actions: { type: "reject", retry_after: "1" } };
  const entry = {
    name: "rate_limiter",
    enabled: true,
    stage: "pre_request",
    priority: 1,
    settings,
  };
  await admin("POST", `/api/v1/gateways/${gatewayId}`, { required_plugins: [entry] });
}

/** A limiter that was configured but does not count would flatter the figures. */
async function checkLimits({ port, path, headers }: Target): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  if (!reply.headers.has("x-ratelimit-per_fingerprint-limit")) {
    throw new Error("The rate limiter is configured, but responses have no rate-limit headers.");
  }
}

async function addConsumer(
  admin: Admin,
  gatewayId: string,
  { provider, base_url }: { provider: string; base_url: string },
) {
  const base = `/v1/gateways/${gatewayId}`;
  const name = `${provider} ${crypto.randomUUID()}`;
  const registry = await admin<{ id: string }>("POST", `${base}/registries`, {
    name,
    provider,
    provider_options: { base_url },
    auth: { type: "api_key", api_key: "sk-upstream" },
    allow_private: true,
  });
  const consumer = await admin<{ id: string; slug: string }>("POST", `${base}/consumers`, {
    name,
    registries: [{ id: registry.id }],
  });
  const keys = `${base}/consumers/${consumer.id}/keys`;
  const { key } = await admin<{ key: string }>("POST", keys, { name: "benchmark" });
  return { slug: consumer.slug, key };
}
