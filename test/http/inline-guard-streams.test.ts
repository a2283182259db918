/** Streamed responses of a guarded consumer: masked, blocked, observed, and unreadable. */
import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Json } from "../kit/check-verdict.ts";
import { type Draft, makeDetector } from "../kit/guard.ts";
import { type GuardedOptions, makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";

const clock = createTestClock();
const kitOf = sharedKit({ settings: { ACTIVITY_COMMIT: "before" }, now: clock.now });
const CHAT = "/v1/chat/completions";
const EVENTS = { "content-type": "text/event-stream" };
const MAIL = "jane.doe@example.com";
const ASK = { model: "gpt-4o", stream: true, messages: [{ role: "user", content: "Hello" }] };

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`;
const USAGE =
  'data: {"id":"c1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}\n\n';
const END = [chunk({}, { finish_reason: "stop" }), USAGE, "data: [DONE]\n\n"];

/** A consumer whose responses are checked for personal data, and for a word that blocks. */
async function makeStreaming(
  chunks: (string | number | Promise<void>)[],
  { policy = {}, ...options }: GuardedOptions & { policy?: Draft } = {},
) {
  const kit = await kitOf();
  const mails = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["forbidden"] });
  const output_rules = [
    { detector_id: mails.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  return await makeGuardedConsumer(
    kit,
    { output_rules, ...policy },
    { script: { headers: EVENTS, chunks }, ...options },
  );
}

const textOf = (stream: string): string =>
  [...stream.matchAll(/^data: (\{.*)$/gm)]
    .flatMap(([, data = ""]) => JSON.parse(data).choices ?? [])
    .map(({ delta }) => delta.content ?? "")
    .join("");

test("a match that the upstream splits over chunks is masked, and the evaluation is recorded once", async () => {
  const stream = [chunk({ content: "Write to jane.d" }), chunk({ content: "oe@example.com now" })];
  await using it = await makeStreaming([...stream, ...END]);

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  expect(reply.headers.get("x-ag-guard")).toBe("allow");
  expect(text).not.toContain("jane");
  expect(textOf(text)).toMatch(/^Write to \S+ now$/);
  expect(text).toEndWith(END.join(""));
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.evaluations(trace_id)).toMatchObject([
    { direction: "input", status: "allow" },
    { direction: "output", status: "transform" },
  ]);
  expect(await it.event(trace_id)).toMatchObject({
    status: 200,
    error_code: null,
    input_tokens: 7,
    output_tokens: 2,
  });
});

test("a negative number of a JSON document is masked with its sign, and the document stays valid", async () => {
  const document = `{"card": -4111111111111111, "note": "${"some words and more of them ".repeat(5)}"}`;
  const stream = (document.match(/.{1,9}/g) ?? []).map((content) => chunk({ content }));
  await using it = await makeStreaming([...stream, ...END]);

  const text = textOf(await (await it.post(CHAT, ASK)).text());

  expect(JSON.parse(text)).toEqual({ card: "[MASKED_CC]", note: JSON.parse(document).note });
});

/** Returns the text of a stream whose parts have 9 characters. */
async function streamInParts(content: string, rules: readonly [kind: string, Json, string][]) {
  const kit = await kitOf();
  const output_rules: Json[] = [];
  for (const [kind, settings, action] of rules) {
    output_rules.push({ detector_id: (await makeDetector(kit, kind, settings)).id, action });
  }
  const parts = (content.match(/.{1,9}/gs) ?? []).map((part) => chunk({ content: part }));
  await using it = await makeStreaming([...parts, ...END], { policy: { output_rules } });
  return textOf(await (await it.post(CHAT, ASK)).text());
}

test("every line of a private key is masked, also if another detector reads a line with the text after it", async () => {
  const words = "some words and more of them ".repeat(20);
  const line = `${"MIIEowIBAAKCAQEAx7".repeat(3)}abcdefghij\n`;
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${line.repeat(9)}-----END RSA PRIVATE KEY-----\n`;

  const text = await streamInParts(`${words}\n${key}${words}`, [
    ["toxicity", {}, "block"],
    ["data_loss_prevention", {}, "transform"],
  ]);

  expect(text).toBe(`${words}\n${"[MASKED_API_KEY]\n".repeat(11)}${words}`);
});

test.each([
  ["keyword", "no sun no", "no sun ".repeat(300), "*** sun ".repeat(150)],
  ["keyword", "no sun no", "casino sun no sun no ", "casino sun *** "],
  ["regex", "\\d{3} \\d{3}", "123 456 789 ".repeat(200), "*** ".repeat(300)],
])(
  "matches in a row are masked as in the complete text: %s",
  async (type, pattern, content, masked) => {
    const settings = { rules: [{ name: "row", type, pattern }] };

    const text = await streamInParts(`${content}end`, [
      ["data_loss_prevention", settings, "transform"],
    ]);

    expect(text).toBe(`${masked}end`);
  },
);

/** Returns the text of a complete response, and that of a stream. */
async function guardBothWays(content: string, settings: Json, kind = "data_loss_prevention") {
  const kit = await kitOf();
  const { id } = await makeDetector(kit, kind, settings);
  const body = { choices: [{ index: 0, message: { role: "assistant", content } }] };
  await using it = await makeGuardedConsumer(
    kit,
    { output_rules: [{ detector_id: id, action: "transform" }] },
    { script: { body } },
  );
  const reply = await (await it.post(CHAT, { ...ASK, stream: false })).json();
  const streamed = await streamInParts(content, [[kind, settings, "transform"]]);
  return [reply.choices[0].message.content, streamed];
}

const PAIRS = { name: "pair", type: "regex", pattern: "\\d{3} \\d{3}" };

test.each(["%40", "&#64;", "\\u0040"])(
  "an escape (%s) changes no mask of a row of matches before it",
  async (escaped) => {
    const row = "111 222 333 444 555 666 777 888 999 and some words ".repeat(16);

    const texts = await guardBothWays(`${row}xxx then ana${escaped}example.com end`, {
      rules: [PAIRS],
    });

    const masked = "*** *** *** *** 999 and some words ".repeat(16);
    const expected = `${masked}xxx then [MASKED_EMAIL] end`;
    expect(texts).toEqual([expected, expected]);
  },
);

test.each([
  ["s u n", " g l a s s e s"],
  ["s.u.n", ".g.l.a.s.s.e.s"],
  ["s u \\u006e", " g l a s s e s"],
])(
  "a match that continues in letters written apart (%s) is masked as in the complete text",
  async (letters, rest) => {
    const rules = [{ name: "sun", type: "regex", pattern: "no sun" }];

    const texts = await guardBothWays(`there are no ${letters}${rest} here`, { rules });

    const expected = `there are ***${rest} here`;
    expect(texts).toEqual([expected, expected]);
  },
);

test.each(["> ", ">", ">> ", "# ", "// ", " * ", "-- ", "; "])(
  "a private key in lines with the prefix %j is masked, and the prefix is sent",
  async (prefix) => {
    const toText = (key: readonly string[]) =>
      ["See:", ...key, "Regards."].map((line) => prefix + line).join("\n");
    const line = "MIIEowIBAAKCAQEAx7".repeat(3);
    const key = ["-----BEGIN PRIVATE KEY-----", line, line, "-----END PRIVATE KEY-----"];

    const texts = await guardBothWays(toText(key), {}, "secrets");

    const expected = toText(Array(4).fill("[MASKED_PRIVATE_KEY]"));
    expect(texts).toEqual([expected, expected]);
  },
);

test.each([
  ["\n", true],
  ["\r\n", true],
  ["\n    ", true],
  ["\\n    ", false],
  ["\\r\\n\t", false],
])("base64 in lines that end with %j is masked as in the complete text", async (end, isLines) => {
  const encoded = Buffer.from(`${"These are words. ".repeat(12)}${MAIL} `.repeat(2));
  const lines = encoded.toString("base64").match(/.{1,60}/g) ?? [];

  const texts = await guardBothWays(`words "${lines.join(end)}" end`, {});

  const masks = lines.map(() => "[MASKED_EMAIL]").join(end);
  const expected = `words "${isLines ? masks : "[MASKED_EMAIL]"}" end`;
  expect(texts).toEqual([expected, expected]);
});

test("an escape after a line break in a string does not change how the line is read", async () => {
  const content = "list:\\nline one and then ana%40example.com end";

  const texts = await guardBothWays(content, { regex: ["nline"] }, "prompt_moderation");

  expect(texts).toEqual([content, content]);
});

test("matches in a row with allowed values are masked as in the complete text", async () => {
  const settings = { rules: [PAIRS], allow_list: ["111 222", "333 111"] };

  const texts = await guardBothWays(`xxx ${"111 222 333 ".repeat(70)}end`, settings);

  const expected = `xxx ${"111 222 333 111 *** ".repeat(35)}end`;
  expect(texts).toEqual([expected, expected]);
});

test("a match that overlaps an allowed value is masked as in the complete text", async () => {
  const rules = [
    { name: "row", type: "keyword", pattern: "no sun no" },
    { name: "sun", type: "regex", pattern: "sun no sun" },
  ];

  const texts = await guardBothWays("we said no sun no sun is here", {
    rules,
    allow_list: ["no sun no"],
  });

  expect(texts).toEqual(["we said ****** is here", "we said ****** is here"]);
});

test("ids and names of events are inspected, unless they are too short or simple to be data", async () => {
  const lines = [`id: ${MAIL}`, "event: Forbidden"];
  const kept = ["id: 01a1e7ea-df3b-71a9-bb93", "id: 7", "event: v1.Delta", "event: message"];
  const stream = [...lines, ...kept].map((line) => `${line}\ndata: {"choices":[]}\n\n`);
  await using it = await makeStreaming([...stream, ...END]);

  const text = await (await it.post(CHAT, ASK)).text();

  for (const line of lines) expect(text).not.toContain(line);
  for (const line of kept) expect(text).toContain(line);
});

test("a policy change during a stream applies to later responses, not to this one or its record", async () => {
  const rest = Promise.withResolvers<void>();
  const call = (function_: object) => chunk({ tool_calls: [{ index: 0, function: function_ }] });
  await using it = await makeStreaming([
    chunk({ content: `Write to ${MAIL}. ` }),
    rest.promise,
    call({ name: "send", arguments: JSON.stringify({ to: MAIL }) }),
    ...END,
  ]);
  const kit = await kitOf();

  const reply = await it.post(CHAT, ASK);
  await kit.put(`/v1/policies/${it.policy.id}`, { output_rules: [] });
  rest.resolve();
  const text = await reply.text();
  const later = await (await it.post(CHAT, ASK)).text();

  expect(text).not.toContain("jane");
  expect(text).toEndWith(END.join(""));
  expect(later).toContain(MAIL);
  const [, output] = await it.evaluations(reply.headers.get("x-ag-trace-id"));
  expect(output).toMatchObject({ status: "transform", policy_version: 1 });
});

test("a blocked stream ends like a filtered response, and the upstream call is canceled", async () => {
  const never = new Promise<void>(() => {});
  const stream = [chunk({ content: "It is " }), chunk({ content: "forbidden." })];
  await using it = await makeStreaming([...stream, ...END, never]);

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  expect(text).not.toContain("forbidden");
  expect(text).toContain('"finish_reason":"content_filter"');
  expect(text).toEndWith("data: [DONE]\n\n");
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.event(trace_id)).toMatchObject({ status: 200, error_code: "guard_blocked" });
  expect(await it.evaluations(trace_id)).toMatchObject([
    { direction: "input" },
    { direction: "output", status: "block" },
  ]);
  await until(() => it.upstream.hits[0]?.cancelled === true);
});

test("in observe mode bytes pass at once, and the complete response is recorded", async () => {
  const next = Promise.withResolvers<void>();
  const first = chunk({ content: `It is forbidden to write to ${MAIL}` });
  await using it = await makeStreaming([first, next.promise, ...END], {
    guard: { stream: "observe" },
  });

  const reply = await it.post(CHAT, ASK);
  const reader = reply.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  next.resolve();
  let rest = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    rest += Buffer.from(read.value).toString();
  }

  expect(Buffer.from(value ?? []).toString() + rest).toBe([first, ...END].join(""));
  const trace_id = reply.headers.get("x-ag-trace-id");
  await until(async () => (await it.evaluations(trace_id)).length === 2);
  expect(await it.evaluations(trace_id)).toMatchObject([
    {},
    { direction: "output", status: "block" },
  ]);
});

test.each(["closed", "open"])(
  "a stream that cannot be read is a failure of a fail-%s collector",
  async (fail_mode) => {
    const stream = [
      chunk({ content: `To ${MAIL}: ` }),
      'data: {"cut\n\n',
      chunk({ content: MAIL }),
      ...END,
    ];
    await using it = await makeStreaming(stream, { collector: { fail_mode } });

    const reply = await it.post(CHAT, ASK);
    const text = await reply.text();

    const trace_id = reply.headers.get("x-ag-trace-id");
    const [, output] = await it.evaluations(trace_id);
    expect(output).toMatchObject({
      direction: "output",
      detectors: {
        uninspected: [{ reason: "unreadable", detail: expect.stringContaining("JSON") }],
      },
    });
    const { error_code } = await it.event(trace_id);
    if (fail_mode === "open") {
      expect(text).toContain(MAIL);
      expect(text).toEndWith(stream.slice(1).join(""));
      expect(error_code).toBe(null);
    } else {
      expect(text).not.toContain("jane");
      expect(text).toEndWith("\n\n");
      expect(JSON.parse(text.slice(text.lastIndexOf("data: ") + 6))).toMatchObject({
        error: { code: "guard_unavailable" },
        trace_id,
      });
      expect(error_code).toBe("guard_unavailable");
    }
  },
);

test("an event of 30 MB ends a stream without holding it in memory", async () => {
  const part = "x".repeat(1024 * 1024);
  await using it = await makeStreaming([
    "data: ",
    ...Array.from({ length: 30 }, () => part),
    ...END,
  ]);

  const text = await (await it.post(CHAT, ASK)).text();

  expect(text).toContain('"guard_unavailable"');
  expect(text).toContain("4 MiB");
  expect(text.length).toBeLessThan(1000);
});

test.each(["exact", "observe"])("a stream in UTF-16 is recorded as unread: %s", async (stream) => {
  const body = Buffer.from(`\ufeff${chunk({ content: MAIL })}${END.join("")}`, "utf16le");
  const headers = { "content-type": "text/event-stream; charset=utf-16" };
  await using it = await makeStreaming([], { script: { headers, body }, guard: { stream } });

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  const trace_id = reply.headers.get("x-ag-trace-id");
  await until(async () => (await it.evaluations(trace_id)).length === 2);
  expect(await it.evaluations(trace_id)).toMatchObject([
    {},
    { detectors: { uninspected: [{ detail: expect.stringContaining("UTF-8") }] } },
  ]);
  if (stream === "exact") expect(text).toContain('"guard_unavailable"');
});

test("a stream of an endpoint that does not stream is not sent unread", async () => {
  await using it = await makeStreaming([chunk({ content: MAIL }), ...END]);

  const reply = await it.post("/v1/responses/compact", { model: "gpt-4o", input: "Hello" });

  expect(reply.status).toBe(503);
  const evaluations = await it.evaluations(reply.headers.get("x-ag-trace-id"));
  expect(evaluations).toMatchObject([{}, { detectors: { uninspected: [{}] } }]);
});

test("a compressed stream is not sent unread", async () => {
  const body = gzipSync(END.join(""));
  const headers = { ...EVENTS, "content-encoding": "gzip" };
  for (const [fail_mode, status] of [
    ["closed", 503],
    ["open", 200],
  ] as const) {
    await using it = await makeStreaming([], {
      script: { headers, body },
      collector: { fail_mode },
    });

    const reply = await it.post(CHAT, ASK);

    expect(reply.status).toBe(status);
    const evaluations = await it.evaluations(reply.headers.get("x-ag-trace-id"));
    expect(evaluations).toMatchObject([{}, { detectors: { uninspected: [{}] } }]);
  }
});

test("text before a missing terminator is evaluated and sent, then the error event", async () => {
  await using it = await makeStreaming([chunk({ content: `Write to ${MAIL}` })]);

  const reply = await it.post(CHAT, ASK);
  const text = await reply.text();

  expect(textOf(text)).toStartWith("Write to ");
  expect(text).not.toContain("jane");
  expect(text).toContain('"upstream_failed"');
  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.evaluations(trace_id)).toMatchObject([{}, { status: "transform" }]);
});

test("a client that disconnects ends the upstream call, and the response so far is recorded", async () => {
  const never = new Promise<void>(() => {});
  await using it = await makeStreaming([chunk({ content: `Write to ${MAIL}` }), never, ...END]);
  const abort = new AbortController();

  const reply = await it.call(CHAT, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(ASK),
    signal: abort.signal,
  });
  await reply.body?.getReader().read();
  abort.abort();

  const trace_id = reply.headers.get("x-ag-trace-id");
  expect(await it.event(trace_id)).toMatchObject({ error_code: "client_closed" });
  await until(async () => (await it.evaluations(trace_id)).length === 2);
  expect(await it.evaluations(trace_id)).toMatchObject([{}, { status: "transform" }]);
  await until(() => it.upstream.hits[0]?.cancelled === true);
});

test("the model gets placeholders, and the client the original values, in text and arguments", async () => {
  const kit = await kitOf();
  const masks = await makeDetector(kit, "data_loss_prevention", { reversible: true });
  const restores = await makeDetector(kit, "restore_masks");
  await using it = await makeGuardedConsumer(
    kit,
    {
      input_rules: [{ detector_id: masks.id, action: "transform" }],
      output_rules: [{ detector_id: restores.id, action: "transform" }],
    },
    {
      script: ({ body }) => {
        const { content } = JSON.parse(body.toString()).messages[0];
        const call = { index: 0, id: "call_1", type: "function" };
        const args = JSON.stringify({ to: content });
        const chunks = [
          ...content.split(/(?=[_>])/).map((piece: string) => chunk({ content: piece })),
          chunk({ tool_calls: [{ ...call, function: { name: "send", arguments: "" } }] }),
          ...[args.slice(0, 12), args.slice(12)].map((piece) =>
            chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
          ),
          ...END,
        ];
        return { headers: EVENTS, chunks };
      },
    },
  );

  const reply = await it.post(CHAT, { ...ASK, messages: [{ role: "user", content: MAIL }] });
  const text = await reply.text();

  expect(it.upstream.hits[0]?.body.toString()).not.toContain("jane");
  expect(textOf(text)).toBe(MAIL);
  expect(text).toContain(JSON.stringify(JSON.stringify({ to: MAIL })));
});

/** Reads the next bytes of a response as text. */
async function readNext(reader: ReadableStreamDefaultReader<Uint8Array> | undefined) {
  return Buffer.from((await reader?.read())?.value ?? []).toString();
}

test("text that no rule can change any more is sent before the next arrives", async () => {
  const next = Promise.withResolvers<void>();
  const first = chunk({ content: "The first sentence is final. And" });
  await using it = await makeStreaming([first, next.promise, ...END]);

  const reader = (await it.post(CHAT, ASK)).body?.getReader();
  const sent = await readNext(reader);
  next.resolve();
  const rest = await readNext(reader);

  expect(textOf(sent)).toStartWith("The first sentence is");
  expect(textOf(sent + rest)).toBe("The first sentence is final. And");
});

test("a connection is kept open while the whole response is held", async () => {
  const gate = {
    name: "needs the whole response",
    when: { field: "tool.name", op: "eq", value: "pay" },
    action: "block",
  };
  const slow = Array.from({ length: 20 }, () => [20, chunk({ content: "x" })]).flat();
  await using it = await makeStreaming([...slow, ...END], { policy: { gates: [gate] } });

  let reply: Response | undefined;
  const received = it.post(CHAT, ASK).then((value) => {
    reply = value;
  });
  await until(() => {
    clock.advance(20_000);
    return reply !== undefined;
  });
  await received;

  const text = (await reply?.text()) ?? "";
  expect(text).toStartWith(": held\n\n");
  expect(textOf(text)).toBe("x".repeat(20));
});

test("a transcription is masked, and a blocked one ends with an error event", async () => {
  const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
  const deltas = (...list: string[]) => [
    ...list.map((delta) => event({ type: "transcript.text.delta", delta })),
    event({ type: "transcript.text.done", text: list.join("") }),
  ];
  await using it = await makeStreaming([]);
  const transcribe = async (...list: string[]) => {
    it.upstream.script({ headers: EVENTS, chunks: deltas(...list) });
    const reply = await it.form("/v1/audio/transcriptions", [
      ["model", "whisper-1"],
      ["stream", "true"],
      ["file", "sound", "a.mp3"],
    ]);
    return await reply.text();
  };

  const masked = await transcribe("Write to jane.", "doe@example.com", " now");
  const blocked = await transcribe("It is for", "bidden now");

  expect(masked).not.toContain("jane");
  expect(masked).not.toContain("doe@");
  expect(masked).toMatch(/"text":"Write to \S+ now"/);
  expect(blocked).not.toContain("bidden");
  expect(blocked).toContain('"code":"guard_blocked"');
});

test("a complete response to a request for a stream is masked", async () => {
  const message = { role: "assistant", content: `Write to ${MAIL}` };
  const body = { id: "c1", choices: [{ index: 0, message, finish_reason: "stop" }] };
  await using it = await makeStreaming([], { script: { body } });

  const reply = await it.post(CHAT, ASK);

  expect(reply.headers.get("content-type")).toStartWith("application/json");
  expect(await reply.text()).not.toContain("jane");
});

test.each(["exact", "observe"])(
  "in %s mode a slow client slows the upstream down",
  async (stream) => {
    let made = 0;
    const comment = Buffer.from(`: ${"x".repeat(60)}\n\n`.repeat(1000));
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(
          new ReadableStream(
            {
              pull(controller) {
                made += comment.length;
                controller.enqueue(comment);
              },
            },
            { highWaterMark: 0 },
          ),
          { headers: EVENTS },
        ),
    });
    const attach = { url: `http://127.0.0.1:${server.port}` };
    await using it = await makeStreaming([], { attach, guard: { stream } });
    const leave = new AbortController();
    const body = JSON.stringify(ASK);
    const headers = { "content-type": "application/json" };

    const reply = await it.call(CHAT, { method: "POST", headers, body, signal: leave.signal });
    await reply.body?.getReader().read();
    let before = -1;
    await until(async () => {
      const isAtRest = made === before;
      before = made;
      await Bun.sleep(90);
      return isAtRest || made > MAX_BUFFERED_BYTES;
    });
    leave.abort();
    await server.stop(true);

    expect(made).toBeLessThan(MAX_BUFFERED_BYTES);
  },
);

/** Sockets and the runtime buffer less. */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024;

test("a stream has the same text as the complete response, however it is split", async () => {
  const random = seeded(20);
  const fragments = [
    MAIL,
    "4111 1111 1111 1111",
    "4111-1111",
    "jane.doe@exam",
    "https://example.com/a?b=c",
    "DE89 3702 0440 0532 0130 00",
    "\u{1f600}",
    "caf\u00e9",
    "forbid",
    ". ",
    " ",
    "\n",
    ", ",
    "word",
    "12",
  ];
  await using it = await makeStreaming([]);
  for (let round = 0; round < 20; round++) {
    const content = Array.from({ length: 1 + random.below(12) }, () => random.pick(fragments)).join(
      "",
    );
    const deltas: string[] = [];
    for (let at = 0; at < content.length; ) {
      const end = at + 1 + random.below(random.pick([1, 4, 30]));
      deltas.push(content.slice(at, end));
      at = end;
    }
    const message = { role: "assistant", content };
    it.upstream.script(({ body }) =>
      body.includes('"stream":true')
        ? { headers: EVENTS, chunks: [...deltas.map((each) => chunk({ content: each })), ...END] }
        : { body: { id: "c1", choices: [{ index: 0, message, finish_reason: "stop" }] } },
    );

    const streamed = textOf(await (await it.post(CHAT, ASK)).text());
    const whole = await (await it.post(CHAT, { ...ASK, stream: false })).json();

    expect({ content, text: streamed }).toEqual({
      content,
      text: (whole as { choices: [{ message: typeof message }] }).choices[0].message.content,
    });
  }
});

test("a response that begins with many blank lines takes little CPU time", async () => {
  const blank = "\n".repeat(1_000_000);
  await using it = await makeStreaming([blank, chunk({ content: "hello" }), ...END]);
  const before = process.cpuUsage();

  const text = await (await it.post(CHAT, ASK)).text();

  const { user, system } = process.cpuUsage(before);
  expect(text.length).toBeGreaterThan(blank.length);
  expect(textOf(text)).toBe("hello");
  expect((user + system) / 1000).toBeLessThan(800);
});

test("text in the chunk that ends a choice is not sent after its end", async () => {
  const stream = [
    chunk({ content: "Write to jane.d" }),
    chunk({ content: "oe@example.com, or to joe" }, { finish_reason: "stop" }),
  ];
  await using it = await makeStreaming([...stream, USAGE, "data: [DONE]\n\n"]);

  const text = await (await it.post(CHAT, ASK)).text();

  expect(textOf(text)).toMatch(/^Write to \S+, or to joe$/);
  expect(text.slice(text.indexOf('"finish_reason":"stop"'))).not.toContain('"content"');
});
