/** A form that one registry did not accept reaches the next one byte for byte, from memory or disk. */
import { expect, test } from "bun:test";
import { FORM_TYPE, type FormPart, formBytes, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";
import { startRawUpstream, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const { below } = seeded(3);
const MODEL: FormPart = ["model", "whisper-1"];
const KIB = 1024;

/** Text without repetition, so that lost, repeated or reordered bytes are detected. */
function file(kib: number): FormPart {
  const words = Array.from({ length: (kib * KIB) / 8 }, () => below(2 ** 31).toString(36));
  return ["file", words.map((word) => word.padEnd(8, "-")).join(""), "a.wav"];
}

const FORMS: [string, FormPart[]][] = [
  ["in memory", [file(500), MODEL]],
  ["in memory, all of it with its model", [MODEL, file(1)]],
  ["in memory and in a file", [file(5000), MODEL]],
];

const refusing = {
  "503": async () => startUpstream({ status: 503 }),
  "429": async () => startUpstream({ status: 429, headers: { "retry-after": "1" } }),
  "a 503 before the form is there": () =>
    startRawUpstream((socket) =>
      socket.end("HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"),
    ),
  "no connection": async () => {
    const gone = startUpstream();
    await gone[Symbol.asyncDispose]();
    return gone;
  },
};

for (const [where, parts] of FORMS) {
  test.each(Object.entries(refusing))(
    `4.7.2 a form that is buffered ${where} survives %s`,
    async (_, refuse) => {
      await using first = await refuse();
      await using second = startUpstream({ body: { text: "second" } });
      await using third = startUpstream({ status: 503 });
      const attached = [first, third, second].map(({ url }) => ({ provider: "openai", url }));
      const consumer = await makeConsumer(await kit(), attached);

      for (let round = 0; round < 3; round++) {
        const reply = await consumer.form("/v1/audio/transcriptions", parts);
        expect(await reply.json()).toEqual({ text: "second" });
      }

      const whole = formBytes(parts);
      expect(second.hits.map(({ body }) => body.equals(whole))).toEqual([true, true, true]);
      expect(third.hits.every(({ body }) => body.equals(whole))).toBe(true);
    },
  );
}

test("4.7.2 a form that streams after its model survives an unreachable upstream", async () => {
  await using gone = startUpstream();
  await using second = startUpstream({ body: { text: "second" } });
  const attached = [gone, second].map(({ url }) => ({ provider: "openai", url }));
  const consumer = await makeConsumer(await kit(), attached);
  await gone[Symbol.asyncDispose]();
  const parts = [MODEL, file(5000)];

  for (let round = 0; round < 3; round++) {
    const reply = await consumer.form("/v1/audio/transcriptions", parts);
    expect(await reply.json()).toEqual({ text: "second" });
  }

  const whole = formBytes(parts);
  expect(second.hits.map(({ body }) => body.equals(whole))).toEqual([true, true, true]);
});

test("4.7.2 a form that is still being received is not sent again after an early 503", async () => {
  await using first = await refusing["a 503 before the form is there"]();
  await using second = startUpstream({ body: { text: "second" } });
  const attached = [first, second].map(({ url }) => ({ provider: "openai", url }));
  const consumer = await makeConsumer(await kit(), attached);
  const whole = formBytes([MODEL, file(100)]);
  const slowly = new ReadableStream({
    async start(controller) {
      controller.enqueue(whole.subarray(0, 500));
      await Bun.sleep(300);
      controller.enqueue(whole.subarray(500));
      controller.close();
    },
  });
  const headers = { "content-type": FORM_TYPE };

  const reply = await consumer.call("/v1/audio/transcriptions", {
    method: "POST",
    headers,
    body: slowly,
  });

  expect([reply.status, second.hits.length]).toEqual([503, 0]);
});

test("a header that an administrator configured in upper case is sent", async () => {
  await using upstream = startUpstream({ body: {} });
  const options = { headers: { "X-Api-Version": "7" } };
  const attached = [{ provider: "openai_compatible", url: upstream.url, options }];
  const consumer = await makeConsumer(await kit(), attached);

  const reply = await consumer.post("/v1/chat/completions", { model: "m", messages: [] });

  expect(reply.status).toBe(200);
  expect(upstream.hits[0]?.headers["x-api-version"]).toBe("7");
});
