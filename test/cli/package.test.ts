/** The packed npm package, installed and started in an empty folder. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { dependencies } from "../../package.json";

test("the packed package starts and serves requests outside of the repository", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-pack-"));
  await run(["npm", "pack", "--silent", "--pack-destination", dir], process.cwd());
  const [tarball = ""] = readdirSync(dir);
  mkdirSync(join(dir, "node_modules", "portcullis"), { recursive: true });
  await run(["tar", "xzf", tarball, "-C", "node_modules/portcullis", "--strip-components=1"], dir);
  // The dependencies as npm would hoist them, without downloading them again.
  const folders = Object.keys(dependencies).map((name) => name.split("/")[0] ?? name);
  for (const name of new Set([...folders, "scheduler", "@oven", ".bin"])) {
    symlinkSync(resolve("node_modules", name), join(dir, "node_modules", name));
  }

  const child = Bun.spawn(["node_modules/portcullis/bin/portcullis", "start", "--json"], {
    cwd: dir,
    env: {
      PATH: process.env.PATH ?? "",
      PORTCULLIS_LISTEN: "127.0.0.1:0",
      PORTCULLIS_DATA_DIR: join(dir, "data"),
    },
    stdout: "pipe",
  });
  const { value = "" } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  const { urls } = JSON.parse(value) as { urls: { admin: string } };
  const [ready, page] = await Promise.all([
    fetch(`${urls.admin}/readyz`),
    fetch(`${urls.admin}/console`),
  ]);
  const script = /src="\.\/([^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
  const bundle = await fetch(`${urls.admin}/console/${script}`);
  child.kill("SIGTERM");
  await child.exited;

  expect([ready.status, page.status, bundle.status]).toEqual([200, 200, 200]);
  const files = readdirSync(join(dir, "node_modules", "portcullis"));
  expect(files).toContain("NOTICE");
  expect(files).not.toContain("test");
  expect(files).not.toContain("bench");
  rmSync(dir, { recursive: true });
}, 60_000);

async function run(command: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(command, { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${err}`);
  return out;
}
