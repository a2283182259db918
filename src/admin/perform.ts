/** Runs an admin operation from inside the program: the same checks and audit record as over HTTP. */
import { decode } from "../contract/decode.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import { adminRoutes } from "./routes.ts";

/** A command on the machine itself: whoever can run it can read the database anyway. */
export const localActor = (name: string): Actor => ({
  id: null,
  name,
  role: "owner",
  gateway_ids: null,
  principal_sub: null,
});

/** `deps.db` is the transaction it becomes part of. */
export async function perform<Reply>(
  deps: Deps,
  actor: Actor,
  endpoint: Endpoint,
  { params = {}, body }: { params?: Record<string, string>; body?: unknown },
): Promise<Reply> {
  const bound = adminRoutes.find((route) => route.endpoint === endpoint);
  if (!bound) throw new Error(`No operation answers ${endpoint.name}.`);
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
  // The endpoint's own reply schema is what the operation was type-checked against.
  return reply as Reply;
}
