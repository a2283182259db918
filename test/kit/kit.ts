/** The whole program in this process, on free ports, with a database of its own. */
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../src/lib/log.ts";
import { type StartOptions, start } from "../../src/server/start.ts";
import { loadSettings } from "../../src/settings.ts";
import { adminClient } from "./admin-client.ts";
import { rejectStraySecrets } from "./reject-stray-secrets.ts";
import { type DatabaseKind, freshDatabase } from "./services.ts";

export const OWNER_TOKEN = "pa_test-owner-token-0123456789abcdef";

export type Kit = Awaited<ReturnType<typeof startKit>>;

export interface KitOptions extends StartOptions {
  database?: DatabaseKind;
  /** Share the database of another kit: two nodes of one installation. */
  database_url?: string;
  data_dir?: string;
  settings?: Record<string, string>;
}

export async function startKit({
  database = "sqlite",
  database_url: given_url,
  data_dir,
  settings: given = {},
  ...startOptions
}: KitOptions = {}) {
  const own = given_url ? undefined : await freshDatabase(database);
  const database_url = given_url ?? own?.url ?? "";
  const dir = data_dir ?? mkdtempSync(join(tmpdir(), "portcullis-kit-"));
  const lines: string[] = [];
  const settings = loadSettings({
    PORTCULLIS_LISTEN: "127.0.0.1:0",
    PORTCULLIS_DATA_DIR: dir,
    PORTCULLIS_ADMIN_TOKEN: OWNER_TOKEN,
    PORTCULLIS_DEMO: "false",
    DATABASE_URL: database_url,
    SHUTDOWN_TIMEOUT_S: "2",
    ...given,
  });
  const log = createLog({
    level: "debug",
    pretty: false,
    now: () => new Date(),
    write: (line) => lines.push(line),
  });
  const running = await start(settings, log, startOptions);
  const url = running.urls.admin ?? running.urls.gateway ?? "";

  const { call, make } = adminClient(url, OWNER_TOKEN);

  return {
    url,
    urls: running.urls,
    first: running.first,
    deps: running.deps,
    db: running.deps.db,
    database_url,
    data_dir: dir,
    /** Every log line so far. */
    lines,
    call,
    make,
    get: (path: string) => call("GET", path),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      call("POST", path, body, headers),
    put: (path: string, body: unknown, headers?: Record<string, string>) =>
      call("PUT", path, body, headers),
    delete: (path: string, headers?: Record<string, string>) =>
      call("DELETE", path, undefined, headers),
    async [Symbol.asyncDispose]() {
      try {
        await rejectStraySecrets(running.deps);
      } finally {
        await running.stop();
        if (!data_dir) rmSync(dir, { recursive: true, force: true });
        await own?.[Symbol.asyncDispose]();
      }
    },
  };
}

/** One kit for all tests of a file: started on first use, stopped after the last. */
export function sharedKit(options: KitOptions = {}): () => Promise<Kit> {
  let started: Promise<Kit> | undefined;
  afterAll(async () => {
    await (await started)?.[Symbol.asyncDispose]();
  });
  return () => {
    started ??= startKit(options);
    return started;
  };
}
