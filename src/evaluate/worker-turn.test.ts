import { expect, test } from "bun:test";
import type { EvaluationHost } from "./worker/evaluation-host.ts";
import { createTurn, runWithTurn, startInTurn } from "./worker-turn.ts";

/** Works without a turn of the event loop, as a detector does. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Returns a host in a worker whose turns are given by `take`, and what it was called for. */
function createTurnHost(worker: "huge" | "large" = "huge") {
  const calls: string[] = [];
  let { promise: taken, resolve: take } = Promise.withResolvers<void>();
  let { promise: response, resolve: respond } = Promise.withResolvers<string>();
  const host = {
    worker,
    waitForTurn: async () => {},
    leaveTurn: async (heldSize) => {
      calls.push(`leave ${heldSize}`);
    },
    takeTurn: async () => {
      calls.push("take");
      await taken;
    },
    checkClient: async () => {},
    ask: () => response,
  } as Partial<EvaluationHost> as EvaluationHost;
  return {
    host,
    calls,
    async giveTurn() {
      take();
      ({ promise: taken, resolve: take } = Promise.withResolvers<void>());
      await Bun.sleep(1);
    },
    async respond() {
      respond("yes");
      ({ promise: response, resolve: respond } = Promise.withResolvers<string>());
      await Bun.sleep(1);
    },
  };
}

const QUESTION = { registry_id: "", model: "", system: "", user: "", timeout_ms: 0 };

test("no evaluation of a batch works while the batch has passed its turn", async () => {
  const { host, calls, giveTurn } = createTurnHost();
  const turn = { ...createTurn(), characters: 3, began: Number.NEGATIVE_INFINITY };
  let working = 0;
  const evaluate = () =>
    runWithTurn(host, turn, async ({ waitForTurn }) => {
      await waitForTurn(1);
      working += 1;
    });
  const evaluations = [evaluate(), evaluate(), evaluate()];

  await Bun.sleep(5);
  expect(working).toBe(0);
  await giveTurn();
  await Promise.all(evaluations);

  expect(working).toBe(3);
  expect(calls).toEqual(["leave 15", "take"]);
});

test("others may run before each evaluation of a batch begins, after the one before it has worked", async () => {
  const { host, calls } = createTurnHost("large");
  const waitForTurn = async () => {
    calls.push("wait");
  };
  const turn = createTurn();
  const evaluate = async () => {
    await startInTurn({ ...host, waitForTurn }, turn);
    calls.push("work");
  };

  await Promise.all([evaluate(), evaluate(), evaluate()]);

  expect(calls).toEqual(["wait", "work", "wait", "work", "wait", "work"]);
});

test("a batch passes its turn after an evaluation that works long, before the next one", async () => {
  const { host, calls, giveTurn } = createTurnHost();
  const turn = createTurn();
  let working = 0;
  const evaluate = () =>
    runWithTurn(host, turn, async ({ waitForTurn }) => {
      await waitForTurn(1);
      working += 1;
      work(300);
    });

  const evaluations = [evaluate(), evaluate()];
  await Bun.sleep(400);
  expect(working).toBe(1);
  await giveTurn();
  await Promise.all(evaluations);

  expect(calls).toEqual(["leave 0", "take"]);
});

test("a body in a worker for large bodies keeps its turn between detectors", async () => {
  const { host, calls } = createTurnHost("large");
  const turn = { ...createTurn(), began: Number.NEGATIVE_INFINITY };

  await runWithTurn(host, turn, ({ waitForTurn }) => waitForTurn(1));

  expect(calls).toEqual([]);
});

test("a batch leaves its turn when all of its evaluations wait for services, and continues in the next one", async () => {
  const { host, calls, giveTurn, respond } = createTurnHost();
  const turn = createTurn();
  const ended: string[] = [];
  const evaluate = (name: string, before: Promise<unknown>) =>
    runWithTurn(host, turn, async ({ ask }) => {
      await before;
      await Promise.all([ask(QUESTION), ask(QUESTION)]);
      ended.push(name);
    });
  const { promise: worked, resolve: endWork } = Promise.withResolvers<void>();

  const first = evaluate("first", Promise.resolve());
  const second = evaluate("second", worked);
  await Bun.sleep(1);
  expect(calls).toEqual([]);
  endWork();
  await Bun.sleep(1);
  expect(calls).toEqual(["leave 0"]);
  await respond();
  expect(calls).toEqual(["leave 0", "take"]);
  expect(ended).toEqual([]);
  await giveTurn();
  await Promise.all([first, second]);

  expect(ended).toEqual(["first", "second"]);
  expect(calls).toEqual(["leave 0", "take"]);
});

test("a batch leaves its turn when an evaluation ends while the others wait for services", async () => {
  const { host, calls, giveTurn, respond } = createTurnHost();
  const turn = createTurn();
  const { promise: worked, resolve: endWork } = Promise.withResolvers<void>();
  const asking = runWithTurn(host, turn, ({ ask }) => ask(QUESTION));
  const working = runWithTurn(host, turn, () => worked);

  await Bun.sleep(1);
  expect(calls).toEqual([]);
  endWork();
  await working;
  expect(calls).toEqual(["leave 0"]);
  await respond();
  await giveTurn();

  expect(await asking).toBe("yes");
});

test("a body whose client disconnects while it passes its turn ends, and has its turn", async () => {
  const { host, calls, giveTurn } = createTurnHost();
  const turn = { ...createTurn(), began: Number.NEGATIVE_INFINITY };
  host.checkClient = () => Promise.reject(new Error("closed"));
  const ended = runWithTurn(host, turn, ({ waitForTurn }) => waitForTurn(1)).catch(
    ({ message }) => message,
  );
  await Bun.sleep(1);
  await giveTurn();

  expect(await ended).toBe("closed");
  expect(calls).toEqual(["leave 0", "take"]);
  expect(turn.hasLeft).toBe(false);
});
