/** A gateway with a Store of a few servers, made by the admin API. */
import { sealContextOf } from "../../src/db/sealed-columns.ts";
import { seal } from "../../src/lib/crypto/seal.ts";
import type { Kit } from "./kit.ts";

/** By code: what each server of the acceptance cases needs. */
const SERVERS: Record<string, object> = {
  pub: { auth: { type: "none" } },
  oauth: { auth: { type: "oauth" } },
  mail: { auth: { type: "oauth", registration: "manual" } },
  key: { auth: { type: "key" } },
  old: { auth: { type: "none" }, status: "hidden" },
  site: {
    url: "https://mcp.example.com/{site}/mcp",
    fields: [{ key: "site", in: "path", scope: "principal" }],
  },
};

/** Default options of an instance. */
const CREDENTIALS: Record<string, object> = {
  oauth: { type: "forwarded" },
  key: { type: "header", value: "Bearer shared" },
};

export type Store = Awaited<ReturnType<typeof startStore>>;
type Level = "none" | "request" | "install";

export async function startStore(kit: Kit, default_level: Level = "install") {
  const gateway = await kit.make("/v1/gateways", { name: "g", store: { default_level } });
  const path = `/v1/gateways/${gateway.id}`;
  for (const [code, more] of Object.entries(SERVERS)) {
    const url = "https://mcp.example.com/mcp";
    await kit.make(`${path}/store/catalog`, { code, name: `Server ${code}`, url, ...more });
  }
  /** Ids of instances by the names that the cases give them. */
  const ids = new Map<string, string>();
  const installs = `${path}/store/principal/installs`;
  const read = async <T>(at: string) => (await (await kit.get(at)).json()) as T;

  return {
    gateway,
    path,
    installs,
    /** An instance of a server. */
    async instance(code: string, name = "A", more: Record<string, unknown> = {}) {
      const { options = {}, ...own } = more as { options?: object };
      const auth = CREDENTIALS[code] ?? null;
      const provider_options = { code, url: "https://mcp.example.com/mcp", fields: [], ...options };
      const body = { name: `${name} ${code}`, type: "mcp", provider_options, auth, ...own };
      const made = await kit.make(`${path}/registries`, body);
      ids.set(name, made.id);
      return made;
    },
    id: (name: string) => ids.get(name) ?? name,
    nameOf: (id: string) => [...ids].find(([, one]) => one === id)?.[0] ?? (id ? "new" : ""),
    level: (level: Level) => kit.put(path, { store: { default_level: level } }),
    rule: (subject: string, level: Level, target = "all") => {
      const [subject_type, who] = subject.split(":");
      const [target_type, what] = target.split(":");
      return kit.make(`${path}/store/access-rules`, {
        subject_type,
        ...(who ? { subject: who } : {}),
        target_type,
        ...(what ? { target: what } : {}),
        level,
      });
    },
    install: (body: Record<string, unknown>) =>
      kit.post(installs, { principal_sub: "alice", ...body }),
    /** Creates an account in the vault, with sealed tokens by default. */
    async connect(name: string, more: Record<string, unknown> = {}) {
      const at = new Date().toISOString();
      const id = crypto.randomUUID();
      const context = sealContextOf("store_credentials.access_token", id);
      const instance_id = ids.get(name) ?? "";
      const [server_id, registration_id] = [crypto.randomUUID(), crypto.randomUUID()];
      await kit.db.run(
        `INSERT INTO oauth_servers (id, instance_id, state, issuer, metadata, seen_at)
         VALUES ($1, $2, 'retired', 'https://login.example.com', '{}', $3)`,
        server_id,
        instance_id,
        at,
      );
      await kit.db.run(
        `INSERT INTO oauth_registrations (id, server_id, redirect_uri, client_id, own, created_at)
         VALUES ($1, $2, '', 'client', $3, $4)`,
        registration_id,
        server_id,
        false,
        at,
      );
      const row: Record<string, unknown> = {
        id,
        gateway_id: gateway.id,
        principal_sub: "alice",
        instance_id,
        registration_id,
        sign_in: "a sign-in",
        access_token: seal(kit.deps.keyring(), context, "token"),
        refresh_token: null,
        account: "alice@example.com",
        scopes: "[]",
        expires_at: null,
        version: 1,
        created_at: at,
        updated_at: at,
        ...more,
      };
      const places = Object.keys(row).map((_, index) => `$${index + 1}`);
      await kit.db.run(
        `INSERT INTO store_credentials (${Object.keys(row)}) VALUES (${places})`,
        ...(Object.values(row) as string[]),
      );
    },
    installed: async () =>
      (await read<{ items: Record<string, unknown>[] }>(`${installs}?limit=200`)).items,
    requests: async (query = "") =>
      (
        await read<{ items: { id: string; [name: string]: unknown }[] }>(
          `${path}/store/requests${query}`,
        )
      ).items,
    audit: async (resource: string) =>
      (
        await read<{ items: { action: string; after: Record<string, unknown> | null }[] }>(
          `/v1/audit?gateway_id=${gateway.id}&resource=${resource}`,
        )
      ).items,
    /** Counts the rows that a call may create. */
    async counts() {
      const count = async (table: string, where = "") => {
        const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE gateway_id = $1 ${where}`;
        return Number((await kit.db.one<{ n: number }>(sql, gateway.id))?.n ?? 0);
      };
      return {
        instances: await count("registries"),
        installs: await count("store_installs"),
        requests: await count("store_requests", "AND state = 'pending'"),
      };
    },
  };
}
