/** Compiles the rows of the configuration to the maps that the planes read. */

import { REGISTRY_SECRETS } from "../contract/gateway/registries.ts";
import { completeGuard, type GuardSettings, isOwnGuard } from "../contract/guard/guard-settings.ts";
import { configState } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import { adminTokenTable } from "../db/tables/admin-tokens.ts";
import { readBlockExpiries } from "../db/tables/blocked-subjects.ts";
import { attachedRegistries, consumerTable } from "../db/tables/consumers.ts";
import { endedConsoleSessions } from "../db/tables/ended-sessions.ts";
import { type GatewayRow, gatewayTable } from "../db/tables/gateways.ts";
import { consumerKeyTable } from "../db/tables/keys.ts";
import {
  isLlm,
  type LlmRegistryRow,
  registrySecret,
  registryTable,
} from "../db/tables/registries.ts";
import { type Keyring, unseal } from "../lib/crypto/seal.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import type { Egress } from "../net/egress.ts";
import { providers } from "../providers/all.ts";
import { listCapabilities } from "../providers/provider.ts";
import { compileGuard, type Programs } from "./compile-guard.ts";
import { toExpiryMs } from "./expiry-ms.ts";
import type { ConsumerView, GatewayView, GuardView, RegistryView, Snapshot } from "./snapshot.ts";

export interface CompileOptions {
  keyring: () => Keyring;
  /** Address of the built-in demo upstream in this process. */
  demo_url: string;
  programs: Programs;
}

export async function compileSnapshot(db: Db, options: CompileOptions): Promise<Snapshot> {
  // Read first: after a change between the reads below, this state is old, and the watcher compiles again.
  const sessions = await readSessions(db);
  const gatewayRows = await gatewayTable.all(db);
  // Without MCP registries, which the MCP plane reads from the database.
  const registryRows = (await registryTable.all(db)).filter(isLlm);
  const consumerRows = await consumerTable.all(db);
  const attached = await attachedRegistries(db);
  const keyRows = await consumerKeyTable.all(db, { revoked_at: null });
  const tokenRows = await adminTokenTable.all(db, { revoked_at: null });
  const blocks = await readBlockExpiries(db);
  const guardPart = await compileGuard(db, options);

  const gateways = new Map(gatewayRows.map((row) => [row.id, gatewayView(row)]));
  const registries = new Map(registryRows.map((row) => [row.id, toRegistryView(row, options)]));
  const consumers = new Map<string, ConsumerView>();
  for (const row of consumerRows) {
    const gateway = gateways.get(row.gateway_id);
    if (!gateway) continue;
    const views = (attached.get(row.id) ?? []).flatMap(({ id, weight, models }) => {
      const registry = registries.get(id);
      return registry ? [{ registry, weight, models }] : [];
    });
    const own = isOwnGuard(row.guard) ? toGuardView(row.guard) : null;
    const guard = row.guard === null ? gateway.guard : own;
    consumers.set(row.id, { ...row, gateway, registries: views, guard });
  }
  return {
    ...sessions,
    blocks,
    ...guardPart,
    gateways,
    registries,
    consumersBySlug: new Map([...consumers.values()].map((view) => [view.slug, view])),
    keysByHash: new Map(
      keyRows.flatMap(({ id, hash, consumer_id, expires_at }) => {
        const consumer = consumers.get(consumer_id);
        return consumer ? [[hash, { id, consumer, expires_at: toExpiryMs(expires_at) }]] : [];
      }),
    ),
    tokensByHash: new Map(
      tokenRows.map(({ id, name, role, gateway_ids, principal_sub, hash, expires_at }) => [
        hash,
        { id, name, role, gateway_ids, principal_sub, expires_at: toExpiryMs(expires_at) },
      ]),
    ),
  };
}

/** Reads the part of a snapshot that changes when a session ends. */
export async function readSessions(
  db: Db,
): Promise<Pick<Snapshot, "revision" | "config" | "state" | "endedSessions">> {
  const state = await configState(db);
  return { ...state, endedSessions: await endedConsoleSessions(db) };
}

function gatewayView({ id, slug, name, required_plugins, guard }: GatewayRow): GatewayView {
  const enabled = required_plugins
    .filter((entry) => entry.enabled)
    .sort((one, other) => one.priority - other.priority);
  // A plugin runs once for all its entries, at the position of the first.
  const byName = Map.groupBy(enabled, (entry) => entry.name);
  const plugins = [...byName].map(([plugin, entries]) => ({
    name: plugin,
    settings: entries.map(({ settings }) => settings),
  }));
  return { id, slug, name, plugins, guard: toGuardView(completeGuard(guard)) };
}

const toGuardView = ({ collector_id, ...settings }: GuardSettings): GuardView | null =>
  collector_id === null ? null : { ...settings, collector_id };

/** The option schemas allow only text here. */
function toEgress({ ca_bundle, proxy_url }: Record<string, unknown>): Egress | undefined {
  if (ca_bundle === undefined && proxy_url === undefined) return undefined;
  return {
    ...(ca_bundle !== undefined && { ca: String(ca_bundle) }),
    ...(proxy_url !== undefined && { proxy_url: String(proxy_url) }),
  };
}

export function toRegistryView(
  row: LlmRegistryRow,
  { keyring, demo_url }: Pick<CompileOptions, "keyring" | "demo_url">,
): RegistryView {
  const provider = providers[row.provider];
  let problem: string | undefined;
  const open = (sealed: string, path: string): string => {
    const plain = unseal(keyring(), registrySecret(row.id, path), sealed);
    if (plain === undefined)
      problem = "its credential cannot be decrypted with the keys of this node";
    return plain ?? "";
  };
  const { provider_options, auth } = mapSecrets(
    { provider_options: row.provider_options, auth: row.auth },
    REGISTRY_SECRETS,
    open,
  );
  return {
    id: row.id,
    name: row.name,
    gateway_id: row.gateway_id,
    provider,
    upstream: {
      options: row.provider === "demo" ? { base_url: demo_url } : provider_options,
      api_key: auth?.type === "api_key" ? auth.api_key : null,
      identity: auth === null || auth.type === "api_key" ? null : auth,
    },
    capabilities: new Set(row.capabilities ?? listCapabilities(provider)),
    // The demo upstream is on loopback.
    allow_private: row.allow_private || row.provider === "demo",
    egress: toEgress(provider_options),
    created: Math.floor(Date.parse(row.created_at) / 1000),
    enabled: row.enabled,
    problem,
  };
}
