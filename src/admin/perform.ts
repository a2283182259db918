/** Runs an admin operation from inside the program: the same checks and audit record as over HTTP. */
import { decode } from "../contract/decode.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import { adminRoutes } from "./routes.ts";

/** Returns the actor of a command on the server's machine, which has access to the database anyway. */
export const localActor = (name: string): Actor => ({
  id: null,
  name,
  role: "owner",
  gateway_ids: null,
  principal_sub: null,
  credential: null,
});

/** Runs in the transaction `deps.db`. */
export async function perform<Reply>(
  deps: Deps,
  actor: Actor,
  endpoint: Endpoint,
  { params = {}, body }: { params?: Record<string, string>; body?: unknown },
): Promise<Reply> {
  const bound = adminRoutes.find((route) => route.endpoint === endpoint);
  if (!bound) throw new Error(`No operation is bound to ${endpoint.name}.`);
  const reply = await bound.handle(deps, {
    params,
    query: {},
    body: decode(endpoint.body, body),
    actor,
    bearer: undefined,
    cookies: "",
    origin: "",
    if_match: undefined,
    reply_headers: {},
    request_id: deps.newId(),
    trace_id: deps.newId(),
  });
  // Operations are type-checked against the reply schema of their endpoint.
  return reply as Reply;
}
