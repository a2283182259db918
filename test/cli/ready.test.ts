/** portcullis ready: exit code 0 for a server that is ready on this machine, 1 otherwise. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";

const started = sharedKit();

test("ready succeeds for a running server, and fails with a reason where none listens", async () => {
  const kit = await started();
  const { port } = new URL(kit.url);
  const running = await runProgram(["ready"], { PORTCULLIS_LISTEN: `0.0.0.0:${port}` });
  const missing = await runProgram(["ready", "--json"], { PORTCULLIS_LISTEN: "127.0.0.1:1" });

  expect([running.code, running.out.trim()]).toEqual([
    0,
    `ready at http://127.0.0.1:${port}/readyz`,
  ]);
  expect(missing.code).toBe(1);
  expect(JSON.parse(missing.out)).toMatchObject({
    ready: false,
    problem: expect.stringContaining("127.0.0.1:1"),
  });
});
