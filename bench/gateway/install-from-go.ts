/** Builds a Go program that the benchmark compares with. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { $ } from "bun";

/** Returns the folder of the executable. It is built once for each module, such as `example.com/name@v1.2.3`. */
export async function installFromGo(name: string, module: string): Promise<string> {
  const folder = resolve("node_modules/.cache", name, module.replaceAll("/", "-"));
  // Written last, so that an interrupted build is repeated.
  const installed = join(folder, "installed");
  if (existsSync(installed)) return folder;
  if (!Bun.which("go")) throw new Error("needs Go");
  console.error(`Building ${module} …`);
  const env = { ...process.env, GOBIN: folder };
  const { exitCode } = await $`go install ${module}`.env(env).nothrow().quiet();
  if (exitCode !== 0)
    throw new Error("could not be built: the Go proxy does not offer this module");
  await Bun.write(installed, "");
  return folder;
}
