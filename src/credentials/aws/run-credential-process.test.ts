import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCredentialProcess } from "./run-credential-process.ts";

test("a command that does not finish in time is killed, with the processes it started", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-process-"));
  const file = join(dir, "pid");
  const host = { env: {}, now: () => new Date() };

  const run = runCredentialProcess(host, "dev", `sleep 60 & echo $! > '${file}'; wait`, 500);

  await expect(run).rejects.toThrow(
    'The credential_process of the AWS profile "dev" did not finish in 0.5 seconds',
  );
  const status = `/proc/${readFileSync(file, "utf8").trim()}/status`;
  const isRunning = () => existsSync(status) && !/State:\s+Z/.test(readFileSync(status, "utf8"));
  for (let tries = 0; isRunning() && tries < 100; tries++) await Bun.sleep(10);
  expect(isRunning()).toBe(false);
  rmSync(dir, { recursive: true, force: true });
});
