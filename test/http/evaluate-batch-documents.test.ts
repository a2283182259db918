/** The documents of a batch are fetched and read one evaluation at a time, which bounds memory. */
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { docx } from "../kit/docx.ts";
import { makeDetector, makeGuard, makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { readPeakMiB } from "../kit/peak-memory.ts";
import { startProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";

const BATCH = "/v1/evaluate/batch";
const RULE = { action: "report", collector: { fail_mode: "open" } } as const;
/** Batches above 1 MiB are evaluated in one worker. */
const PADDING = "x".repeat(1024 * 1024);

const DOCUMENT = {
  payload: { attachments: [{ data: docx("<w:t>text</w:t>").toString("base64") }] },
};

test("a batch fetches few attachments at once", async () => {
  const connections: Socket[] = [];
  let isSilent = true;
  // Each fetch keeps a connection until the proxy responds.
  await using proxy = createServer((socket) => {
    connections.push(socket.on("error", () => {}));
    if (!isSilent) socket.end("HTTP/1.1 502 No\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  await using kit = await startKit({ settings: { EGRESS_PROXY: `http://127.0.0.1:${port}` } });
  const guard = await makeGuardWithRules(kit, "doc_analyzer", RULE);
  const attachments = Array.from({ length: 20 }, (_, at) => ({ url: `https://8.8.8.8/${at}` }));
  const batch = Array.from({ length: 5 }, () => ({ payload: { attachments, input: "a" } }));

  const evaluated = guard.send([{ payload: { input: PADDING } }, ...batch], {}, BATCH);
  await until(() => connections.length >= 4);
  await Bun.sleep(500);
  const atOnce = connections.length;
  isSilent = false;
  for (const socket of connections) socket.end("HTTP/1.1 502 No\r\n\r\n");

  expect(atOnce).toBe(4);
  expect((await evaluated).status).toBe(200);
}, 30_000);

test("a batch of documents that inflate takes the memory of one", async () => {
  await using program = await startProgram();
  const guard = await makeGuardWithRules(program, "doc_analyzer", RULE);
  const data = docx(`<!--${"<a b='c'>".repeat(5_000_000)}--><w:t>text</w:t>`).toString("base64");
  const batch = Array.from({ length: 20 }, () => ({ payload: { attachments: [{ data }] } }));

  const { status } = await guard.send([{ payload: { input: PADDING } }, ...batch], {}, BATCH);

  expect(status).toBe(200);
  expect(readPeakMiB(program.child.pid)).toBeLessThan(1000);
}, 60_000);

test("a document is evaluated between those of two batches of other collectors", async () => {
  await using kit = await startKit();
  const data = docx(`<w:t>${"12345 6789 ".repeat(30_000)}</w:t>`).toString("base64");
  const documents = Array.from({ length: 10 }, () => ({ payload: { attachments: [{ data }] } }));
  const ended: string[] = [];
  /** Returns when the first document of the batch is evaluated. */
  const startBatch = async () => {
    const { send, collector } = await makeGuardWithRules(kit, "doc_analyzer", RULE);
    const batch = send([{ payload: { input: PADDING } }, ...documents], {}, BATCH);
    const finished = batch.then(({ status }) => ended.push(`batch ${status}`));
    await until(async () => {
      const reply = await kit.get(`/v1/activity?collector_id=${collector.id}`);
      return ((await reply.json()) as { items: unknown[] }).items.length >= 2;
    });
    return { finished };
  };
  const batches = await Promise.all([startBatch(), startBatch()]);

  const guard = await makeGuardWithRules(kit, "doc_analyzer", RULE);
  const { status } = await guard.send({ payload: { attachments: [{ data }] } });
  ended.push(`document ${status}`);
  await Promise.all(batches.map(({ finished }) => finished));

  expect(ended).toEqual(["document 200", "batch 200", "batch 200"]);
}, 30_000);

test("a document is evaluated between those of two evaluations of other collectors", async () => {
  await using kit = await startKit();
  const data = docx(`<w:t>${"12345 6789 ".repeat(10_000)}</w:t>`).toString("base64");
  const ended: string[] = [];
  const send = async (count: number) => {
    const guard = await makeGuardWithRules(kit, "doc_analyzer", RULE);
    const attachments = Array.from({ length: count }, () => ({ data }));
    const sent = guard.send({ payload: { attachments } });
    const finished = sent.then(({ status }) => ended.push(`${count} documents: ${status}`));
    await Bun.sleep(20);
    return { finished };
  };

  const evaluations = [await send(20), await send(20), await send(1)];
  await Promise.all(evaluations.map(({ finished }) => finished));

  expect(ended[0]).toBe("1 documents: 200");
}, 30_000);

/** Small in the body, with 600,000 characters that take seconds. */
const HOSTILE =
  "\\u0041\\x42 aGVsbG8gd29ybGQgdGhpcyBpcyB0ZXh0 i g n o r e %41%42 4111 1111 1111 1111 ".repeat(
    8_000,
  );

test("a document is evaluated between the parts of the detector of two other collectors", async () => {
  await using kit = await startKit();
  const slow = { text: HOSTILE, settings: {} };
  const fast = { text: "text", settings: { pii: false, secrets: false, injection: false } };
  const ended: string[] = [];
  const send = async ({ text, settings }: typeof slow) => {
    const { id: detector_id } = await makeDetector(kit, "doc_analyzer", settings);
    const guard = await makeGuard(kit, { input_rules: [{ detector_id, action: "report" }] });
    const data = docx(`<w:t>${text}</w:t>`).toString("base64");
    const sent = guard.send({ payload: { attachments: [{ data }] } });
    const finished = sent.then(({ status }) => ended.push(`${text.length} characters: ${status}`));
    await Bun.sleep(20);
    return { finished };
  };
  // Starts the workers and loads the readers.
  for (const { finished } of [await send(fast), await send(fast)]) await finished;
  ended.length = 0;

  const evaluations = [await send(slow), await send(slow), await send(fast)];
  await Promise.all(evaluations.map(({ finished }) => finished));

  expect(ended[0]).toBe("4 characters: 200");
}, 60_000);

test("a document is evaluated between the detectors of two pages with compressed text", async () => {
  await using kit = await startKit();
  const content = [
    "Content-Transfer-Encoding: base64",
    "",
    gzipSync(HOSTILE, { level: 9 }).toString("base64"),
    "--part",
    "Content-Type: text/html",
    "",
    "<html></html>",
  ].join("\r\n");
  const page = { payload: { messages: [{ role: "tool", content }] } };
  const makeSlow = async () => {
    const patterns = Array.from({ length: 8 }, (_, digit) => `4111 11${digit}1`);
    const detectors = await Promise.all(
      patterns.map((pattern) => makeDetector(kit, "prompt_moderation", { regex: [pattern] })),
    );
    const input_rules = detectors.map(({ id }) => ({ detector_id: id, action: "report" }));
    return await makeGuard(kit, { input_rules });
  };
  const [one, other] = [await makeSlow(), await makeSlow()];
  const fast = await makeGuardWithRules(kit, "doc_analyzer");
  const measure = async (evaluation: Promise<Response>) => {
    const began = performance.now();
    expect((await evaluation).status).toBe(200);
    return performance.now() - began;
  };
  // Starts the workers and loads the readers.
  await Promise.all([fast.send(DOCUMENT), fast.send(DOCUMENT)]);

  const slow = [measure(one.send(page)), measure(other.send(page))];
  await Bun.sleep(20);
  const waited = await measure(fast.send(DOCUMENT));

  expect(waited).toBeLessThan(0.7 * Math.min(...(await Promise.all(slow))));
}, 60_000);

test.each([
  ["a document", "more than 1 MiB", PADDING, DOCUMENT],
  ["a body of 72 KB", "less", "", { payload: { input: "x".repeat(72 * 1024) } }],
])(
  "%s is evaluated between the short evaluations of two batches of %s",
  async (_, __, input, body) => {
    await using kit = await startKit();
    const kinds = ["data_loss_prevention", "injection_protection", "secrets"];
    const detectors = await Promise.all(kinds.map((kind) => makeDetector(kit, kind)));
    const input_rules = detectors.map(({ id }) => ({ detector_id: id, action: "report" }));
    const guards = [await makeGuard(kit, { input_rules }), await makeGuard(kit, { input_rules })];
    const short = { payload: { input: HOSTILE.slice(0, 7900) } };
    const batch = [...Array(99).fill(short), { payload: { input } }];
    const fast = await makeGuardWithRules(kit, "doc_analyzer", RULE);
    // Starts the workers and loads the readers.
    await Promise.all([fast.send(body), fast.send(body)]);
    const ended: string[] = [];
    const send = (guard: TestGuard, sent: unknown, path?: string) =>
      guard.send(sent, {}, path).then(({ status }) => ended.push(`${path ?? "body"} ${status}`));

    const batches = guards.map((guard) => send(guard, batch, BATCH));
    await Promise.all(
      guards.map(({ collector }) =>
        until(async () => {
          const reply = await kit.get(`/v1/activity?collector_id=${collector.id}`);
          return ((await reply.json()) as { items: unknown[] }).items.length >= 2;
        }),
      ),
    );
    await send(fast, body);
    await Promise.all(batches);

    expect(ended).toEqual(["body 200", `${BATCH} 200`, `${BATCH} 200`]);
  },
  60_000,
);

/** Returns the evaluations in the order in which they ended. */
const readEnded = ({ lines }: Pick<Kit, "lines">): { trace_id: string; request_id: string }[] =>
  lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "evaluation");

const TEXT = { payload: { input: PADDING } };

test("a batch of a collector waits for the one that lets other collectors have their turn", async () => {
  await using kit = await startKit();
  const guard = await makeGuardWithRules(kit, "doc_analyzer", RULE);
  const batch = [TEXT, DOCUMENT, DOCUMENT, DOCUMENT];

  await Promise.all([1, 2, 3].map(() => guard.send(batch, {}, BATCH)));

  const traces = readEnded(kit).map(({ trace_id }) => trace_id);
  expect(traces).toHaveLength(12);
  expect(traces.filter((trace, at) => trace !== traces[at - 1])).toHaveLength(3);
});

test("a batch reads its documents before its other evaluations", async () => {
  await using kit = await startKit();
  const kinds = ["data_loss_prevention", "secrets", "unicode", "doc_analyzer"];
  const detectors = await Promise.all(kinds.map((kind) => makeDetector(kit, kind)));
  const input_rules = detectors.map(({ id }) => ({ detector_id: id, action: "report" }));
  const guard = await makeGuard(kit, { input_rules });

  const text = { payload: { input: "12345 6789 ".repeat(100_000) } };
  // Loads the reader of documents.
  await guard.evaluate(DOCUMENT);
  kit.lines.length = 0;

  const reply = await guard.send([text, text, DOCUMENT, DOCUMENT], {}, BATCH);

  const verdicts = (await reply.json()) as { request_id: string }[];
  const ended = readEnded(kit).map(({ request_id }) => request_id);
  expect(ended.map((id) => verdicts.findIndex(({ request_id }) => request_id === id))).toEqual([
    2, 3, 0, 1,
  ]);
});

test("the other evaluations of a large batch end when one fails", async () => {
  await using kit = await startKit();
  const guard = await makeGuardWithRules(kit, "doc_analyzer", RULE);
  const invalid = {
    payload: { attachments: Array.from({ length: 21 }, () => ({ data: "aGk=" })) },
  };

  const { status } = await guard.send([invalid, TEXT, TEXT, DOCUMENT], {}, BATCH);

  expect(status).toBe(400);
  expect(readEnded(kit)).toHaveLength(3);
});
