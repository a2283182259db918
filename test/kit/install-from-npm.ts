/** Programs from npm that only some runs need: kept beside our own packages, where `npm ci` does not wait for them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { $ } from "bun";

/** The folder of their `node_modules`. They are installed once for each set of versions. */
export async function installFromNpm(
  name: string,
  dependencies: Record<string, string>,
): Promise<string> {
  const folder = resolve("node_modules/.cache", name);
  // Without a package of its own here, npm would install into ours.
  const packed = JSON.stringify({ private: true, dependencies });
  // Written last: what was interrupted does not count.
  const installed = join(folder, "installed.json");
  if (existsSync(installed) && readFileSync(installed, "utf8") === packed) return folder;
  console.error(`Installing ${Object.keys(dependencies).join(", ")} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), packed);
  const quiet = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"];
  const { exitCode, stderr } = await $`npm install ${quiet}`.cwd(folder).nothrow().quiet();
  if (exitCode !== 0) throw new Error(`npm could not install ${name}:\n${stderr}`);
  writeFileSync(installed, packed);
  return folder;
}
