/** Reading many long texts of Activity does not block other requests. */
import { expect, test } from "bun:test";
import { makeDetector, makeGuard } from "../kit/guard.ts";
import { type Kit, OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { minOfRuns } from "../kit/until.ts";

/** Returns the share of the longest turn of the event loop in the work. */
async function measureMaxTurn(work: () => Promise<void>): Promise<number> {
  const [longest, , all] = await measureLongestTurn(work);
  return longest / all;
}

test("a search in a hundred megabytes of stored text takes many turns of the event loop", async () => {
  await using kit = await startKit();
  const { evaluate } = await makeGuard(kit, {}, { content_storage: "full" });
  const { request_id } = await evaluate({ payload: { input: "some words ".repeat(90_000) } });
  const found = await evaluate({ payload: { input: "a needle" } });
  // Writes the queued events.
  await kit.get("/v1/activity");
  await copyEvent(kit, request_id, 100);
  const search = async () => {
    const reply = await kit.get("/v1/activity?q=needle");
    expect(await reply.json()).toMatchObject({
      items: [{ id: found.request_id }],
      next_cursor: null,
    });
  };

  const share = await minOfRuns(() => measureMaxTurn(search), 0.5);

  expect(share).toBeLessThan(0.5);
}, 60_000);

test("replays of long texts that run at once take turns of the event loop", async () => {
  await using kit = await startKit();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const input_rules = [{ detector_id, action: "report" }];
  const { evaluate, policy } = await makeGuard(kit, { input_rules }, { content_storage: "full" });
  await evaluate({ payload: { input: "4111 1111 1111 1112 ".repeat(40_000) } });
  const replay = async () => {
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {});
    expect(await reply.json()).toMatchObject({ evaluated: 1, skipped: 0 });
  };
  await replay();
  const replayMany = async () => {
    await Promise.all(Array.from({ length: 8 }, replay));
  };

  const share = await minOfRuns(() => measureMaxTurn(replayMany), 0.5);

  expect(share).toBeLessThan(0.5);
}, 60_000);

test("the replay of an administrator does not wait for all replays of another one", async () => {
  await using kit = await startKit();
  const { id: detector_id } = await makeDetector(kit, "data_loss_prevention");
  const input_rules = [{ detector_id, action: "report" }];
  const { evaluate, policy } = await makeGuard(kit, { input_rules }, { content_storage: "full" });
  const { request_id } = await evaluate({ payload: { input: "some words ".repeat(8_000) } });
  await kit.get("/v1/activity");
  await copyEvent(kit, request_id, 5);
  const made = { name: "auditor", role: "auditor" };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", made);
  const ended: string[] = [];
  const replay = async (who: string) => {
    const headers = { authorization: `Bearer ${who}` };
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {}, headers);
    expect(await reply.json()).toMatchObject({ evaluated: 6, skipped: 0 });
    ended.push(who);
  };

  await Promise.all([...Array(8).fill(token), OWNER_TOKEN].map(replay));

  expect(ended[0]).toBe(OWNER_TOKEN);
});

test("a replay of short events takes little time for each", async () => {
  await using kit = await startKit();
  const { evaluate, policy } = await makeGuard(kit, {}, { content_storage: "full" });
  const { request_id } = await evaluate({ payload: { input: "hello" } });
  await kit.get("/v1/activity");
  await copyEvent(kit, request_id, 99);
  const measureReplay = async () => {
    const began = process.cpuUsage();
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {});
    expect(await reply.json()).toMatchObject({ evaluated: 100, skipped: 0 });
    const { user, system } = process.cpuUsage(began);
    return (user + system) / 1000;
  };
  await measureReplay();

  expect(await minOfRuns(measureReplay, 400)).toBeLessThan(400);
});

test("a replay of a draft with many gates does not block other requests", async () => {
  await using kit = await startKit();
  const { evaluate, policy } = await makeGuard(kit, {}, { content_storage: "full" });
  await evaluate({ payload: { input: "4111 1111 1111 1112 ".repeat(10_000) } });
  const gates = Array.from({ length: 40 }, (_, index) => ({
    name: `gate ${index}`,
    action: "transform",
    mask: { apply_all: true },
  }));
  const replay = async () => {
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {
      draft: { name: "draft", gates },
    });
    expect(await reply.json()).toMatchObject({ evaluated: 1, skipped: 0 });
  };
  await replay();

  const share = await minOfRuns(async () => {
    const began = process.cpuUsage(); // that of the worker too
    const [longest] = await measureLongestTurn(replay);
    const { user, system } = process.cpuUsage(began);
    return (longest * 1000) / (user + system);
  }, 0.3);

  expect(share).toBeLessThan(0.3);
}, 60_000);

test.each([
  ["Unicode properties", "[\\p{L}\\p{N}]{1,200}", 20],
  ["negated classes of both cases", `(?i)${"[^é]".repeat(240)}`, 100],
  ["negated properties of both cases", `(?i)${"\\P{L}".repeat(200)}`, 100],
  ["ranges of both cases", `(?i)${"[!-~]".repeat(200)}`, 100],
])(
  "the patterns of a draft are validated in milliseconds, with %s too",
  async (_, start, many) => {
    await using kit = await startKit();
    const { policy } = await makeGuard(kit, {});
    const replay = async (count: number) => {
      const rules = Array.from({ length: count }, (_, index) => ({
        name: `rule ${index}`,
        type: "regex",
        pattern: `${start}${index}`,
      }));
      const gate = { name: "gate", action: "transform", mask: { rules } };
      const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {
        draft: { name: "draft", gates: [gate] },
      });
      expect(reply.status).toBe(200);
    };
    await replay(1);

    const [longest] = await measureLongestTurn(() => replay(many));

    expect(longest).toBeLessThan(1000);
  },
  60_000,
);

test("the patterns of a draft are validated until one is invalid", async () => {
  await using kit = await startKit();
  const { policy } = await makeGuard(kit, {});
  const classes = Array.from({ length: 15 }, (_, index) => `[\\p{L}${index}]`).join("");
  const rules = Array.from({ length: 100 }, (_, index) => ({
    name: `rule ${index}`,
    type: "regex",
    pattern: `(?i)${classes}`,
  }));
  const measureReplay = async (count: number) => {
    const gates = Array.from({ length: count }, (_, index) => ({
      name: `gate ${index}`,
      action: "transform",
      mask: { rules },
    }));
    const before = process.cpuUsage();
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {
      draft: { name: "draft", gates },
    });
    const { user, system } = process.cpuUsage(before);
    expect(reply.status).toBe(422);
    expect(await reply.text()).toContain("gates[0].mask.rules[0].pattern");
    return user + system;
  };
  await measureReplay(1);

  const one = await minOfRuns(() => measureReplay(1), 0);
  const ten = await minOfRuns(() => measureReplay(10), one * 4);

  expect(ten).toBeLessThan(one * 4);
}, 60_000);

test("long patterns of a draft count as several", async () => {
  await using kit = await startKit();
  const { policy } = await makeGuard(kit, {});
  const replay = (pattern: string, count: number) => {
    const match = { field: "tool.name", op: "match", value: pattern };
    const gates = Array.from({ length: count / 100 }, (_, index) => ({
      name: `gate ${index}`,
      action: "block",
      when: { any: Array(100).fill(match) },
    }));
    return kit.call("POST", `/v1/policies/${policy.id}/replay`, {
      draft: { name: "draft", gates },
    });
  };

  const accepted = await replay("\\p{L}+", 100);
  const long = await replay("word ".repeat(200), 200);
  const large = await replay("[\\p{L}\\p{N}][\\p{L}]", 100);

  expect(accepted.status).toBe(200);
  for (const rejected of [long, large]) {
    expect(rejected.status).toBe(422);
    expect(await rejected.text()).toContain("long patterns count as several");
  }
}, 60_000);

test("a draft with more than 1,000 patterns in its gates is a 422", async () => {
  await using kit = await startKit();
  const { policy } = await makeGuard(kit, {});
  const rules = Array.from({ length: 100 }, (_, index) => ({
    name: `rule ${index}`,
    type: "regex",
    pattern: `a{10}${index}`,
  }));
  const match = { field: "tool.name", op: "match", value: "a{10}" };
  const replay = (matches: number) => {
    const gates: object[] = Array.from({ length: 9 }, (_, index) => ({
      name: `gate ${index}`,
      action: "transform",
      mask: { rules },
    }));
    const when = { any: [{ not: match }, ...Array(matches - 1).fill(match)] };
    gates.push({ name: "last", action: "block", when });
    const draft = { name: "draft", gates };
    return kit.call("POST", `/v1/policies/${policy.id}/replay`, { draft });
  };

  const accepted = await replay(100);
  const one = { name: "one more", action: "transform", mask: { rules: rules.slice(0, 1) } };
  const when = { any: Array(100).fill(match) };
  const gates = Array.from({ length: 10 }, (_, index) => ({
    name: `gate ${index}`,
    action: "block",
    when,
  }));
  const rejected = await kit.call("POST", `/v1/policies/${policy.id}/replay`, {
    draft: { name: "draft", gates: [...gates, one] },
  });

  expect(accepted.status).toBe(200);
  expect(rejected.status).toBe(422);
  expect(await rejected.text()).toContain("must have at most 1000 patterns together");
}, 60_000);

test("many replays that begin at once do not block other requests", async () => {
  await using kit = await startKit();
  const { evaluate, policy } = await makeGuard(kit, {}, { content_storage: "none" });
  const { request_id } = await evaluate({ payload: { input: "some words" } });
  await kit.get("/v1/activity");
  await copyEvent(kit, request_id, 899);
  const replay = async () => {
    const reply = await kit.call("POST", `/v1/policies/${policy.id}/replay`, { limit: 1000 });
    expect(await reply.json()).toMatchObject({ evaluated: 0, skipped: 900 });
  };

  const [longest] = await measureLongestTurn(() => Promise.all(Array.from({ length: 40 }, replay)));

  expect(longest).toBeLessThan(400);
}, 60_000);

test("a replay ends when its client disconnects", async () => {
  await using kit = await startKit();
  const { evaluate, policy } = await makeGuard(kit, {}, { content_storage: "full" });
  const { request_id } = await evaluate({ payload: { input: "some words" } });
  await kit.get("/v1/activity");
  await copyEvent(kit, request_id, 399);
  const path = `${kit.url}/v1/policies/${policy.id}/replay`;
  const replay = async (limit: number, signal?: AbortSignal) => {
    const headers = { authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" };
    const body = JSON.stringify({ limit });
    const reply = await fetch(path, { method: "POST", headers, body, ...(signal && { signal }) });
    return await reply.json();
  };
  const measure = async () => {
    const began = process.cpuUsage();
    expect(await replay(100)).toMatchObject({ evaluated: 100 });
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  await measure();
  const alone = await measure();

  const leaving = Array.from({ length: 40 }, () => replay(400, AbortSignal.timeout(100)));
  expect((await Promise.allSettled(leaving)).some(({ status }) => status === "rejected")).toBe(
    true,
  );
  await Bun.sleep(100);
  const after = await measure();

  expect(after / alone).toBeLessThan(6);
}, 60_000);

/** Stores copies of an event with other ids. */
async function copyEvent(kit: Kit, id: string, count: number): Promise<void> {
  const [row] = await kit.db.many<object>("SELECT * FROM evaluation_events WHERE id = $1", id);
  const names = Object.keys(row ?? {});
  const selected = names.map((name) => (name === "id" ? "$1" : name));
  // Differs from the id of the event.
  const start = `${id.slice(0, -4)}${id.at(-4) === "0" ? "1" : "0"}`;
  for (let number = 0; number < count; number++) {
    await kit.db.run(
      `INSERT INTO evaluation_events (${names}) SELECT ${selected} FROM evaluation_events WHERE id = $2`,
      `${start}${number.toString(16).padStart(3, "0")}`,
      id,
    );
  }
}
