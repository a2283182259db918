/** Binds an endpoint to the operation that handles it. */
import type { z } from "zod";
import type { Endpoint, PathParams } from "./contract/endpoint.ts";
import type { AppError } from "./contract/errors.ts";
import type { Role } from "./contract/roles.ts";
import type { Deps } from "./deps.ts";
import type { AdminCredential } from "./snapshot/snapshot.ts";

/** Caller of an administrative operation: an administrator token, or a command on this machine. */
export interface Actor {
  id: string | null;
  name: string;
  role: Role;
  /** null: every gateway. */
  gateway_ids: readonly string[] | null;
  /** The principal of the Store behind the token, if known. */
  principal_sub: string | null;
  /** null: not authenticated by a token. */
  credential: AdminCredential | null;
}

/**
 * Returns whether the administrator is this subject. A token without a principal is identified by its name. Clients
 * write the subject, so letter case, surrounding spaces, invisible characters and the Unicode form do not distinguish people.
 */
export const isSubject = ({ principal_sub, name }: Actor, subject: string | null): boolean =>
  subject !== null && foldSubject(principal_sub ?? name) === foldSubject(subject);

/** In upper case first, which turns ß into SS and decomposes other letters. */
const foldSubject = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .trim()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC");

/** Returns whether the administrator is an owner of the gateway, or of all gateways if none is named. */
export const isOwner = (
  { role, gateway_ids }: Pick<Actor, "role" | "gateway_ids">,
  gateway_id = "",
): boolean => role === "owner" && (gateway_ids?.includes(gateway_id) ?? true);

/** Ids of one request, in its response headers, log lines and events. */
export interface RequestIds {
  trace_id: string;
  request_id: string;
}

export interface Call<Params = Record<string, string>, Query = unknown, Body = unknown>
  extends RequestIds {
  params: Params;
  query: Query;
  body: Body;
  actor: Actor;
  /** Token of the Authorization header, for operations that identify a principal. */
  bearer: string | undefined;
  /** The Cookie header, or empty. */
  cookies: string;
  /** Public origin of this program, such as `https://gateway.example.com`. */
  origin: string;
  /** The If-Match header: the version that the caller read. */
  if_match: string | undefined;
  /** Headers that the operation adds to a successful response. */
  reply_headers: Record<string, string>;
  /** Its request, for long work that ends when the client disconnects. Undefined: the caller is a command or a tool. */
  client?: Pick<Request, "signal">;
}

/** An operation that returns an error, instead of throwing it, commits what it wrote. */
export interface Route {
  endpoint: Endpoint;
  handle: (deps: Deps, call: Call) => Promise<unknown>;
}

export function route<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Reply extends z.ZodType,
>(
  endpoint: Endpoint<Path, Query, Body, Reply>,
  handle: (
    deps: Deps,
    call: Call<PathParams<Path>, z.output<Query>, z.output<Body>>,
  ) => Promise<z.input<Reply> | AppError> | z.input<Reply> | AppError,
): Route {
  return {
    endpoint,
    // The server has decoded params, query and body by this endpoint.
    handle: async (deps, call) =>
      await handle(deps, call as Call<PathParams<Path>, z.output<Query>, z.output<Body>>),
  };
}

/** Input of a route that reads its request itself. */
export interface DirectCall<Query = unknown> extends RequestIds {
  endpoint: Endpoint;
  request: Request;
  params: Record<string, string>;
  query: Query;
  actor: Actor;
  /** Returns the address of the socket. Lazy: few requests need it. */
  client: () => string;
  /** Sent with the response. */
  headers: Record<string, string>;
}

/** Reads its request and builds its response itself: a hot path, or a stream. */
export interface DirectRoute {
  endpoint: Endpoint;
  respond: (deps: Deps, call: DirectCall) => Promise<Response>;
}
