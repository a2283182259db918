/** The admin API and the console with a million requests and a million evaluations, on SQLite and Postgres. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { analyzeTables } from "../src/db/analyze-tables.ts";
import { type RunningServer, start } from "../src/server/start.ts";
import { loadSettings } from "../src/settings.ts";
import { adminClient } from "../test/kit/admin-client.ts";
import { atMost, type Check } from "./checks.ts";
import { type SeededIds, seedEvents } from "./console/seed-events.ts";
import { startPostgres } from "./start-postgres.ts";

/** Less for a quick run: `BENCH_EVENTS=100000 npm run bench -- console`. */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 1_000_000);
const MAX_MS = 500;
const ROUNDS = 5;
const TOKEN = "pa_bench-owner-token-0123456789abcdef";

export async function run(): Promise<readonly Check[]> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const checks = await measure("SQLite", `sqlite://${join(folder, "portcullis.db")}`);
  const postgres = await startPostgres(stack).catch((thrown: Error) => thrown);
  if (postgres instanceof Error) console.log(`\nSkipped: Postgres (${postgres.message}).`);
  else checks.push(...(await measure("Postgres", postgres)));
  return checks;
}

async function measure(kind: string, database_url: string): Promise<Check[]> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  const settings = loadSettings({
    PORTCULLIS_LISTEN: "127.0.0.1:0",
    PORTCULLIS_DATA_DIR: folder,
    PORTCULLIS_ADMIN_TOKEN: TOKEN,
    PORTCULLIS_DEMO: "true",
    DATABASE_URL: database_url,
  });
  const server = await start(settings, () => {});
  try {
    const ids = await makeResources(server);
    const began = performance.now();
    await seedEvents(server.deps.db, ids, EVENTS);
    await analyzeTables(server.deps.db);
    // Autovacuum would do so within minutes.
    if (server.deps.db.dialect === "postgres") await server.deps.db.run("VACUUM ANALYZE");
    const seconds = Math.round((performance.now() - began) / 1000);
    console.log(`${kind}: ${EVENTS.toLocaleString()} events of each kind in ${seconds} s\n`);
    const rows = [...(await measureCalls(server, ids)), ...(await measurePages(server, ids))];
    console.log("| | median ms | slowest ms |\n|---|--:|--:|");
    return rows.map(({ what, times }) => {
      const sorted = times.toSorted((one, other) => one - other);
      const [median = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
      console.log(`| ${what} | ${Math.round(median)} | ${Math.round(slowest)} |`);
      return atMost(`${kind}: ${what}`, median, { max: MAX_MS, unit: "ms", digits: 0 });
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function makeResources({ urls }: RunningServer): Promise<SeededIds> {
  const { make } = adminClient(urls.admin ?? "", TOKEN);
  const gateway = await make("/v1/gateways", { name: "Shop" });
  const path = `/v1/gateways/${gateway.id}`;
  const makeMany = (kind: string, count: number, fields: object) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const { id } = await make(`${path}/${kind}`, { name: `${kind} ${index}`, ...fields });
        return id;
      }),
    );
  const registry_ids = await makeMany("registries", 5, { provider: "demo" });
  const consumer_ids = await makeMany("consumers", 20, { registries: [{ id: registry_ids[0] }] });
  const policy = await make("/v1/policies", { name: "Default" });
  const detector = await make("/v1/detectors", { name: "Cards", kind: "data_loss_prevention" });
  const collector = await make("/v1/collectors", { name: "Shop", default_policy_id: policy.id });
  return {
    gateway_id: gateway.id,
    consumer_ids,
    registry_ids,
    policy_id: policy.id,
    detector_id: detector.id,
    collector_id: collector.id,
  };
}

interface Timed {
  what: string;
  times: number[];
}

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

async function measureCalls({ urls }: RunningServer, ids: SeededIds): Promise<Timed[]> {
  const { call } = adminClient(urls.admin ?? "", TOKEN);
  const gateway = `/v1/gateways/${ids.gateway_id}`;
  const requests = `${gateway}/requests`;
  const [consumer_id, registry_id] = [ids.consumer_ids[3], ids.registry_ids[3]];
  const week = `from=${ago(24 * 7)}`;
  const paths = {
    "requests, all": requests,
    "requests of a consumer": `${requests}?consumer_id=${consumer_id}`,
    "requests of a registry": `${requests}?registry_id=${registry_id}`,
    "requests of a user": `${requests}?user_id=person-7`,
    "requests with errors": `${requests}?status_class=errors`,
    "requests without a match": `${requests}?error_code=nothing`,
    "requests of a trace": `${requests}?trace_id=00000000000000000000000000000001`,
    "requests, a range of 3 days ago": `${requests}?from=${ago(80)}&to=${ago(72)}`,
    "statistics, 24 hours": `${gateway}/statistics`,
    "statistics, 7 days": `${gateway}/statistics?${week}`,
    "statistics of a consumer, 7 days": `${gateway}/statistics?${week}&consumer_id=${consumer_id}`,
    "activity, all": "/v1/activity",
    "activity, blocked": "/v1/activity?status=block",
    "activity of a person": "/v1/activity?consumer_id=person-7",
    "activity of an application": "/v1/activity?application=till",
    "activity of a detector": `/v1/activity?detector=${ids.detector_id}`,
    "activity, two filters": `/v1/activity?status=block&direction=output`,
    "activity of a trace": "/v1/activity?trace_id=00000000000000000000000000000001",
    "activity, text without a match": "/v1/activity?q=nothing",
    "activity counts, 1 hour": `/v1/activity/counts?from=${ago(1)}`,
    "activity counts, 24 hours": "/v1/activity/counts",
    "activity counts, 7 days": `/v1/activity/counts?${week}`,
    "activity counts, blocked, 7 days": `/v1/activity/counts?${week}&status=block`,
    "activity statistics, 24 hours": "/v1/activity/statistics",
    "activity statistics, 7 days": `/v1/activity/statistics?${week}`,
  };
  const timed: Timed[] = [];
  for (const [what, path] of Object.entries(paths)) {
    const times = await repeat(async () => {
      const began = performance.now();
      const reply = await call("GET", path);
      if (!reply.ok) throw new Error(`GET ${path}: ${reply.status} ${await reply.text()}`);
      await reply.arrayBuffer();
      return performance.now() - began;
    });
    timed.push({ what: `API ${what}`, times });
  }
  return timed;
}

async function measurePages({ urls }: RunningServer, ids: SeededIds): Promise<Timed[]> {
  const root = urls.admin ?? "";
  const gateway = `/gateways/${ids.gateway_id}`;
  const paths = [
    "/",
    "/?range=7d",
    `${gateway}/requests`,
    `${gateway}/requests?range=7d&status_class=errors`,
    `${gateway}/registries`,
    `${gateway}/consumers`,
    `${gateway}/playground`,
    `${gateway}/store`,
    "/activity",
    "/activity?range=24h",
    "/activity?range=7d&status=block",
    "/policies",
    "/detectors",
    "/collectors",
    "/approvals",
    "/models",
    "/tokens",
    "/audit",
  ];
  const flags = ["--no-sandbox", "--disable-gpu"];
  const executablePath = Bun.which("chromium") ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    const page = await browser.newPage();
    await page.goto(`${root}/console`);
    await page.getByLabel(/token/i).fill(TOKEN);
    await page.keyboard.press("Enter");
    await page.locator("h1", { hasText: "Home" }).waitFor();
    await page.goto(`${root}/console${gateway}/requests`); // selects the gateway
    await page.locator("h1").waitFor();
    const timed: Timed[] = [];
    for (const path of paths) {
      const times = await repeat(async () => {
        await page.evaluate(followLink, `${root}/console/nowhere`);
        await page.locator("h1", { hasText: "Not found" }).waitFor();
        const began = performance.now();
        await page.evaluate(followLink, `${root}/console${path}`);
        await page.locator("h1:not(:text('Not found'))").waitFor();
        await page.locator("body:not(:has([aria-busy=true], .loading))").waitFor();
        return performance.now() - began;
      });
      timed.push({ what: `page ${path.replace(ids.gateway_id, "…")}`, times });
    }
    return timed;
  } finally {
    await browser.close();
  }
}

/** Runs in the page: follows a link of the console. */
function followLink(url: string): void {
  history.pushState(null, "", url);
  dispatchEvent(new PopStateEvent("popstate"));
}

/** Returns the duration of each round; the first, which fills caches, is not counted. */
async function repeat(work: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const ms = await work();
    if (round > 0) times.push(ms);
  }
  return times;
}
