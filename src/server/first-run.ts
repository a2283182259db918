/** Sets up a new installation: the first owner token, and a demo gateway with a guard that needs no paid key. */
import { localActor, perform } from "../admin/perform.ts";
import { issueToken } from "../admin/tokens.ts";
import { createConsumerKey } from "../contract/gateway/consumer-keys.ts";
import { consumers } from "../contract/gateway/consumers.ts";
import { gateways } from "../contract/gateway/gateways.ts";
import { registries } from "../contract/gateway/registries.ts";
import { collectorKeys } from "../contract/guard/collector-keys.ts";
import { collectors } from "../contract/guard/collectors.ts";
import { detectors } from "../contract/guard/detectors.ts";
import { policies } from "../contract/guard/policies.ts";
import { changeConfig, configRevision } from "../db/config-revision.ts";
import { adminTokenTable } from "../db/tables/admin-tokens.ts";
import { installationFact, setInstallationFact } from "../db/tables/installation.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, newSecret } from "../lib/crypto/secrets.ts";

export interface FirstRun {
  /** null: PORTCULLIS_ADMIN_TOKEN is set. It is not printed, since the output may be logged. */
  admin_token: string | null;
  /** Absent when PORTCULLIS_DEMO is false. */
  demo?: { consumer: string; key: string; collector: { name: string; key: string } };
}

/** Returns undefined when the installation is not new. Two nodes that start together create one of each. */
export async function setUpFirstRun(deps: Deps): Promise<FirstRun | undefined> {
  if (await installationFact(deps.db, "created_at")) return undefined;
  const configured = (await configRevision(deps.db)) > 0;
  return await changeConfig(deps.db, async (tx) => {
    if (await installationFact(tx, "created_at")) return undefined;
    const inside = { ...deps, db: tx };
    await setInstallationFact(tx, "created_at", deps.now().toISOString());
    const admin_token = await createOwner(inside);
    // The configuration file, or one that was applied before, defines the resources.
    const { PORTCULLIS_DEMO, PORTCULLIS_CONFIG } = deps.settings;
    if (!PORTCULLIS_DEMO || PORTCULLIS_CONFIG || configured) return { admin_token };
    const { id, ...collector } = await createCollector(inside);
    return { admin_token, demo: { ...(await createGateway(inside, id)), collector } };
  });
}

async function createOwner(deps: Deps): Promise<string | null> {
  const { PORTCULLIS_ADMIN_TOKEN: given } = deps.settings;
  const secret = given ?? newSecret("pa_");
  // A configuration file may have created it already.
  if (await adminTokenTable.find(deps.db, { hash: hashSecret(secret) })) return null;
  const ids = { request_id: deps.newId(), trace_id: deps.newId() };
  const call = { actor: localActor("first run"), ...ids };
  const input = {
    name: "First owner",
    role: "owner",
    gateway_ids: null,
    expires_at: null,
    principal_sub: null,
  } as const;
  const { token } = await issueToken(deps, call, input, secret);
  return given === undefined ? token : null;
}

type Create = <Reply>(
  ...[endpoint, given]: [Parameters<typeof perform>[2], Parameters<typeof perform>[3]]
) => Promise<Reply>;

const createWith =
  (deps: Deps): Create =>
  (endpoint, given) =>
    perform(deps, localActor("first run"), endpoint, given);

async function createGateway(
  deps: Deps,
  collector_id: string,
): Promise<{ consumer: string; key: string }> {
  const create = createWith(deps);
  const gateway = await create<{ id: string }>(gateways.create, {
    body: { name: "Demo", slug: "demo", guard: { collector_id } },
  });
  const params = { gateway_id: gateway.id };
  const registry = await create<{ id: string }>(registries.create, {
    params,
    body: { name: "Built-in demo", provider: "demo" },
  });
  const consumer = await create<{ id: string; slug: string }>(consumers.create, {
    params,
    body: {
      name: "Demo application",
      slug: "demo",
      registries: [{ id: registry.id, models: { default: "demo-chat" } }],
    },
  });
  const { key } = await create<{ key: string }>(createConsumerKey, {
    params: { ...params, consumer_id: consumer.id },
    body: { name: "First key" },
  });
  return { consumer: consumer.slug, key };
}

/** Creates a starter policy: masks what can be masked, blocks injections, reports the rest. */
async function createCollector(deps: Deps): Promise<{ id: string; name: string; key: string }> {
  const create = createWith(deps);
  const rule = async (name: string, kind: string, action: string, settings = {}) => {
    const body = { name, kind, settings };
    const { id } = await create<{ id: string }>(detectors.create, { body });
    return { detector_id: id, action };
  };
  const personal = await rule("Personal data", "data_loss_prevention", "transform");
  const secrets = await rule("Secrets", "secrets", "transform");
  const injections = await rule("Injections", "injection_protection", "block");
  const attacks = await rule("Prompt injections", "prompt_guard", "block", {
    level: "permissive",
  });
  const planted = await rule("Planted instructions", "indirect_prompt_injection", "block", {
    level: "permissive",
  });
  const hidden = await rule("Hidden text", "unicode", "report");
  const links = await rule("Links", "url_analyzer", "report");
  const attachments = await rule("Attachments", "doc_analyzer", "report");
  const policy = await create<{ id: string }>(policies.create, {
    body: {
      name: "Starter",
      input_rules: [injections, attacks, planted, personal, secrets, hidden, links, attachments],
      output_rules: [attacks, planted, personal, secrets, hidden, links, attachments],
    },
  });
  const name = "Demo application";
  const collector = await create<{ id: string }>(collectors.create, {
    body: { name, default_policy_id: policy.id },
  });
  const { key } = await create<{ key: string }>(collectorKeys.create, {
    params: { collector_id: collector.id },
    body: { name: "First key" },
  });
  return { id: collector.id, name, key };
}
