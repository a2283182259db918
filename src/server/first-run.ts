/** A new installation: the first owner token, and a demo gateway that answers without any paid key. */
import { localActor, perform } from "../admin/perform.ts";
import { issueToken } from "../admin/tokens.ts";
import { createConsumerKey } from "../contract/consumer-keys.ts";
import { consumers } from "../contract/consumers.ts";
import { gateways } from "../contract/gateways.ts";
import { registries } from "../contract/registries.ts";
import { adminTokenTable } from "../db/admin-tokens.ts";
import { changeConfig } from "../db/config-revision.ts";
import { installationFact, setInstallationFact } from "../db/installation.ts";
import type { Deps } from "../deps.ts";
import { newSecret } from "../lib/ids.ts";
import { secretHash } from "../lib/secret-hash.ts";

export interface FirstRun {
  admin_token: string;
  /** Absent when PORTCULLIS_DEMO is false. */
  demo?: { consumer: string; key: string };
}

/** Undefined when the installation is not new. Two nodes that start at once make one of each. */
export async function firstRun(deps: Deps): Promise<FirstRun | undefined> {
  if (await installationFact(deps.db, "created_at")) return undefined;
  return await changeConfig(deps.db, async (tx) => {
    if (await installationFact(tx, "created_at")) return undefined;
    const inside = { ...deps, db: tx };
    await setInstallationFact(tx, "created_at", deps.now().toISOString());
    const admin_token = await createOwner(inside);
    // A configuration file says what there is.
    const { PORTCULLIS_DEMO, PORTCULLIS_CONFIG } = deps.settings;
    if (!PORTCULLIS_DEMO || PORTCULLIS_CONFIG) return { admin_token };
    return { admin_token, demo: await createDemo(inside) };
  });
}

async function createOwner(deps: Deps): Promise<string> {
  const secret = deps.settings.PORTCULLIS_ADMIN_TOKEN ?? newSecret("pa_");
  // A configuration file may have made it already.
  if (await adminTokenTable.find(deps.db, { hash: secretHash(secret) })) return secret;
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
  return token;
}

async function createDemo(deps: Deps): Promise<{ consumer: string; key: string }> {
  const make = <Reply>(
    ...[endpoint, given]: [Parameters<typeof perform>[2], Parameters<typeof perform>[3]]
  ) => perform<Reply>(deps, localActor("first run"), endpoint, given);
  const gateway = await make<{ id: string }>(gateways.create, {
    body: { name: "Demo", slug: "demo" },
  });
  const params = { gateway_id: gateway.id };
  const registry = await make<{ id: string }>(registries.create, {
    params,
    body: { name: "Built-in demo", provider: "demo" },
  });
  const consumer = await make<{ id: string; slug: string }>(consumers.create, {
    params,
    body: {
      name: "Demo application",
      slug: "demo",
      registries: [{ id: registry.id, models: { default: "demo-chat" } }],
    },
  });
  const { key } = await make<{ key: string }>(createConsumerKey, {
    params: { ...params, consumer_id: consumer.id },
    body: { name: "First key" },
  });
  return { consumer: consumer.slug, key };
}
