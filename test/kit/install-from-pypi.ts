/** Installs a Python program that only some runs need, in an environment of its own: requirements of others may conflict. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { $ } from "bun";

/** Returns the folder of the environment. It is created once for its requirements, such as `name==1.2.3`. */
export async function installFromPypi(name: string, ...requirements: string[]): Promise<string> {
  const requirement = requirements.join(" ");
  const folder = resolve("node_modules/.cache", name);
  // Written last, so that an interrupted installation is repeated.
  const installed = join(folder, `installed-${requirement}`);
  if (existsSync(installed)) return folder;
  console.error(`Installing ${requirement} …`);
  const made = await $`python3 -m venv --clear ${folder}`.nothrow().quiet();
  if (made.exitCode !== 0) throw new Error("needs Python 3 with venv");
  const pip = ["-m", "pip", "install", "--quiet", ...requirements];
  const { exitCode } = await $`${join(folder, "bin/python")} ${pip}`.nothrow().quiet();
  if (exitCode !== 0) throw new Error("could not be installed from PyPI");
  await Bun.write(installed, "");
  return folder;
}
