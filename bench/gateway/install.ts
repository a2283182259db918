/** Installs the programs that every run needs: Debian's nginx, HAProxy and wrk. */
import { existsSync, rmSync, writeFileSync } from "node:fs";

export interface Tools {
  nginx: string;
  haproxy: string;
  wrk: string;
  node: string;
}

export async function installTools(): Promise<Tools> {
  const missing = ["nginx", "haproxy", "wrk"].filter((name) => !find(name));
  if (missing.length) await installPackages(missing);
  return {
    nginx: found("nginx"),
    haproxy: found("haproxy"),
    wrk: found("wrk"),
    node: found("node"),
  };
}

/** Debian keeps servers in a folder that is not in everyone's PATH. */
const find = (name: string) => Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });

function found(name: string): string {
  const path = find(name);
  if (!path) throw new Error(`The program ${name} is missing. Install it first.`);
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

async function command(words: string[]): Promise<void> {
  const child = Bun.spawn(words, {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    stdout: "ignore",
    stderr: "pipe",
  });
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`${words.join(" ")}:\n${errors}`);
}
