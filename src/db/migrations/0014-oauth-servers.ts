/** Binds OAuth clients, flows and accounts to the authorization server they belong to (decision 0006). */
import type { Migration } from "./migration.ts";

export const oauthServers: Migration = {
  id: "0014-oauth-servers",
  sql: `
    -- Authorization servers of an instance: the one in use, one that the server advertises instead, earlier ones.
    CREATE TABLE oauth_servers (
      id           TEXT PRIMARY KEY,
      instance_id  TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      state        TEXT NOT NULL CHECK (state IN ('current', 'advertised', 'retired')),
      issuer       TEXT NOT NULL,
      -- Authorization server metadata (RFC 8414).
      metadata     TEXT NOT NULL,
      resource     TEXT,
      seen_at      TEXT NOT NULL,
      -- Null: used since the first sign-in, without a confirmation.
      confirmed_by TEXT,
      confirmed_at TEXT
    );
    CREATE INDEX oauth_servers_by_instance ON oauth_servers (instance_id);
    CREATE UNIQUE INDEX oauth_servers_current ON oauth_servers (instance_id) WHERE state = 'current';
    CREATE UNIQUE INDEX oauth_servers_advertised ON oauth_servers (instance_id) WHERE state = 'advertised';

    -- The gateway's OAuth client at an authorization server, one per redirect URI.
    CREATE TABLE oauth_registrations (
      id            TEXT PRIMARY KEY,
      server_id     TEXT NOT NULL REFERENCES oauth_servers (id) ON DELETE CASCADE,
      redirect_uri  TEXT NOT NULL,
      client_id     TEXT NOT NULL,
      -- Sealed; null: a public client, or one of an administrator, whose secret is in the instance.
      client_secret TEXT,
      -- An administrator registered it.
      own           BOOLEAN NOT NULL,
      -- Time at which the authorization server rejected the client as unknown.
      retired_at    TEXT,
      created_at    TEXT NOT NULL
    );
    CREATE INDEX oauth_registrations_by_server ON oauth_registrations (server_id);
    CREATE UNIQUE INDEX oauth_registrations_live ON oauth_registrations (server_id, redirect_uri)
      WHERE NOT own AND retired_at IS NULL;
    CREATE UNIQUE INDEX oauth_registrations_own ON oauth_registrations (server_id, redirect_uri, client_id)
      WHERE own;

    ALTER TABLE oauth_flows
      ADD COLUMN registration_id TEXT REFERENCES oauth_registrations (id) ON DELETE CASCADE;
    -- Null: the issuing authorization server is unknown, so the principal must connect again.
    ALTER TABLE store_credentials
      ADD COLUMN registration_id TEXT REFERENCES oauth_registrations (id) ON DELETE CASCADE;
    CREATE INDEX oauth_flows_by_registration ON oauth_flows (registration_id);
    CREATE INDEX store_credentials_by_registration ON store_credentials (registration_id);

    -- oauth_clients remains for running nodes of the previous release.
    INSERT INTO oauth_servers (id, instance_id, state, issuer, metadata, resource, seen_at)
      SELECT id, instance_id, 'current', issuer, metadata, resource, created_at FROM oauth_clients;
    INSERT INTO oauth_registrations (id, server_id, redirect_uri, client_id, client_secret, own, created_at)
      SELECT c.id, c.id, c.redirect_uri, c.client_id, c.client_secret,
        COALESCE(REPLACE(r.auth, '"client_id":"' || c.client_id || '"', '') <> r.auth, FALSE), c.created_at
      FROM oauth_clients c JOIN registries r ON r.id = c.instance_id;
    -- The client's row was rewritten whenever the issuer changed: an older account may belong to another issuer.
    UPDATE store_credentials SET registration_id = (
      SELECT c.id FROM oauth_clients c
      WHERE c.instance_id = store_credentials.instance_id AND c.created_at <= store_credentials.updated_at
    );
  `,
};
