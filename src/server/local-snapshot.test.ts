import { expect, jest, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../db/db.ts";
import { migrate } from "../db/migrate.ts";
import { setInstallationFact } from "../db/tables/installation.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import { now } from "../lib/time/clock.ts";
import { loadSettings } from "../settings.ts";
import { openSnapshotStore, readLocalSnapshot } from "./local-snapshot.ts";

test("rows whose write failed do not replace newer ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-snapshot-"));
  const data = join(folder, "data");
  const settings = loadSettings({
    DATABASE_URL: "postgres://127.0.0.1/portcullis",
    PORTCULLIS_DATA_DIR: data,
  });
  const db = await openDb("sqlite::memory:");
  await migrate(db, now());
  await setInstallationFact(db, "created_at", now().toISOString());
  const keyring: Keyring = { current: "k", keys: new Map([["k", new Uint8Array(32)]]) };
  jest.useFakeTimers();
  try {
    // The folder appears when the first write has failed.
    const log = () => mkdirSync(data);
    const snapshots = openSnapshotStore(settings, { db, keyring: () => keyring, log, now });

    snapshots.store({ query: "old" });
    snapshots.store({ query: "new" });
    while (!existsSync(join(data, "snapshot"))) await new Promise(setImmediate);
    jest.advanceTimersByTime(10_000);
    await snapshots.stop();

    expect(readLocalSnapshot(settings, keyring)?.rows).toEqual({ query: "new" });
  } finally {
    jest.useRealTimers();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
