/** Detectors, policies and their versions, collectors and their keys, evaluations, approvals, pseudonyms. */
import type { Migration } from "./migration.ts";

const STORED = `
      version    INTEGER NOT NULL,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL`;

const KEY = `
      id           TEXT PRIMARY KEY,
      collector_id TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      name         TEXT NOT NULL,
      hash         TEXT NOT NULL UNIQUE,
      hint         TEXT NOT NULL,
      expires_at   TEXT,
      revoked_at   TEXT,
      last_used_at TEXT,
      created_at   TEXT NOT NULL`;

export const guard: Migration = {
  id: "0005-guard",
  sql: `
    CREATE TABLE detectors (
      id         TEXT PRIMARY KEY,
      name       TEXT NOT NULL UNIQUE,
      kind       TEXT NOT NULL,
      settings   TEXT NOT NULL,
      enabled    BOOLEAN NOT NULL,${STORED}
    );
    CREATE TABLE policies (
      id           TEXT PRIMARY KEY,
      name         TEXT NOT NULL UNIQUE,
      mode         TEXT NOT NULL,
      gates        TEXT NOT NULL,
      input_rules  TEXT NOT NULL,
      output_rules TEXT NOT NULL,${STORED}
    );
    -- Immutable. The number is the policy's version.
    CREATE TABLE policy_versions (
      id         TEXT PRIMARY KEY,
      policy_id  TEXT NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
      number     INTEGER NOT NULL,
      document   TEXT NOT NULL,
      reason     TEXT NOT NULL,
      actor      TEXT NOT NULL,
      created_at TEXT NOT NULL,
      UNIQUE (policy_id, number)
    );
    CREATE TABLE collectors (
      id                     TEXT PRIMARY KEY,
      name                   TEXT NOT NULL UNIQUE,
      type                   TEXT NOT NULL,
      gateway_id             TEXT REFERENCES gateways (id) ON DELETE CASCADE,
      collector_key          TEXT NOT NULL UNIQUE,
      default_policy_id      TEXT REFERENCES policies (id),
      default_policy_version INTEGER,
      fail_mode              TEXT NOT NULL,
      content_storage        TEXT NOT NULL,
      retention_days         INTEGER NOT NULL,${STORED}
    );
    CREATE INDEX collectors_by_gateway ON collectors (gateway_id);
    CREATE TABLE collector_keys (${KEY}
    );
    CREATE INDEX collector_keys_by_collector ON collector_keys (collector_id);
    CREATE TABLE service_clients (${KEY}
    );
    CREATE INDEX service_clients_by_collector ON service_clients (collector_id);
    CREATE TABLE policy_overrides (
      id             TEXT PRIMARY KEY,
      collector_id   TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      consumer_id    TEXT NOT NULL,
      policy_id      TEXT NOT NULL REFERENCES policies (id),
      policy_version INTEGER,
      created_at     TEXT NOT NULL,
      UNIQUE (collector_id, consumer_id)
    );
    -- Ids begin with the time, so the primary key is also the order of Activity. No foreign keys:
    -- an event outlives its resources.
    CREATE TABLE evaluation_events (
      id              TEXT PRIMARY KEY,
      time            TEXT NOT NULL,
      trace_id        TEXT NOT NULL,
      collector_id    TEXT NOT NULL,
      collector_name  TEXT NOT NULL,
      gateway_id      TEXT,
      policy_id       TEXT,
      policy_name     TEXT,
      policy_version  INTEGER,
      policy_mode     TEXT,
      consumer_id     TEXT,
      session_id      TEXT,
      direction       TEXT NOT NULL,
      protocol        TEXT NOT NULL,
      application     TEXT,
      model           TEXT,
      tool            TEXT,
      status          TEXT NOT NULL,
      findings        TEXT NOT NULL,
      detectors       TEXT NOT NULL,
      attributes      TEXT NOT NULL,
      client_address  TEXT NOT NULL,
      user_agent      TEXT,
      latency_ms      DOUBLE PRECISION NOT NULL,
      content_storage TEXT NOT NULL
    );
    CREATE INDEX evaluation_events_by_collector ON evaluation_events (collector_id, id);
    CREATE INDEX evaluation_events_by_policy ON evaluation_events (policy_id, id);
    -- Partial indexes: values that most rows have are excluded.
    CREATE INDEX evaluation_events_by_consumer ON evaluation_events (consumer_id, id)
      WHERE consumer_id IS NOT NULL;
    CREATE INDEX evaluation_events_by_session ON evaluation_events (session_id, id)
      WHERE session_id IS NOT NULL;
    CREATE INDEX evaluation_events_by_application ON evaluation_events (application, id)
      WHERE application IS NOT NULL;
    CREATE INDEX evaluation_events_by_status ON evaluation_events (status, id)
      WHERE status <> 'allow';
    CREATE INDEX evaluation_events_by_protocol ON evaluation_events (protocol, id)
      WHERE protocol <> 'llm';
    CREATE INDEX evaluation_events_by_direction ON evaluation_events (direction, id)
      WHERE direction <> 'input';
    CREATE INDEX evaluation_events_by_trace ON evaluation_events (trace_id);
    -- Which detectors and gates fired, to find events by them.
    CREATE TABLE evaluation_findings (
      source   TEXT NOT NULL,
      event_id TEXT NOT NULL REFERENCES evaluation_events (id) ON DELETE CASCADE,
      PRIMARY KEY (source, event_id)
    );
    CREATE INDEX evaluation_findings_by_event ON evaluation_findings (event_id);
    -- Separate from the events, so that scans of events stay fast.
    CREATE TABLE evaluation_contents (
      id     TEXT PRIMARY KEY REFERENCES evaluation_events (id) ON DELETE CASCADE,
      places TEXT NOT NULL,
      texts  TEXT NOT NULL
    );
    CREATE TABLE approvals (
      id             TEXT PRIMARY KEY,
      collector_id   TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      policy_id      TEXT NOT NULL,
      policy_version INTEGER NOT NULL,
      asked_by       TEXT NOT NULL,
      -- Keyed hash of the evaluated request, which the approval covers.
      fingerprint    TEXT NOT NULL,
      consumer_id    TEXT,
      session_id     TEXT,
      application    TEXT,
      tool           TEXT,
      event_id       TEXT NOT NULL,
      status         TEXT NOT NULL,
      note           TEXT,
      decided_by     TEXT,
      decided_at     TEXT,
      expires_at     TEXT NOT NULL,
      created_at     TEXT NOT NULL
    );
    CREATE INDEX approvals_by_status ON approvals (status, created_at);
    CREATE INDEX approvals_by_fingerprint ON approvals (collector_id, fingerprint);
    -- The sealed original value of each pseudonym of a session.
    CREATE TABLE pseudonyms (
      id           TEXT PRIMARY KEY,
      collector_id TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      session_hash TEXT NOT NULL,
      pseudonym    TEXT NOT NULL,
      original     TEXT NOT NULL,
      expires_at   TEXT NOT NULL,
      UNIQUE (session_hash, pseudonym)
    );
    CREATE INDEX pseudonyms_by_expiry ON pseudonyms (expires_at);
  `,
};
