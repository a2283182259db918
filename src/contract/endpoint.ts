/** Type of an endpoint description, which server, CLI, console and API reference share. */
import { z } from "zod";

export const PLANES = ["admin", "gateway", "guard", "mcp"] as const;
export type Plane = (typeof PLANES)[number];

/** Permission that an endpoint of the admin API requires. Roles have permissions. */
export type Permission = "read" | "write" | "approve" | "audit" | "own";

/**
 * `public` requires no credential. The operation itself authenticates a `collector` (collector key or
 * service token) and a `principal`.
 */
export type Auth = Permission | "collector" | "principal" | "public";

/** Returns whether the role of an administrator decides about access. */
export const isAdministrative = (auth: Auth): auth is Permission =>
  auth !== "collector" && auth !== "principal" && auth !== "public";

export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  /** Operation id in the API description: unique, begins with a verb. */
  name: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** In the notation of Bun's router: `/v1/gateways/:gateway_id`. */
  path: Path;
  plane: Plane;
  /** Required, so that no endpoint is public by accident. */
  auth: Auth;
  summary: string;
  query: Query;
  body: Body;
  reply: Reply;
  status: 200 | 201 | 204;
  /** Runs in a transaction with its audit record. A POST also accepts an Idempotency-Key. */
  writes: boolean;
  /** Writes configuration, or ends a session, which every node then reloads. Otherwise it writes state of the Store. */
  configures: boolean | "sessions";
  /** Reads or deletes recorded evaluations: those in the queue are written before. */
  reads_evaluations: boolean;
  /** Calls other servers before it responds, which may fail or time out. */
  calls_out: boolean;
  /** Accepts an OAuth form as well as JSON; errors then have the OAuth shape. */
  form: boolean;
  /** Pages of any origin may read the response. */
  cors: boolean;
}

export const Empty = z.undefined();
const NoQuery = z.strictObject({});

/** Fills in the defaults: admin plane, no query, no body, status 200 or 204, writes configuration unless it is a GET. */
export function endpoint<
  const Path extends string,
  Query extends z.ZodType = typeof NoQuery,
  Body extends z.ZodType = typeof Empty,
  Reply extends z.ZodType = typeof Empty,
>(
  described: Pick<Endpoint<Path>, "name" | "method" | "path" | "auth" | "summary"> & {
    plane?: Plane;
    query?: Query;
    body?: Body;
    reply?: Reply;
    status?: 200 | 201 | 204;
    writes?: boolean;
    configures?: boolean | "sessions";
    reads_evaluations?: boolean;
    calls_out?: boolean;
    form?: boolean;
    cors?: boolean;
  },
): Endpoint<Path, Query, Body, Reply> {
  return {
    plane: "admin",
    // The fallbacks are the type parameters' own defaults, which TypeScript cannot see.
    query: NoQuery as unknown as Query,
    body: Empty as unknown as Body,
    reply: Empty as unknown as Reply,
    status: described.reply ? 200 : 204,
    writes: described.method !== "GET",
    configures: true,
    reads_evaluations: false,
    calls_out: false,
    form: false,
    cors: false,
    ...described,
  };
}
