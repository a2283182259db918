/** A plugin: a step of the data plane that a gateway requires by name, in one or several entries. */
import type { z } from "zod";
import { decode } from "../contract/decode.ts";
import type { AppError } from "../contract/errors.ts";
import type { Limiter } from "./rate-limiter/limiter.ts";

export interface Plugin {
  name: string;
  summary: string;
  stages: readonly string[];
  /** Checked when the gateway is saved, so that a running plugin never meets a wrong setting. */
  settings: z.ZodType;
  /** Called once for each configuration, with the settings of all enabled entries in priority order. */
  preRequest: (entries: readonly unknown[], gateway_id: string) => PreRequestStep;
}

export interface PreRequestStep {
  /** Runs for every request, after the consumer is known and before its body is read. */
  admit(deps: PluginDeps, request: PluginRequest): PluginRejection | Promise<PluginRejection>;
  /**
   * Adds the response headers to a request that is rejected before it is admitted. Charges nothing and
   * does no I/O: clients without a key cause it.
   */
  describe(deps: PluginDeps, request: PluginRequest): void;
}

/** Why the request goes no further; undefined: it goes on. */
export type PluginRejection = AppError | undefined;

/** What `deps` has of use to plugins. */
export interface PluginDeps {
  limiter: Limiter;
  now: () => Date;
}

export interface PluginRequest {
  /** Undefined: the request has no valid key of this gateway. */
  key_id: string | undefined;
  /** The client's address, as far as proxies can be believed. */
  client: string;
  /** Whom the request is made for, as its caller says. */
  user: string;
  headers: Headers;
  /** How many requests it counts as: more than 1 for a batch. */
  cost?: number;
  /** For the plugin to add to: they go out with every answer to this request, an error's too. */
  reply_headers: Record<string, string>;
}

/** Binds what runs to the settings it was written for. */
export function definePlugin<Schema extends z.ZodType>(
  described: Pick<Plugin, "name" | "summary" | "stages"> & {
    settings: Schema;
    preRequest: (entries: readonly z.output<Schema>[], gateway_id: string) => PreRequestStep;
  },
): Plugin {
  const { settings: schema, preRequest } = described;
  return {
    ...described,
    preRequest: (entries, gateway_id) => {
      const decoded = entries.map((settings) => decode(schema, settings));
      return preRequest(decoded, gateway_id);
    },
  };
}
