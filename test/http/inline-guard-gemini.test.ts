/** The inline guard on the Gemini API: requests, complete responses and streams. */
import { expect, test } from "bun:test";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";

const kitOf = sharedKit({ settings: { ACTIVITY_COMMIT: "before" } });
const EVENTS = { "content-type": "text/event-stream" };
const MAIL = "jane.doe@example.com";
const WHOLE = "/v1beta/models/g:generateContent";
const STREAM = "/v1beta/models/g:streamGenerateContent";
const ASK = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };

type Part = Record<string, unknown>;
const content = (parts: Part[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
});
const END = content([{ text: "" }], { finishReason: "STOP" });
const toEvents = (chunks: object[]) => ({
  headers: EVENTS,
  chunks: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
});

async function makeGuarded() {
  const kit = await kitOf();
  const mails = await makeDetector(kit, "data_loss_prevention");
  const words = await makeDetector(kit, "prompt_moderation", { keywords: ["forbidden"] });
  const rules = [
    { detector_id: mails.id, action: "transform" },
    { detector_id: words.id, action: "block" },
  ];
  return await makeGuardedConsumer(
    kit,
    { input_rules: rules, output_rules: rules },
    { attach: { provider: "google" } },
  );
}

/** Parts of a stream, with texts of the same kind joined. */
function joinParts(stream: string): Part[] {
  const joined: Part[] = [];
  for (const [, data = ""] of stream.matchAll(/^data: (\{.*?)\r?$/gm)) {
    for (const part of JSON.parse(data).candidates[0].content?.parts ?? []) {
      const last = joined.at(-1);
      const continues = typeof part.text === "string" && typeof last?.text === "string";
      if (continues && last.thought === part.thought) last.text += part.text;
      else if (part.text !== "") joined.push(part);
    }
  }
  return joined;
}

test("texts, calls, results and instructions of a request are masked in the client's bytes", async () => {
  await using it = await makeGuarded();
  it.upstream.script({ body: END });
  const body = JSON.stringify(
    {
      systemInstruction: { parts: [{ text: `Ask ${MAIL}` }] },
      contents: [
        { role: "user", parts: [{ text: `I am ${MAIL}` }] },
        { role: "model", parts: [{ functionCall: { name: "send", args: { to: MAIL } } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "send", response: { output: `Sent to ${MAIL}` } } }],
        },
        { role: "user", parts: [{ inlineData: { mimeType: "text/plain", data: btoa("plain") } }] },
      ],
      tools: [{ functionDeclarations: [{ name: "send", description: `Like ${MAIL}` }] }],
    },
    null,
    3,
  );

  const reply = await it.post(WHOLE, body);

  expect(reply.status).toBe(200);
  const sent = it.upstream.hits[0]?.body.toString() ?? "";
  expect(sent).not.toContain("jane");
  const [lead = ""] = body.split("jane");
  expect(sent).toStartWith(lead);
  expect(sent.split("\n").length).toBe(body.split("\n").length);
});

test("a blocked request and a blocked response are 403 in Google's format", async () => {
  await using it = await makeGuarded();
  it.upstream.script({ body: content([{ text: "It is forbidden." }], { finishReason: "STOP" }) });

  const request = await it.post(WHOLE, { contents: [{ parts: [{ text: "forbidden" }] }] });
  const response = await it.post(WHOLE, ASK);

  for (const refused of [request, response]) {
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: { code: 403, status: "PERMISSION_DENIED", details: [{ reason: "guard_blocked" }] },
    });
  }
  expect(it.upstream.hits.length).toBe(1);
});

test("thoughts, texts and calls of a stream are masked, and recorded once", async () => {
  await using it = await makeGuarded();
  const call = {
    functionCall: { name: "send", args: { to: MAIL, n: 1 } },
    thoughtSignature: "czE=",
  };
  it.upstream.script(
    toEvents([
      content([{ text: "Think of jane.d", thought: true }]),
      content([{ text: "oe@example.com.", thought: true }]),
      content([{ text: "Write to jane" }]),
      content([{ text: ".doe@example.com now" }, call]),
      content([{ text: `And ${MAIL}` }]),
      END,
    ]),
  );

  const reply = await it.post(`${STREAM}?alt=sse`, ASK);
  const text = await reply.text();

  expect(text).not.toContain("jane");
  const parts = joinParts(text);
  expect(parts).toMatchObject([
    { text: expect.stringMatching(/^Think of \S+\.$/), thought: true },
    { text: expect.stringMatching(/^Write to \S+ now$/) },
    { functionCall: { name: "send", args: { n: 1 } }, thoughtSignature: "czE=" },
    { text: expect.stringMatching(/^And \S+$/) },
  ]);
  expect(await it.evaluations(reply.headers.get("x-ag-trace-id"))).toMatchObject([
    { direction: "input", status: "allow" },
    { direction: "output", status: "transform" },
  ]);
});

test("a stream that arrives as a list is not sent unread", async () => {
  await using it = await makeGuarded();
  const chunks = [content([{ text: "Write to jane" }]), content([{ text: ".doe@example.com" }])];
  it.upstream.script({ body: JSON.stringify(chunks) });

  const reply = await it.post(STREAM, ASK);

  expect(reply.status).toBe(503);
  expect(await reply.text()).not.toContain("jane");
});

test("a function call that is streamed in parts is not sent unread", async () => {
  await using it = await makeGuarded();
  const partial = { name: "send", partialArgs: [{ jsonPath: "$.to", stringValue: "jane" }] };
  it.upstream.script(toEvents([content([{ functionCall: partial }]), END]));

  const text = await (await it.post(`${STREAM}?alt=sse`, ASK)).text();

  expect(text).not.toContain("jane");
  expect(text).toContain("guard_unavailable");
});

test("without alt=sse a blocked stream is an array that ends with SAFETY", async () => {
  await using it = await makeGuarded();
  it.upstream.script(toEvents([content([{ text: "It is for" }]), content([{ text: "bidden." }])]));

  const chunks = await (await it.post(STREAM, ASK)).json();

  expect(JSON.stringify(chunks)).not.toContain("for");
  expect(chunks.at(-1)).toEqual({ candidates: [{ finishReason: "SAFETY", index: 0 }] });
});

test("a stream has the same parts as the complete response, however it is split", async () => {
  const random = seeded(21);
  const fragments = [MAIL, "4111 1111 1111 1111", "4111-1111", "jane.doe@exam", "\u{1f600}", ". "];
  const others = ["caf\u00e9", "forbid", " ", "\n", ", ", "word", "12"];
  await using it = await makeGuarded();
  for (let round = 0; round < 20; round++) {
    const pick = () => random.pick(random.below(2) === 0 ? fragments : others);
    const createText = () => Array.from({ length: 1 + random.below(9) }, pick).join("");
    const whole: Part[] = [
      { text: createText(), thought: true },
      { text: createText() },
      { functionCall: { name: "send", args: { to: createText() } } },
      { text: createText() },
    ].slice(random.below(3));
    const split = whole.flatMap((part) => {
      const { text = "", ...rest } = part as { text?: string };
      const pieces: Part[] = text === "" ? [rest] : [];
      for (let at = 0; at < text.length; ) {
        const end = at + 1 + random.below(random.pick([1, 4, 30]));
        pieces.push({ ...rest, text: text.slice(at, end) });
        at = end;
      }
      return pieces;
    });
    it.upstream.script(({ path }) =>
      path.endsWith(":generateContent")
        ? { body: content(whole, { finishReason: "STOP" }) }
        : toEvents([...split.map((part) => content([part])), END]),
    );

    const streamed = joinParts(await (await it.post(`${STREAM}?alt=sse`, ASK)).text());
    const response = await (await it.post(WHOLE, ASK)).json();

    expect({ whole, parts: streamed }).toEqual({
      whole,
      parts: response.candidates[0].content.parts,
    });
  }
});
