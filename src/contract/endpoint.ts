/** The description of an endpoint: what server, CLI, console and API reference all read. */
import { z } from "zod";

export const PLANES = ["admin", "gateway", "guard", "mcp"] as const;
export type Plane = (typeof PLANES)[number];

/** What a caller of the admin API must be able to do: held by roles. */
export type Permission = "read" | "write" | "approve" | "audit" | "own";

/**
 * `public` asks nothing. `collector` (a collector key or a service token) and `principal` are asked for
 * by the operation itself.
 */
export type Auth = Permission | "collector" | "principal" | "public";

/** Whether an administrator's role decides. */
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
  /** Unique, verb first: the operation id of the API description. */
  name: string;
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Bun's notation: `/v1/gateways/:gateway_id`. */
  path: Path;
  plane: Plane;
  /** Required, so that no route can forget it. */
  auth: Auth;
  summary: string;
  query: Query;
  body: Body;
  reply: Reply;
  status: 200 | 201 | 204;
  /** Runs in a transaction with its audit record, and takes an Idempotency-Key when it is a POST. */
  writes: boolean;
  /** What it writes is configuration, which every node then reads again; else it is of the Store. */
  configures: boolean;
  /** Others are asked before it answers: they may be out of reach or late. */
  calls_out: boolean;
  /** Takes a form of OAuth as well as JSON; its errors then have the shape of OAuth. */
  form: boolean;
  /** Pages of any other site may read the answer. */
  cors: boolean;
}

export const Empty = z.undefined();
const NoQuery = z.strictObject({});

/** Fills what most endpoints leave unsaid: no query, no body, 200, writes configuration unless it is a GET. */
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
    configures?: boolean;
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
    calls_out: false,
    form: false,
    cors: false,
    ...described,
  };
}
