import { expect, test } from "bun:test";
import { hashSecret } from "../lib/crypto/secrets.ts";
import { findConsumer } from "./find-consumer.ts";
import { type ConsumerView, EMPTY_SNAPSHOT } from "./snapshot.ts";

const ENDS_MS = 1_700_000_000_000;
const consumer: ConsumerView = {
  id: "c",
  slug: "team",
  name: "Team",
  active: true,
  gateway: { id: "g", slug: "gate", name: "G", plugins: [], guard: null },
  registries: [],
  balancing: { algorithm: "round_robin" },
  failover: { enabled: true, max_attempts: 3, max_total_ms: 1000, resend_billable: false },
  files_scope: "shared",
  cors: { origins: [] },
  fallbacks: [],
  guard: null,
};
const snapshot = {
  ...EMPTY_SNAPSHOT,
  consumersBySlug: new Map([["team", consumer]]),
  keysByHash: new Map([[hashSecret("ag_key"), { id: "k", consumer, expires_at: ENDS_MS }]]),
};
const at = (ms: number) => () =>
  findConsumer(snapshot, {
    slug: "team",
    headers: new Headers({ "x-ag-api-key": "ag_key" }),
    at: new Date(ms),
    needs_gateway: false,
    keyring: () => ({ current: "", keys: new Map() }),
  });

test("a key works until the millisecond in which it expires, and not in it", () => {
  expect(at(ENDS_MS - 1)()).toMatchObject({ key: { id: "k" } });
  expect(at(ENDS_MS)).toThrow("expired");
});
