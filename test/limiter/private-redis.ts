/** Starts a Redis server of its own for a test that freezes, kills or restarts it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "bun";

/** `extra`: additional arguments for redis-server. */
export async function privateRedis(extra: string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-redis-"));
  const port = freePort();
  const url = `redis://127.0.0.1:${port}`;
  const launch = async () => {
    const arguments_ = [
      "--port",
      `${port}`,
      "--bind",
      "127.0.0.1",
      "--dir",
      dir,
      "--save",
      "",
      ...extra,
    ];
    const child = Bun.spawn(["redis-server", ...arguments_], {
      stdout: "ignore",
      stderr: "ignore",
    });
    await waitUntilReady(url);
    return child;
  };
  let child = await launch();
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return {
    url,
    kill,
    /** Starts without data. */
    start: async () => {
      child = await launch();
    },
    /** Keeps all connections open without responding, until `thaw`. */
    freeze: () => child.kill("SIGSTOP"),
    thaw: () => child.kill("SIGCONT"),
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function freePort(): number {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = held;
  held.stop(true);
  return port;
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const redis = new RedisClient(url, { autoReconnect: false });
    try {
      await redis.connect();
      return;
    } catch {
      await Bun.sleep(20);
    } finally {
      redis.close();
    }
  }
  throw new Error("redis-server did not start.");
}
