/** Sets up a new installation: the first owner token, and a demo gateway with a guard that needs no paid key. */
import { localActor, perform } from "../admin/perform.ts";
import { issueToken } from "../admin/tokens.ts";
import { createConsumerKey } from "../contract/gateway/consumer-keys.ts";
import { consumers } from "../contract/gateway/consumers.ts";
import { gateways } from "../contract/gateway/gateways.ts";
import { registries } from "../contract/gateway/registries.ts";
import type { TextOrigin } from "../contract/guard/actions.ts";
import { collectorKeys } from "../contract/guard/collector-keys.ts";
import { collectors } from "../contract/guard/collectors.ts";
import { detectors } from "../contract/guard/detectors.ts";
import { policies, type Rule } from "../contract/guard/policies.ts";
import { changeConfig, configRevision } from "../db/config-revision.ts";
import { adminTokenTable } from "../db/tables/admin-tokens.ts";
import { installationFact, setInstallationFact } from "../db/tables/installation.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, newSecret } from "../lib/crypto/secrets.ts";

/** Thresholds of the starter policy, measured in docs/detection.md. */
const ATTACK_THRESHOLD = 0.86;
const PLANTED_THRESHOLD = 0.65;

/** Reported instead of masked: an agent that replies to a mail needs its address. */
const REPORTED = ["email", "phone_number", "spanish_phone", "person_name"] as const;
const CONTACTS = { predefined_entities: REPORTED.map((entity) => ({ entity })) };
const VALUES = {
  predefined_entities: REPORTED.map((entity) => ({ entity, enabled: false })),
};

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

/**
 * Creates a starter policy: blocks attacks of users, withholds instructions in what tools return, masks secrets, cards and
 * national ids, and reports the rest. Tools need the values that they return to each other, so masks in their results can
 * be restored.
 */
async function createCollector(deps: Deps): Promise<{ id: string; name: string; key: string }> {
  const create = createWith(deps);
  const detector = async (name: string, kind: string, settings = {}) => {
    const { id } = await create<{ id: string }>(detectors.create, {
      body: { name, kind, settings },
    });
    return (action: Rule["action"], ...origins: TextOrigin[]) =>
      origins.length === 0 ? { detector_id: id, action } : { detector_id: id, action, origins };
  };
  const attacks = await detector("Prompt injections", "prompt_guard", {
    threshold: ATTACK_THRESHOLD,
  });
  const planted = await detector("Planted instructions", "indirect_prompt_injection", {
    threshold: PLANTED_THRESHOLD,
  });
  const values = await detector("Cards and national ids", "data_loss_prevention", VALUES);
  const toolValues = await detector("Cards and national ids in tools", "data_loss_prevention", {
    ...VALUES,
    reversible: true,
  });
  const secrets = await detector("Secrets", "secrets");
  const toolSecrets = await detector("Secrets in tools", "secrets", { reversible: true });
  const restored = await detector("Restored values", "restore_masks", { only_tool_calls: true });
  const contacts = await detector("Contact data", "data_loss_prevention", CONTACTS);
  const injections = await detector("Injections", "injection_protection");
  const hidden = await detector("Hidden text", "unicode");
  const links = await detector("Links", "url_analyzer");
  const attachments = await detector("Attachments", "doc_analyzer");
  const reports = [
    contacts("report", "user", "assistant", "tool_result", "document"),
    ...[injections, hidden, links, attachments].map((rule) => rule("report")),
  ];
  // A tool gets the values that were restored for it.
  const forTools = { field: "protocol", op: "eq", value: "mcp" };
  const forModels = { not: forTools };
  const policy = await create<{ id: string }>(policies.create, {
    body: {
      name: "Starter",
      input_rules: [
        attacks("block", "user"),
        attacks("report", "system", "tool_definition"),
        planted("withhold"),
        values("transform", "user", "document"),
        { ...toolValues("transform", "tool_result", "assistant"), when: forModels },
        secrets("transform", "user", "document"),
        { ...toolSecrets("transform", "tool_result", "assistant"), when: forModels },
        secrets("report", "system", "tool_definition"),
        { ...restored("transform"), when: forTools },
        { ...values("report", "assistant"), when: forTools },
        { ...secrets("report", "assistant"), when: forTools },
        ...reports,
      ],
      output_rules: [
        attacks("report", "tool_definition"),
        planted("withhold"),
        values("transform", "assistant_text"),
        toolValues("transform", "tool_result"),
        secrets("transform", "assistant_text"),
        toolSecrets("transform", "tool_result"),
        secrets("report", "tool_definition"),
        restored("transform"),
        ...reports,
      ],
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
