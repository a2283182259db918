/** A fresh server with an upstream, and the callers of one scenario: each collector or consumer has its own key. */
import { request } from "node:http";
import type { Direction } from "../../src/contract/guard/evaluate.ts";
import { type Admin, adminOf, BENCHMARK_TOKEN } from "../gateway/portcullis.ts";
import type { Program } from "../gateway/process.ts";
import { startWithUpstream } from "../gateway/start-with-upstream.ts";
import { createEveryRule, createRule, type Rule } from "../guard/every-rule.ts";

export interface Lab {
  program: Program;
  admin: Admin;
  /** Rules of all local detectors, of which none masks. */
  rules: Record<Direction, Rule[]>;
  addCollector: () => Promise<Caller>;
  addConsumer: (stream: "exact" | "observe", rules: readonly Rule[]) => Promise<Caller>;
  /** An administrator. */
  owner: Caller;
}

export interface Caller {
  /** Sends a request on its own connection and returns the status. `stopAfter` is the number of bytes after which the client disconnects. */
  send: (path: string, body?: Uint8Array, stopAfter?: number) => Promise<number>;
}

export async function startLab(stack: AsyncDisposableStack): Promise<Lab> {
  const { program, port, upstream } = await startWithUpstream(
    stack,
    "bench/isolation/hostile-upstream.ts",
    { PORTCULLIS_DEMO: "false" },
  );
  const admin = adminOf(`http://127.0.0.1:${port}`);
  const rules = await createEveryRule(admin);
  const gateway = await admin<{ id: string }>("POST", "/v1/gateways", { name: "Isolation" });
  const base = `/v1/gateways/${gateway.id}`;
  const registry = await admin<{ id: string }>("POST", `${base}/registries`, {
    name: "Hostile",
    provider: "openai",
    provider_options: { base_url: `http://127.0.0.1:${upstream}/v1` },
    auth: { type: "api_key", api_key: "sk-upstream" },
    allow_private: true,
  });
  const createCollector = async (policy: object) => {
    const name = crypto.randomUUID();
    const { id } = await admin<{ id: string }>("POST", "/v1/policies", { name, ...policy });
    const body = { name, default_policy_id: id };
    return (await admin<{ id: string }>("POST", "/v1/collectors", body)).id;
  };
  return {
    program,
    admin,
    rules,
    async addCollector() {
      const id = await createCollector({ input_rules: rules.input });
      const body = { name: "isolation" };
      const { key } = await admin<{ key: string }>("POST", `/v1/collectors/${id}/keys`, body);
      return callerOf(port, "", { authorization: `Bearer ${key}` });
    },
    async addConsumer(stream, output_rules) {
      const collector_id = await createCollector({ output_rules });
      const consumer = await admin<{ id: string; slug: string }>("POST", `${base}/consumers`, {
        name: crypto.randomUUID(),
        registries: [{ id: registry.id }],
        guard: { collector_id, llm: { input: false, output: true }, stream },
      });
      const keys = `${base}/consumers/${consumer.id}/keys`;
      const { key } = await admin<{ key: string }>("POST", keys, { name: "isolation" });
      return callerOf(port, `/${consumer.slug}`, { "x-ag-api-key": key });
    },
    owner: callerOf(port, "", { authorization: `Bearer ${BENCHMARK_TOKEN}` }),
  };
}

/** Masks cards: text is held until no rule needs it. */
export const createMaskRule = (admin: Admin): Promise<Rule> =>
  createRule(admin, { kind: "data_loss_prevention", action: "transform" });

const callerOf = (port: number, prefix: string, headers: Record<string, string>): Caller => ({
  send: (path, body, stopAfter = Infinity) =>
    new Promise((resolve, reject) => {
      const options = {
        host: "127.0.0.1",
        port,
        path: prefix + path,
        method: body ? "POST" : "GET",
        headers: { ...headers, ...(body && { "content-type": "application/json" }) },
        agent: false as const,
      };
      const sent = request(options, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > stopAfter) response.destroy();
        });
        response.on("close", () => resolve(response.statusCode ?? 0));
        response.on("error", () => {}); // `close` follows
      });
      sent.on("error", reject);
      sent.end(body);
    }),
});
