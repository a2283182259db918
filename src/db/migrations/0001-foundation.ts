/** Gateways, their registries, consumers and keys; administrator tokens; the audit log. */
import type { Migration } from "./migration.ts";

export const foundation: Migration = {
  id: "0001-foundation",
  sql: `
    -- One row with the configuration revision, so that nodes can detect changes.
    CREATE TABLE config_revision (
      id       INTEGER PRIMARY KEY CHECK (id = 1),
      revision INTEGER NOT NULL
    );
    INSERT INTO config_revision (id, revision) VALUES (1, 0);

    -- Key-value pairs about the installation, such as the value that verifies the encryption keys.
    CREATE TABLE installation (
      id    TEXT PRIMARY KEY,
      value TEXT NOT NULL
    );

    CREATE TABLE gateways (
      id               TEXT PRIMARY KEY,
      name             TEXT NOT NULL,
      slug             TEXT NOT NULL UNIQUE,
      required_plugins TEXT NOT NULL,
      metadata         TEXT NOT NULL,
      version          INTEGER NOT NULL,
      created_at       TEXT NOT NULL,
      updated_at       TEXT NOT NULL
    );

    CREATE TABLE registries (
      id               TEXT PRIMARY KEY,
      gateway_id       TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      name             TEXT NOT NULL,
      type             TEXT NOT NULL,
      provider         TEXT NOT NULL,
      provider_options TEXT NOT NULL,
      -- Secrets inside are sealed.
      auth             TEXT,
      capabilities     TEXT,
      enabled          BOOLEAN NOT NULL,
      allow_private    BOOLEAN NOT NULL,
      version          INTEGER NOT NULL,
      created_at       TEXT NOT NULL,
      updated_at       TEXT NOT NULL,
      UNIQUE (gateway_id, name)
    );

    CREATE TABLE consumers (
      id          TEXT PRIMARY KEY,
      gateway_id  TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      name        TEXT NOT NULL,
      -- Unique over all gateways: the slug alone identifies the consumer in the path.
      slug        TEXT NOT NULL UNIQUE,
      active      BOOLEAN NOT NULL,
      balancing   TEXT NOT NULL,
      failover    TEXT NOT NULL,
      files_scope TEXT NOT NULL,
      version     INTEGER NOT NULL,
      created_at  TEXT NOT NULL,
      updated_at  TEXT NOT NULL,
      UNIQUE (gateway_id, name)
    );

    CREATE TABLE consumer_registries (
      id          TEXT PRIMARY KEY,
      consumer_id TEXT NOT NULL REFERENCES consumers (id) ON DELETE CASCADE,
      registry_id TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      position    INTEGER NOT NULL,
      weight      INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 100),
      models      TEXT NOT NULL,
      UNIQUE (consumer_id, registry_id)
    );
    CREATE INDEX consumer_registries_by_registry ON consumer_registries (registry_id);

    CREATE TABLE consumer_keys (
      id           TEXT PRIMARY KEY,
      consumer_id  TEXT NOT NULL REFERENCES consumers (id) ON DELETE CASCADE,
      name         TEXT NOT NULL,
      -- SHA-256 of the key; the key itself is not stored.
      hash         TEXT NOT NULL UNIQUE,
      hint         TEXT NOT NULL,
      expires_at   TEXT,
      revoked_at   TEXT,
      last_used_at TEXT,
      created_at   TEXT NOT NULL
    );
    CREATE INDEX consumer_keys_by_consumer ON consumer_keys (consumer_id, id);

    CREATE TABLE admin_tokens (
      id           TEXT PRIMARY KEY,
      name         TEXT NOT NULL,
      role         TEXT NOT NULL,
      gateway_ids  TEXT,
      hash         TEXT NOT NULL UNIQUE,
      hint         TEXT NOT NULL,
      expires_at   TEXT,
      revoked_at   TEXT,
      last_used_at TEXT,
      created_at   TEXT NOT NULL
    );

    CREATE TABLE audit_log (
      id          TEXT PRIMARY KEY,
      at          TEXT NOT NULL,
      actor       TEXT NOT NULL,
      actor_id    TEXT,
      action      TEXT NOT NULL,
      resource    TEXT NOT NULL,
      resource_id TEXT NOT NULL,
      -- No foreign key: the record outlives the resource.
      gateway_id  TEXT,
      before      TEXT,
      after       TEXT,
      request_id  TEXT,
      trace_id    TEXT
    );
    CREATE INDEX audit_log_by_resource ON audit_log (resource, resource_id, id);
    CREATE INDEX audit_log_by_gateway ON audit_log (gateway_id, id);

    CREATE TABLE idempotent_replies (
      id           TEXT PRIMARY KEY,
      request_hash TEXT NOT NULL,
      -- Sealed: it may contain a key that is shown once.
      reply        TEXT NOT NULL,
      created_at   TEXT NOT NULL
    );
    CREATE INDEX idempotent_replies_by_age ON idempotent_replies (created_at);
  `,
};
