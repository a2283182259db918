/** The program under measurement, in this process: detectors, policies and collectors, and evaluations by them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ORIGINS } from "../src/contract/guard/actions.ts";
import type { Finding } from "../src/contract/guard/evaluate.ts";
import { createLog } from "../src/lib/log.ts";
import type { Detector } from "../src/policy/detector.ts";
import { start } from "../src/server/start.ts";
import { loadSettings } from "../src/settings.ts";
import { adminClient } from "../test/kit/admin-client.ts";
import type { Example, Origin } from "./example.ts";

const TOKEN = "pa_owner-token-of-the-evaluation-0123456789abc";

/** A detector with settings, named in findings. */
export interface Configuration {
  name: string;
  kind: string;
  settings: Readonly<Record<string, unknown>>;
}

export interface Guard {
  /** Returns the findings by name of the configuration. */
  evaluate: (example: Pick<Example, "text" | "origin">) => Promise<Map<string, Finding>>;
}

export interface Portcullis extends AsyncDisposable {
  /** Creates a policy that reports what these configurations find. */
  createGuard: (configurations: readonly Configuration[]) => Promise<Guard>;
}

export async function startPortcullis(): Promise<Portcullis> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-eval-"));
  const settings = loadSettings({
    PORTCULLIS_LISTEN: "127.0.0.1:0",
    PORTCULLIS_DATA_DIR: folder,
    PORTCULLIS_ADMIN_TOKEN: TOKEN,
    PORTCULLIS_DEMO: "false",
  });
  const write = (line: string) => console.error(line);
  const log = createLog({ level: "error", pretty: false, now: () => new Date(), write });
  const { deps, urls, stop } = await start(settings, log);
  const { make } = adminClient(urls.admin ?? urls.gateway ?? "", TOKEN);
  let count = 0;
  return {
    async createGuard(configurations) {
      count += 1;
      const input_rules = [];
      for (const { kind, name, settings } of configurations) {
        const detector = { name: `${name} ${count}`, kind, settings };
        const { id } = await make("/v1/detectors", detector);
        input_rules.push({ detector_id: id, action: "report", origins: ORIGINS });
      }
      const name = `evaluation ${count}`;
      const policy = await make("/v1/policies", { name, input_rules });
      const collector = await make("/v1/collectors", { name, default_policy_id: policy.id });
      const suffix = ` ${count}`;
      return {
        async evaluate(example) {
          const { verdict } = await deps.evaluate({
            collector_id: collector.id,
            gateway_id: "",
            request: { direction: "input" },
            trace_id: "",
            client_address: "",
            user_agent: null,
            text: JSON.stringify(toPayload(example)),
            is_foreign_body: false,
            recorded: false,
            on_ask: "allow",
          });
          return new Map(
            verdict.findings.map((finding) => [
              finding.source.detector_name?.slice(0, -suffix.length) ?? "",
              finding,
            ]),
          );
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a payload in which the text has this origin. */
function toPayload({ text, origin }: Pick<Example, "text" | "origin">): Record<string, unknown> {
  return PAYLOADS[origin](text);
}

const PAYLOADS: Readonly<Record<Origin, (text: string) => Record<string, unknown>>> = {
  user: (text) => ({ messages: [{ role: "user", content: text }] }),
  system: (text) => ({ messages: [{ role: "system", content: text }] }),
  tool_definition: (text) => ({ messages: [], tools: [toTool(text)] }),
  tool_arguments: (text) => {
    const call = { name: "lookup", arguments: JSON.stringify({ value: text }) };
    const tool_calls = [{ id: "call_1", type: "function", function: call }];
    return { messages: [{ role: "assistant", content: null, tool_calls }] };
  },
  tool_result: (text) => ({ messages: [{ role: "tool", tool_call_id: "call_1", content: text }] }),
  document: (text) => ({
    messages: [],
    attachments: [
      { filename: "file.txt", content_type: "text/plain", data: Buffer.from(text).toBase64() },
    ],
  }),
};

/** Returns a definition that is JSON as it is, and other text as the description of a tool. */
function toTool(text: string): object {
  try {
    const definition: unknown = JSON.parse(text);
    if (typeof definition === "object" && definition !== null) {
      return { type: "function", function: definition };
    }
  } catch {}
  return { type: "function", function: { name: "tool", description: text, parameters: {} } };
}

/** Name of the configuration whose findings carry the score of every text. */
export const SCORE = "score";
/** Name of the configuration without settings. */
export const DEFAULT = "default";

/**
 * Returns the configurations of a detector: one that reports every score, and one for each level, or the default if the
 * detector has no levels.
 */
export function listConfigurations({ kind, settings }: Detector): Configuration[] {
  const { properties = {} } = z.toJSONSchema(settings, { io: "input" }) as {
    properties?: Record<string, { enum?: string[] }>;
  };
  const threshold = ["threshold", "min_confidence"].find((name) => name in properties);
  const levels = properties.level?.enum ?? [];
  return [
    ...(threshold ? [{ name: SCORE, kind, settings: { [threshold]: 0 } }] : []),
    ...(levels.length > 0
      ? levels.map((level) => ({ name: level, kind, settings: { level } }))
      : [{ name: DEFAULT, kind, settings: {} }]),
  ];
}
