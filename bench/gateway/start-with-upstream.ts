/** Portcullis beside an upstream of its own, with a data folder that is deleted at the end. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { BENCHMARK_TOKEN } from "./portcullis.ts";
import { freePort, type Program, startProgram } from "./process.ts";

interface Started {
  program: Program;
  port: number;
  /** Port of the upstream. */
  upstream: number;
}

/** `script` is the upstream, whose argument is its port. */
export async function startWithUpstream(
  stack: AsyncDisposableStack,
  script: string,
  env: Record<string, string>,
): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-bench-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const upstream = freePort();
  await startProgram(stack, [process.execPath, resolve(script), String(upstream)], {
    port: upstream,
    log: join(folder, "upstream.log"),
  });
  const port = freePort();
  const program = await startProgram(stack, [resolve("bin/portcullis"), "start"], {
    port,
    env: {
      PORTCULLIS_LISTEN: `127.0.0.1:${port}`,
      PORTCULLIS_DATA_DIR: join(folder, "data"),
      PORTCULLIS_ADMIN_TOKEN: BENCHMARK_TOKEN,
      ...env,
    },
    log: join(folder, "portcullis.log"),
  });
  return { program, port, upstream };
}
