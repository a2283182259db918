/** Binds an endpoint's description to the operation that answers it. */
import type { z } from "zod";
import type { Endpoint, PathParams } from "./contract/endpoint.ts";
import type { AppError } from "./contract/errors.ts";
import type { Role } from "./contract/roles.ts";
import type { Deps } from "./deps.ts";

/** Who is calling: an administrator token, or a command on the machine itself. */
export interface Actor {
  id: string | null;
  name: string;
  role: Role;
  /** null: every gateway. */
  gateway_ids: readonly string[] | null;
  /** Which principal of the Store this is, where that is known. */
  principal_sub: string | null;
}

/** Returns whether the administrator is this subject. A token that names no principal goes by its own name. */
export const isSubject = ({ principal_sub, name }: Actor, subject: string | null): boolean =>
  subject !== null && (principal_sub ?? name) === subject;

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
  /** What the Authorization header carries, for operations that ask who the principal is. */
  bearer: string | undefined;
  /** The Cookie header; empty when there is none. */
  cookies: string;
  /** Where clients reach this program: `https://gateway.example.com`. */
  origin: string;
  /** The version the caller last saw (If-Match), when it sent one. */
  if_match: string | undefined;
  /** Headers that the operation adds to a successful answer. */
  reply_headers: Record<string, string>;
}

/** An operation that returns an error, instead of throwing it, keeps what it wrote. */
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
  answer: (
    deps: Deps,
    call: Call<PathParams<Path>, z.output<Query>, z.output<Body>>,
  ) => Promise<z.input<Reply> | AppError> | z.input<Reply> | AppError,
): Route {
  return {
    endpoint,
    // The server decodes params, query and body by this very endpoint before it calls.
    handle: async (deps, call) =>
      await answer(deps, call as Call<PathParams<Path>, z.output<Query>, z.output<Body>>),
  };
}

/** What a route that reads its request itself is handed. */
export interface DirectCall<Query = unknown> extends RequestIds {
  endpoint: Endpoint;
  request: Request;
  params: Record<string, string>;
  query: Query;
  actor: Actor;
  /** The socket's address; asked for only when it is needed. */
  client: () => string;
  /** Go out with the answer. */
  headers: Record<string, string>;
}

/** Reads its request and writes its answer itself: a hot path, or a stream. */
export interface DirectRoute {
  endpoint: Endpoint;
  respond: (deps: Deps, call: DirectCall) => Promise<Response>;
}
