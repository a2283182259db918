/** Schemas of server.json, the public description of an MCP server, and of registries (`/v0.1`). */
import { z } from "zod";
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";

/** Value that users of a server enter. Unknown members are ignored. */
const Input = z.object({
  description: z.string().max(2000).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  choices: z.array(z.string().max(255)).max(100).optional(),
  value: z.string().max(2000).optional().describe("Fixed value; may contain `{variables}`."),
});

export const ServerHeader = Input.extend({ name: z.string().min(1).max(128) });
export type ServerHeader = z.infer<typeof ServerHeader>;

const Remote = z.object({
  type: z.string().max(64),
  url: z.string().max(2000).optional(),
  headers: z.array(ServerHeader).max(50).optional(),
  variables: z.record(z.string().max(64), Input).optional(),
});

export const ServerJson = z.object({
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, "must be a name such as com.example/server"),
  description: z.string().max(2000).optional(),
  title: z.string().max(255).optional(),
  version: z.string().min(1).max(100),
  websiteUrl: z.string().max(2000).optional(),
  icons: z
    .array(z.object({ src: z.string().max(2000) }))
    .max(50)
    .optional(),
  remotes: z.array(Remote).max(50).optional(),
});
export type ServerJson = z.infer<typeof ServerJson>;

/** Member with the metadata that the official registry adds to a server.json. */
export const OFFICIAL_META = "io.modelcontextprotocol.registry/official";

/** Checks only that the value is an object: a record would visit each of its members, a million in one page. */
const AnyObject = z.custom<JsonObject>(isObject, "must be an object");

export const RegistryPage = z.object({
  servers: z.array(z.object({ server: AnyObject, _meta: AnyObject.nullish() })),
  metadata: z
    .object({
      nextCursor: z.string().max(2000).nullish(),
      next_cursor: z.string().max(2000).nullish(),
    })
    .nullish(),
});
