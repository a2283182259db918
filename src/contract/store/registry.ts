/** Wire shapes of the public registry API (`/v0.1`), which serves the Store's catalog. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { OFFICIAL_META, ServerJson } from "./server-json.ts";

const ServerListing = z.object({
  server: ServerJson,
  _meta: z.object({
    [OFFICIAL_META]: z.object({
      status: z.literal("active"),
      isLatest: z.literal(true),
      updatedAt: z.string().optional(),
    }),
  }),
});
export type ServerListing = z.infer<typeof ServerListing>;

const shared = {
  method: "GET",
  plane: "mcp",
  auth: "principal",
  // Fetches the public keys of the issuer of a token.
  calls_out: true,
  cors: true,
} as const;
/** A name contains a slash, which is written `%2F` in the path. */
const versions = "/v0.1/servers/:server_name/versions";

export const ServerList = z.object({
  servers: z.array(ServerListing),
  metadata: z.object({ count: z.int(), nextCursor: z.string().optional() }),
});

export const listServers = endpoint({
  ...shared,
  name: "list_servers",
  path: "/v0.1/servers",
  summary: "List the servers that the caller may use, in the public registry format",
  // Clients of the public API send parameters that have no effect here.
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(30),
    cursor: z.string().max(2000).optional(),
    search: z.string().max(200).optional(),
  }),
  reply: ServerList,
});

export const listServerVersions = endpoint({
  ...shared,
  name: "list_server_versions",
  path: versions,
  summary: "List the versions of a server: only the current one",
  query: z.object({}),
  reply: ServerList,
});

export const getServerVersion = endpoint({
  ...shared,
  name: "get_server_version",
  path: `${versions}/:version`,
  summary: "Get a version of a server; `latest` is the current one",
  query: z.object({}),
  reply: ServerListing,
});
