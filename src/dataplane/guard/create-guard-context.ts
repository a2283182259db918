/** Builds the context of an evaluation: the consumer, its session, and the model that the request is sent to. */

import { readUser } from "../../contract/gateway/user-header.ts";
import type { Direction } from "../../contract/guard/evaluate.ts";
import type { Deps } from "../../deps.ts";
import type { EvaluationContext } from "../../evaluation.ts";
import { findClientAddress } from "../../lib/http/ip-address.ts";
import type { GuardView } from "../../snapshot/snapshot.ts";
import type { Candidate } from "../routing/evaluate-registry.ts";
import type { RoutedRequest } from "../stages.ts";
import { findRequestPrompt } from "./find-request-prompt.ts";

/** `candidates`: the registries that may get the request, or the one that responded. */
export function createGuardContext(
  deps: Pick<Deps, "settings" | "snapshot" | "now">,
  routed: RoutedRequest,
  guard: GuardView,
  { direction, candidates }: { direction: Direction; candidates: readonly Candidate[] },
): EvaluationContext {
  const { consumer, key, request, context } = routed;
  const { headers } = request;
  const forwarded = headers.get("x-forwarded-for");
  const session = findSession(headers);
  return {
    collector_id: guard.collector_id,
    gateway_id: consumer.gateway.id,
    credential_id: key.id,
    trace_id: context.trace_id,
    pseudonym_scopes: [
      // The turns of a conversation get the same pseudonyms, with or without a session.
      session === undefined
        ? `\0key:${key.id}/${readUser(headers)}`
        : `${consumer.slug}/${shortenSession(session)}`,
      `\0mcp:consumer/${consumer.gateway.id}/${consumer.id}`,
    ],
    // A response is evaluated for the record even if its client has left.
    ...(direction === "input" && { client: request }),
    client_address: findClientAddress(context.client(), forwarded, deps.settings.TRUSTED_PROXIES),
    user_agent: headers.get("user-agent"),
    ...(direction === "output" && { system_prompt: findRequestPrompt(deps, routed, guard) }),
    request: {
      direction,
      protocol: "llm",
      // The slug separates consumers: one must not restore the masked values of another.
      session_id: `${consumer.slug}/${shortenSession(session ?? context.trace_id)}`,
      // Not the user header: a client must not select its policy.
      consumer_id: consumer.id,
      attributes: {
        consumer: { name: consumer.name, type: "consumer" },
        model: {
          name: joinDistinct(candidates.map(({ model }) => model ?? "")),
          provider: joinDistinct(candidates.map(({ registry }) => registry.provider.kind)),
        },
        source: { application: consumer.name },
      },
    },
  };
}

/** Ours, that of Claude Code, and that of Codex. */
const SESSION_HEADERS = ["x-session-id", "x-claude-code-session-id", "session-id", "session_id"];

const findSession = (headers: Headers): string | undefined =>
  SESSION_HEADERS.map((name) => headers.get(name)).find((value) => value) ?? undefined;

const MAX_SESSION_CHARACTERS = 256;

/** Hashes a long id, such as a token: two that only begin alike are different sessions. */
const shortenSession = (id: string): string =>
  id.length > MAX_SESSION_CHARACTERS ? new Bun.CryptoHasher("sha256").update(id).digest("hex") : id;

/** Sorted, so that load balancing does not change the fingerprint of an approval. */
function joinDistinct(names: readonly string[]): string {
  const [first = ""] = names;
  return names.every((name) => name === first) ? first : [...new Set(names)].sort().join(",");
}
