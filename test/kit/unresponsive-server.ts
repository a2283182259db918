/** Starts a process that listens but does not accept: once its backlog (512) is full, connects hang as in a dead network. */
import { connect } from "node:net";

export async function startUnresponsiveServer(ms: number) {
  const program = `
    require("node:net").createServer((socket) => socket.on("error", () => {}).resume())
      .listen({ host: "127.0.0.1", port: 0 }, function () {
        require("node:fs").writeSync(1, String(this.address().port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
      });`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  const queue = Array.from({ length: 600 }, () => connect({ host: "127.0.0.1", port }));
  for (const socket of queue) socket.on("error", () => {});
  await Bun.sleep(50);
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of queue) socket.destroy();
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
