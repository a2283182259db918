/** Defines plugins: steps of the data plane that a gateway requires by name, in one or more entries. */
import type { z } from "zod";
import { decode } from "../contract/decode.ts";
import type { AppError } from "../contract/errors.ts";
import type { Limiter } from "./rate-limiter/limiter.ts";

export interface Plugin {
  name: string;
  summary: string;
  stages: readonly string[];
  /** Validated when the gateway is saved, so that a running plugin never reads an invalid setting. */
  settings: z.ZodType;
  /** Called once per configuration, with the settings of all enabled entries in priority order. */
  preRequest: (entries: readonly unknown[], gateway_id: string) => PreRequestStep;
}

export interface PreRequestStep {
  /** Runs for every request, after the consumer is identified and before the body is read. */
  admit(deps: PluginDeps, request: PluginRequest): PluginRejection | Promise<PluginRejection>;
  /**
   * Adds the response headers of a request that is rejected before admission. Charges nothing and does
   * no I/O, because clients without a key can trigger it.
   */
  describe(deps: PluginDeps, request: PluginRequest): void;
}

/** Error to return; undefined when the request is admitted. */
export type PluginRejection = AppError | undefined;

/** Part of `deps` that plugins use. */
export interface PluginDeps {
  limiter: Limiter;
  now: () => Date;
}

export interface PluginRequest {
  /** Undefined when the request has no valid key of this gateway. */
  key_id: string | undefined;
  /** Address of the client, read from trusted proxies only. */
  client: string;
  /** User id that the caller sends. */
  user: string;
  headers: Headers;
  /** Number of requests that it counts as: more than 1 for a batch. */
  cost?: number;
  /** Headers of every response to this request, including errors; plugins add to them. */
  reply_headers: Record<string, string>;
}

/** Decodes the settings of each entry before they are passed to the plugin. */
export function definePlugin<Schema extends z.ZodType>(
  definition: Pick<Plugin, "name" | "summary" | "stages"> & {
    settings: Schema;
    preRequest: (entries: readonly z.output<Schema>[], gateway_id: string) => PreRequestStep;
  },
): Plugin {
  const { settings: schema, preRequest } = definition;
  return {
    ...definition,
    preRequest: (entries, gateway_id) => {
      const decoded = entries.map((settings) => decode(schema, settings));
      return preRequest(decoded, gateway_id);
    },
  };
}
