import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { createAddressFinder } from "../../src/net/find-address.ts";

const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
afterAll(() => server.stop(true));
const target = { hostname: "upstream.test", port: server.port, allow_private: true };

/** A finder with a clock and a name server of its own; `asked` counts the questions to the latter. */
function finder(addresses: string[], connectMs = 300) {
  const state = { now: 0, asked: 0, addresses };
  const lookup = async () => {
    state.asked++;
    return state.addresses;
  };
  return { state, ...createAddressFinder({ lookup, nowMs: () => state.now, connectMs }) };
}

test("an answer is kept for thirty seconds, then asked for again", async () => {
  const { state, find } = finder(["127.0.0.1"]);

  await find(target);
  state.now = 29_999;
  await find(target);
  expect(state.asked).toBe(1);
  state.now = 30_000;
  await find(target);

  expect(state.asked).toBe(2);
});

test("calls at the same moment share one question", async () => {
  const { state, find } = finder(["127.0.0.1"]);

  const found = await Promise.all(Array.from({ length: 20 }, () => find(target)));

  expect(new Set(found)).toEqual(new Set(["127.0.0.1"]));
  expect(state.asked).toBe(1);
});

test("a failure is not kept", async () => {
  const { state, find } = finder([]);

  await expect(find(target)).rejects.toMatchObject({ code: "upstream_unreachable" });
  state.addresses = ["127.0.0.1"];

  expect(await find(target)).toBe("127.0.0.1");
});

test("a forgotten target is asked for again", async () => {
  const { state, find, forget } = finder(["127.0.0.1"]);

  await find(target);
  forget(target);
  await find(target);

  expect(state.asked).toBe(2);
});

test("what was found with allow_private does not count without it", async () => {
  const { state, find } = finder(["127.0.0.1"]);
  const guarded = { ...target, allow_private: false };

  await find(target);

  await expect(find(guarded)).rejects.toMatchObject({ code: "upstream_address_refused" });
  expect(state.asked).toBe(2);
});

test("only so many targets are kept: the oldest go first", async () => {
  const { state, find } = finder(["127.0.0.1"]);
  const named = (i: number) => ({ ...target, hostname: `h${i}.test` });

  for (let i = 0; i < 1001; i++) await find(named(i));
  await find(named(1000));
  expect(state.asked).toBe(1001);
  await find(named(0));

  expect(state.asked).toBe(1002);
});

/** A process that listens but never accepts: once its queue (512) is full, a connect hangs as in a dead network. */
async function deafServer() {
  const program = `
    require("node:net").createServer().listen({ host: "127.0.0.1", port: 0 }, function () {
      require("node:fs").writeSync(1, String(this.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
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

test("a connect that hangs is unreachable after its time: nothing can have been sent", async () => {
  await using deaf = await deafServer();
  const { find } = finder(["127.0.0.1"]);
  const started = performance.now();

  await expect(find({ ...target, port: deaf.port })).rejects.toMatchObject({
    code: "upstream_unreachable",
  });

  expect(performance.now() - started).toBeWithin(290, 2000);
});
