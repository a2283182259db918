/** Tests the address and credential of a registry with a request that costs nothing. */

import { AppError, type ErrorCode } from "../contract/errors.ts";
import { usesMachineIdentity } from "../contract/gateway/cloud-auth.ts";
import {
  type ConnectionReport,
  type RegistryInput,
  testConnection,
} from "../contract/gateway/registries.ts";
import { isLlm, type RegistryRow, registryTable } from "../db/tables/registries.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { buildUrl, type Provider, type Upstream } from "../providers/provider.ts";
import { type Actor, type Route, route } from "../route.ts";
import { sendToRegistry } from "../send-to-registry.ts";
import { toRegistryView } from "../snapshot/compile.ts";
import type { RegistryView } from "../snapshot/snapshot.ts";
import { checkAllowPrivate } from "./check-allow-private.ts";
import { checkLlmRegistry } from "./registries.ts";

const TIMEOUT_MS = 10_000;

export const testConnectionRoute: Route = route(testConnection, async (deps, call) => {
  const { params, body } = call;
  const row =
    "provider" in body
      ? toDraftRow(deps, call.actor, params.gateway_id, body)
      : await registryTable.find(deps.db, { id: body.id, gateway_id: params.gateway_id });
  if (!row) throw new AppError("not_found", "Unknown registry. Check the id.");
  if (!isLlm(row)) throw new AppError("validation_failed", "id: must be an AI upstream");
  return await probe(deps, toRegistryView(row, deps));
});

async function probe(deps: Deps, view: RegistryView): Promise<ConnectionReport> {
  const { provider, upstream, allow_private } = view;
  const began = elapsedMs();
  const report = (
    stage: ConnectionReport["stage"],
    message: string,
    status_code: number | null = null,
  ): ConnectionReport => ({
    ok: stage === "answer" && status_code !== null && status_code < 400,
    stage,
    provider: provider.kind,
    status_code,
    latency_ms: Math.round(elapsedMs() - began),
    message,
  });
  try {
    const reply = await sendToRegistry(deps, view, {
      url: buildProbeUrl(provider, upstream),
      method: "GET",
      headers: provider.headers(upstream),
      allow_private,
      timeouts: { headers_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
    });
    reply.cancel();
    const { status } = reply;
    if (status === 401 || status === 403) {
      return report("credential", "The upstream rejects this credential.", status);
    }
    if (status < 400) return report("answer", "The upstream returned its model list.", status);
    return report("answer", `The upstream returned status ${status}. Check the address.`, status);
  } catch (thrown) {
    const error = AppError.from(thrown);
    if (error.code === "internal") throw thrown;
    return report(FAILED_STAGES[error.code] ?? "connect", error.message);
  }
}

function buildProbeUrl(provider: Provider, upstream: Upstream): string {
  const { probe } = provider;
  if ("url" in probe) return probe.url(upstream);
  return buildUrl(provider, upstream, { ...probe, model: undefined, search: "" }, "files");
}

const FAILED_STAGES: Partial<Record<ErrorCode, ConnectionReport["stage"]>> = {
  upstream_address_refused: "address",
  provider_credential_error: "credential",
};

/** Returns a validated row for a registry that is not saved. */
function toDraftRow(
  deps: Deps,
  actor: Actor,
  gateway_id: string,
  body: RegistryInput,
): RegistryRow {
  const unsaved = { id: "", version: 0, created_at: "", updated_at: "", gateway_id };
  const row = { ...checkLlmRegistry(deps, unsaved.id, body), ...unsaved };
  checkAllowPrivate(deps, actor, {
    allow_private: row.allow_private,
    machine_identity: usesMachineIdentity(row.auth),
    target: row.provider_options,
  });
  return row;
}
