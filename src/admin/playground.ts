/** Creates the tokens with which the console sends requests of a consumer, and evaluations of a collector. */
import { AppError } from "../contract/errors.ts";
import { createCollectorToken, createPlaygroundToken } from "../contract/gateway/playground.ts";
import { recordChange } from "../db/record-change.ts";
import { type Actor, type Route, route } from "../route.ts";
import { requireConsumer } from "../snapshot/find-consumer.ts";
import { sealCollectorToken, sealPlaygroundToken } from "../snapshot/playground-token.ts";
import type { AdminCredential } from "../snapshot/snapshot.ts";

export const playgroundRoutes: Route[] = [
  route(createPlaygroundToken, async (deps, call) => {
    const { id, name, gateway } = requireConsumer(deps.snapshot(), call.params);
    const made = sealPlaygroundToken(deps.keyring(), {
      consumer_id: id,
      creator: requireCredential(call.actor),
      at: deps.now(),
    });
    await recordChange(deps, call, {
      resource: "playground_token",
      verb: "create",
      id,
      name,
      gateway_id: gateway.id,
      before: null,
      after: { expires_at: made.expires_at },
    });
    return made;
  }),
  route(createCollectorToken, async (deps, call) => {
    const { collector_id } = call.params;
    const collector = deps.snapshot().collectors.get(collector_id);
    if (!collector) throw new AppError("not_found", `Unknown collector ${collector_id}.`);
    const made = sealCollectorToken(deps.keyring(), {
      collector_id,
      creator: requireCredential(call.actor),
      at: deps.now(),
    });
    await recordChange(deps, call, {
      resource: "playground_token",
      verb: "create",
      id: collector_id,
      name: collector.name,
      gateway_id: collector.gateway_id,
      before: null,
      after: { expires_at: made.expires_at },
    });
    return made;
  }),
];

/** Rejects a command on this machine, which has no token. */
function requireCredential({ credential }: Actor): AdminCredential {
  if (credential) return credential;
  throw new AppError("forbidden", "Create a playground token with an administrator token.");
}
