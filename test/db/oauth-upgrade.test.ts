/** OAuth rows that the previous release wrote are bound to their authorization server by the migration. */
import { expect, test } from "bun:test";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const AT = "2026-01-02T00:00:00.000Z";

test.each(databaseKinds)(
  "accounts of the previous release keep their authorization server where it is known: %s",
  async (kind) => {
    await using database = await freshDatabase(kind);
    const db = await openDb(database.url);
    await migrate(db, new Date(AT), "0010-evaluation-texts");
    const insert = (table: string, row: Record<string, string | number | boolean | null>) => {
      const places = Object.keys(row).map((_, index) => `$${index + 1}`);
      const sql = `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`;
      return db.run(sql, ...Object.values(row));
    };
    await db.run(
      `INSERT INTO gateways (id, name, slug, required_plugins, metadata, version, created_at, updated_at)
       VALUES ('g', 'g', 'g', '[]', '{}', 1, $1, $1)`,
      AT,
    );
    const clients = { registered: null, own: "an-administrators" };
    for (const [id, client_id] of Object.entries(clients)) {
      await insert("registries", {
        id,
        gateway_id: "g",
        name: id,
        type: "mcp",
        provider: "mcp",
        provider_options: "{}",
        auth: JSON.stringify({ type: "forwarded", client_id, client_secret: null, scopes: [] }),
        enabled: true,
        allow_private: false,
        version: 1,
        created_at: AT,
        updated_at: AT,
      });
      await insert("oauth_clients", {
        id: `client-of-${id}`,
        instance_id: id,
        issuer: "https://login.example.com",
        metadata: '{"issuer":"https://login.example.com"}',
        client_id: client_id ?? "registered-there",
        client_secret: null,
        redirect_uri: "https://gateway.example.com/oauth/callback",
        resource: null,
        created_at: AT,
      });
    }
    const accounts = { alice: AT, bob: "2026-01-01T00:00:00.000Z" };
    for (const [principal_sub, updated_at] of Object.entries(accounts)) {
      await insert("store_credentials", {
        id: principal_sub,
        gateway_id: "g",
        principal_sub,
        instance_id: "registered",
        access_token: "sealed",
        refresh_token: null,
        account: "",
        scopes: "[]",
        expires_at: null,
        version: 1,
        created_at: updated_at,
        updated_at,
      });
    }

    await insert("principal_tokens", {
      id: "token-of-alice",
      gateway_id: "g",
      principal_sub: "alice",
      groups: "[]",
      name: "Laptop",
      hash: "hash",
      hint: "pp_…",
      created_at: AT,
    });
    await insert("issuers", {
      id: "company",
      gateway_id: "g",
      name: "Company",
      issuer: "https://login.example.com",
      audience: "gateway",
      jwks_url: "https://login.example.com/jwks",
      subject_claim: "sub",
      groups_claim: "groups",
      enabled: true,
      allow_private: false,
      version: 1,
      created_at: AT,
      updated_at: AT,
    });

    await migrate(db, new Date(AT));

    const bound = await db.many(
      "SELECT id, registration_id FROM store_credentials ORDER BY principal_sub",
    );
    const signIns = await db.many("SELECT sign_in FROM store_credentials ORDER BY principal_sub");
    const registrations = await db.many<{ client_id: string; own: unknown }>(
      "SELECT client_id, own FROM oauth_registrations ORDER BY client_id",
    );
    // Bob connected before the client was registered at the issuer that the row names.
    expect(bound).toEqual([
      { id: "alice", registration_id: "client-of-registered" },
      { id: "bob", registration_id: null },
    ]);
    expect(registrations.map(({ client_id, own }) => [client_id, Boolean(own)])).toEqual([
      ["an-administrators", true],
      ["registered-there", false],
    ]);
    expect(await db.many("SELECT state, issuer FROM oauth_servers")).toEqual([
      { state: "current", issuer: "https://login.example.com" },
      { state: "current", issuer: "https://login.example.com" },
    ]);
    // Alice had a token, which keeps the account. Bob had none: he signed in with the identity provider.
    expect(await db.many("SELECT sign_in FROM principal_tokens")).toEqual([
      { sign_in: "upgraded" },
    ]);
    const jwks_url = "https://login.example.com/jwks";
    expect(signIns).toEqual([
      { sign_in: "upgraded" },
      { sign_in: ["issuer", "https://login.example.com", "gateway", jwks_url, "sub"].join("\t") },
    ]);
    await db.close();
  },
);
