/** Brings in what the benchmark compares with: Debian's nginx, HAProxy and wrk, and Portkey from npm. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installFromNpm } from "../../test/kit/install-from-npm.ts";

export interface Tools {
  nginx: string;
  haproxy: string;
  wrk: string;
  node: string;
  portkey: string;
}

export async function installTools(): Promise<Tools> {
  const missing = ["nginx", "haproxy", "wrk"].filter((name) => !find(name));
  if (missing.length) await installPackages(missing);
  const portkey = await installPortkey();
  return {
    nginx: found("nginx"),
    haproxy: found("haproxy"),
    wrk: found("wrk"),
    node: found("node"),
    portkey,
  };
}

/** Debian keeps servers in a folder that is not in everyone's PATH. */
const find = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });

function found(name: string): string {
  const path = find(name);
  if (!path) throw new Error(`There is no program ${name}.`);
  return path;
}

async function installPackages(names: string[]): Promise<void> {
  if (process.getuid?.() !== 0 || !find("apt-get")) {
    const list = names.join(" ");
    throw new Error(`Install ${list} first (Debian: sudo apt-get install ${list}).`);
  }
  console.error(`Installing ${names.join(", ")} …`);
  // Debian starts a server as soon as it is installed, unless this file forbids it.
  const policy = "/usr/sbin/policy-rc.d";
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    const apt = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120"];
    // A source that is out of reach need not be the one that has these packages.
    await command([...apt, "update"]).catch(() => {});
    await command([...apt, "install", "-y", "--no-install-recommends", ...names]);
  } finally {
    if (ours) rmSync(policy);
  }
}

/** With its own version ranges, a new installation of this release returns 500 for streams. */
const PORTKEY = {
  "@portkey-ai/gateway": "1.15.2",
  hono: "4.9.7",
  "@hono/node-server": "1.13.5",
  "@hono/node-ws": "1.2.0",
};

export const PORTKEY_VERSION = PORTKEY["@portkey-ai/gateway"];

async function installPortkey(): Promise<string> {
  const folder = await installFromNpm("portcullis-bench", PORTKEY);
  return join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
}

async function command(words: string[]): Promise<void> {
  const child = Bun.spawn(words, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}:\n${errors}`);
}
