/** Sends a request to a registry: with the credential of its cloud identity, and through its own egress. */
import type { Deps } from "./deps.ts";
import type { Reply } from "./net/http/reply.ts";
import type { OutboundRequest } from "./net/send.ts";
import type { RegistryView } from "./snapshot/snapshot.ts";

/** Call it for each attempt: a signature covers the bytes of one request. */
export function sendToRegistry(
  { send, credentials }: Pick<Deps, "send" | "credentials">,
  registry: Pick<RegistryView, "upstream" | "allow_private" | "egress">,
  request: OutboundRequest,
): Promise<Reply> {
  if (registry.egress) request.egress = registry.egress;
  if (!registry.upstream.identity) return send(request);
  return credentials.authorize(registry, request).then(() => send(request));
}
