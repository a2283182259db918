/** Starts a private Postgres for a benchmark, with its default settings. */
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $, SQL } from "bun";
import { freePort, startProgram } from "./gateway/process.ts";

/** Returns its URL. Rejects where Postgres is not installed. */
export async function startPostgres(stack: AsyncDisposableStack): Promise<string> {
  const [installed] = (await $`ls -d /usr/lib/postgresql/*/bin`.nothrow().quiet().text())
    .trim()
    .split("\n")
    .toReversed();
  if (!installed) throw new Error("needs Postgres (Debian: apt-get install postgresql)");
  const folder = mkdtempSync(join(tmpdir(), "portcullis-postgres-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const as = await otherUser(folder);
  const data = join(folder, "data");
  await $`${as} ${join(installed, "initdb")} -D ${data} -U postgres -A trust -E UTF8`.quiet();
  const port = freePort();
  const words = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1"];
  const command = [...as, join(installed, "postgres"), ...words];
  await startProgram(stack, command, { port, log: `${folder}.log`, signal: "SIGINT" });
  stack.defer(() => rmSync(`${folder}.log`));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // It accepts connections before it is ready.
  for (const end = performance.now() + 30_000; !(await isReady(url)); ) {
    if (performance.now() > end) throw new Error("Postgres did not start within 30 s");
    await Bun.sleep(50);
  }
  return url;
}

async function isReady(url: string): Promise<boolean> {
  await using sql = new SQL(url, { max: 1 });
  return await sql.unsafe("SELECT 1").then(
    () => true,
    () => false,
  );
}

/**
 * Returns the prefix of a command that ends with this process, for a user other than root, as which Postgres does not run.
 */
async function otherUser(folder: string): Promise<string[]> {
  const prefix = ["setpriv", "--pdeathsig", "INT"];
  if (process.getuid?.() !== 0) return prefix;
  const uid = Number((await $`id -u postgres`.quiet().text()).trim());
  const gid = Number((await $`id -g postgres`.quiet().text()).trim());
  chownSync(folder, uid, gid);
  return [...prefix, "--reuid", String(uid), "--regid", String(gid), "--clear-groups"];
}
