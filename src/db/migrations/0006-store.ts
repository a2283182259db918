/** The MCP Store: catalog, access, installs, requests, principals, and the vault of their credentials. */
import type { Migration } from "./migration.ts";

export const store: Migration = {
  id: "0006-store",
  sql: `
    ALTER TABLE gateways ADD COLUMN store TEXT NOT NULL
      DEFAULT '{"default_level":"request","public_catalog":false}';
    -- Owner of the token: approvers cannot decide their own requests.
    ALTER TABLE admin_tokens ADD COLUMN principal_sub TEXT;

    -- Entries that a gateway adds to the shipped catalog or replaces in it.
    CREATE TABLE catalog_entries (
      id         TEXT PRIMARY KEY,
      gateway_id TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      code       TEXT NOT NULL,
      source     TEXT NOT NULL CHECK (source IN ('shipped', 'imported', 'custom')),
      entry      TEXT NOT NULL,
      updated_at TEXT NOT NULL,
      UNIQUE (gateway_id, code)
    );

    CREATE TABLE access_rules (
      id           TEXT PRIMARY KEY,
      gateway_id   TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      subject_type TEXT NOT NULL CHECK (subject_type IN ('user', 'group', 'everyone')),
      subject      TEXT NOT NULL,
      target_type  TEXT NOT NULL CHECK (target_type IN ('code', 'category', 'all')),
      target       TEXT NOT NULL,
      level        TEXT NOT NULL CHECK (level IN ('none', 'request', 'install')),
      version      INTEGER NOT NULL,
      created_at   TEXT NOT NULL,
      updated_at   TEXT NOT NULL,
      UNIQUE (gateway_id, subject_type, target_type, target, subject)
    );

    -- Known principals of a gateway with their last known groups.
    CREATE TABLE principals (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      groups        TEXT NOT NULL,
      seen_at       TEXT NOT NULL,
      UNIQUE (gateway_id, principal_sub)
    );

    CREATE TABLE principal_tokens (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      groups        TEXT NOT NULL,
      name          TEXT NOT NULL,
      -- SHA-256 of the token; the token itself is not stored.
      hash          TEXT NOT NULL UNIQUE,
      hint          TEXT NOT NULL,
      expires_at    TEXT,
      revoked_at    TEXT,
      last_used_at  TEXT,
      created_at    TEXT NOT NULL
    );
    CREATE INDEX principal_tokens_by_gateway ON principal_tokens (gateway_id, principal_sub);

    CREATE TABLE issuers (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      name          TEXT NOT NULL,
      issuer        TEXT NOT NULL,
      audience      TEXT NOT NULL,
      jwks_url      TEXT NOT NULL,
      subject_claim TEXT NOT NULL,
      groups_claim  TEXT NOT NULL,
      enabled       BOOLEAN NOT NULL,
      allow_private BOOLEAN NOT NULL,
      version       INTEGER NOT NULL,
      created_at    TEXT NOT NULL,
      updated_at    TEXT NOT NULL,
      UNIQUE (gateway_id, name),
      -- Unique over all gateways: both together identify the gateway of a token.
      UNIQUE (issuer, audience)
    );

    CREATE TABLE store_installs (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      code          TEXT NOT NULL,
      instance_id   TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      installed_by  TEXT NOT NULL,
      -- The principal's own values by field, each sealed.
      config        TEXT NOT NULL,
      -- Expiry of the approval that allows the install; null: none, or it never expires.
      ends_at       TEXT,
      created_at    TEXT NOT NULL,
      UNIQUE (gateway_id, principal_sub, instance_id)
    );
    CREATE INDEX store_installs_by_instance ON store_installs (instance_id);

    CREATE TABLE store_requests (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      code          TEXT NOT NULL,
      -- No foreign key: the record outlives the instance.
      instance_id   TEXT,
      -- Stored only if an approver decides the request (spec 4.1.5).
      reason        TEXT CHECK (reason IS NULL OR state IN ('pending', 'approved', 'rejected')),
      groups        TEXT NOT NULL,
      state         TEXT NOT NULL CHECK (state IN
        ('pending', 'approved', 'rejected', 'cancelled', 'expired', 'superseded')),
      decided_by    TEXT,
      decision_note TEXT,
      created_at    TEXT NOT NULL,
      decided_at    TEXT,
      expires_at    TEXT NOT NULL
    );
    CREATE UNIQUE INDEX store_requests_open
      ON store_requests (gateway_id, principal_sub, code, COALESCE(instance_id, ''))
      WHERE state = 'pending';
    CREATE INDEX store_requests_by_age ON store_requests (gateway_id, state, created_at);

    -- Installs that an approval allows beyond the access level.
    CREATE TABLE store_grants (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      code          TEXT NOT NULL,
      instance_id   TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      approved_by   TEXT NOT NULL,
      expires_at    TEXT,
      created_at    TEXT NOT NULL,
      UNIQUE (gateway_id, principal_sub, instance_id)
    );
    CREATE INDEX store_grants_by_instance ON store_grants (instance_id);

    -- The account of a principal at an instance. Two instances of one server can have two accounts.
    CREATE TABLE store_credentials (
      id            TEXT PRIMARY KEY,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      instance_id   TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      -- Sealed.
      access_token  TEXT NOT NULL,
      -- Sealed; null: when the access token expires, the principal must connect again.
      refresh_token TEXT,
      account       TEXT NOT NULL,
      scopes        TEXT NOT NULL,
      expires_at    TEXT,
      -- Counts writes, so that a refresh that lost a race can detect it.
      version       INTEGER NOT NULL,
      created_at    TEXT NOT NULL,
      updated_at    TEXT NOT NULL,
      UNIQUE (gateway_id, principal_sub, instance_id)
    );
    CREATE INDEX store_credentials_by_instance ON store_credentials (instance_id);

    -- The gateway's OAuth client at the authorization server of an instance, discovered or registered.
    CREATE TABLE oauth_clients (
      id            TEXT PRIMARY KEY,
      instance_id   TEXT NOT NULL UNIQUE REFERENCES registries (id) ON DELETE CASCADE,
      issuer        TEXT NOT NULL,
      -- Authorization server metadata (RFC 8414).
      metadata      TEXT NOT NULL,
      client_id     TEXT NOT NULL,
      -- Sealed; null: a public client.
      client_secret TEXT,
      redirect_uri  TEXT NOT NULL,
      resource      TEXT,
      created_at    TEXT NOT NULL
    );

    -- Pending OAuth authorizations: single-use, valid for ten minutes.
    CREATE TABLE oauth_flows (
      id            TEXT PRIMARY KEY,
      -- SHA-256 of the state parameter.
      state_hash    TEXT NOT NULL UNIQUE,
      gateway_id    TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      principal_sub TEXT NOT NULL,
      instance_id   TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      -- Sealed.
      code_verifier TEXT NOT NULL,
      expires_at    TEXT NOT NULL,
      created_at    TEXT NOT NULL
    );
    CREATE INDEX oauth_flows_by_end ON oauth_flows (expires_at);
    CREATE INDEX oauth_flows_by_instance ON oauth_flows (instance_id);

    -- The accepted definition of a tool, and the current one if it differs.
    CREATE TABLE pinned_tools (
      id            TEXT PRIMARY KEY,
      instance_id   TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      name          TEXT NOT NULL,
      hash          TEXT NOT NULL,
      definition    TEXT NOT NULL,
      -- Both null: nothing is held back.
      held_hash     TEXT,
      held_definition TEXT,
      accepted_by   TEXT NOT NULL,
      accepted_at   TEXT NOT NULL,
      seen_at       TEXT NOT NULL,
      UNIQUE (instance_id, name)
    );
  `,
};
