/** Configuration that the planes read: immutable maps in memory. */

import type { AttachedRegistry, Consumer, ModelPolicy } from "../contract/gateway/consumers.ts";
import type { RequiredPlugin } from "../contract/gateway/gateways.ts";
import type { Capability } from "../contract/gateway/registries.ts";
import type { Collector } from "../contract/guard/collectors.ts";
import type { GuardSettings } from "../contract/guard/guard-settings.ts";
import type { Role } from "../contract/roles.ts";
import type { BlockExpiries } from "../db/tables/blocked-subjects.ts";
import type { Egress } from "../net/egress.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { Provider, Upstream } from "../providers/provider.ts";

export interface GatewayView {
  id: string;
  slug: string;
  name: string;
  /** Enabled plugins, in the order they run. */
  plugins: readonly RequiredPlugin[];
  /** Guard of its principals, and of consumers that inherit it; null: none. */
  guard: GuardView | null;
}

/** A guard that is on. Its collector may have been deleted; requests are then rejected. */
export interface GuardView extends GuardSettings {
  collector_id: string;
}

export interface RegistryView {
  id: string;
  name: string;
  gateway_id: string;
  provider: Provider;
  upstream: Upstream;
  capabilities: ReadonlySet<Capability>;
  allow_private: boolean;
  /** Its own certificate authorities or proxy; undefined: those of the installation. */
  egress: Egress | undefined;
  /** Unix seconds. */
  created: number;
  enabled: boolean;
  /** Reason why it is unusable, such as a credential that cannot be decrypted. */
  problem: string | undefined;
}

export interface AttachedView {
  registry: RegistryView;
  weight: AttachedRegistry["weight"];
  models: ModelPolicy;
}

export interface ConsumerView {
  id: string;
  slug: string;
  name: string;
  active: boolean;
  gateway: GatewayView;
  /** In attach order, including disabled ones, which the explain endpoint lists. */
  registries: readonly AttachedView[];
  balancing: Consumer["balancing"];
  failover: Consumer["failover"];
  files_scope: Consumer["files_scope"];
  cors: Consumer["cors"];
  fallbacks: Consumer["fallbacks"];
  /** Its own guard, or that of its gateway; null: none. */
  guard: GuardView | null;
}

export interface KeyView {
  id: string;
  consumer: ConsumerView;
  /** Milliseconds; Infinity when it does not expire. */
  expires_at: number;
}

export interface TokenView {
  id: string;
  name: string;
  role: Role;
  /** null: every gateway. */
  gateway_ids: readonly string[] | null;
  principal_sub: string | null;
  expires_at: number;
}

/** Credential of an administrative request. */
export interface AdminCredential {
  token_hash: string;
  /** null: the token itself was sent, without a console session. */
  session_id: string | null;
}

/** Compiles the policy on first use; without `mode`, in its own. Throws if it cannot be compiled. */
export type ProgramView = (mode?: CompiledPolicy["mode"]) => CompiledPolicy;

export interface CollectorView
  extends Pick<
    Collector,
    "id" | "name" | "type" | "gateway_id" | "collector_key" | "fail_mode" | "content_storage"
  > {
  /** Milliseconds; 0 when it does not observe. */
  observe_until: number;
  /** undefined: no policy, so everything is allowed. */
  program: ProgramView | undefined;
  /** By the consumer_id of the evaluation. */
  overrides: ReadonlyMap<string, ProgramView>;
}

/** Times of expiry, by detector id and hash: the fingerprint of an exempt match, or the SHA-256 of an allowed passage. */
export type Exemptions = ReadonlyMap<string, ReadonlyMap<string, number>>;
/** Instead of a detector id, for every detector. */
export const EVERY_DETECTOR = "*";

/** A collector key or service client. */
export interface CollectorKeyView {
  id: string;
  collector: CollectorView;
  hash: string;
  expires_at: number;
  /** Revoked keys are included: they get another error than unknown keys (spec 7). */
  revoked: boolean;
}

export interface Snapshot {
  revision: number;
  /** Differs between any two states of the configuration. */
  config: string;
  /** Differs after the end of a session too. */
  state: string;
  gateways: ReadonlyMap<string, GatewayView>;
  registries: ReadonlyMap<string, RegistryView>;
  consumersBySlug: ReadonlyMap<string, ConsumerView>;
  /** Without revoked keys and tokens. */
  keysByHash: ReadonlyMap<string, KeyView>;
  tokensByHash: ReadonlyMap<string, TokenView>;
  /** Ids of console sessions that were signed out. */
  endedSessions: ReadonlySet<string>;
  collectors: ReadonlyMap<string, CollectorView>;
  collectorKeysByHash: ReadonlyMap<string, CollectorKeyView>;
  serviceClients: ReadonlyMap<string, CollectorKeyView>;
  /** The newest version of each policy. */
  policies: ReadonlyMap<string, ProgramView>;
  /** Including deleted ones that a pinned version contains. */
  disabledDetectors: ReadonlySet<string>;
  /** By policy id, for policies that have some. */
  exemptions: ReadonlyMap<string, Exemptions>;
  /** Subjects blocked by a rate limit. */
  blocks: BlockExpiries;
}

export const EMPTY_SNAPSHOT: Snapshot = {
  revision: -1,
  config: "",
  state: "",
  gateways: new Map(),
  registries: new Map(),
  consumersBySlug: new Map(),
  keysByHash: new Map(),
  tokensByHash: new Map(),
  endedSessions: new Set(),
  collectors: new Map(),
  collectorKeysByHash: new Map(),
  serviceClients: new Map(),
  policies: new Map(),
  disabledDetectors: new Set(),
  exemptions: new Map(),
  blocks: new Map(),
};
