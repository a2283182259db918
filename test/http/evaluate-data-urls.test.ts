/** Text around encoded bytes is inspected, and files are read from any member of a payload. */
import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { minimalPdf } from "../kit/minimal-pdf.ts";

const kit = sharedKit();
const CARD = "Card 4111 1111 1111 1111";
const HELLO = Buffer.from("Hello").toString("base64");
/** Without padding, after which words would not count as base64. */
const PICTURE = Buffer.from(`\x89PNG\r\n\x1a\n\0${"\0\x01\xfe".repeat(100)}`, "latin1").toString(
  "base64",
);

const call = (argument: string): Json => ({
  messages: [{ role: "assistant", tool_calls: [{ function: { name: "a", arguments: argument } }] }],
});
const note = (text: string): Json => call(JSON.stringify({ note: text }));
const part = (members: object): Json => ({ messages: [{ role: "user", content: [members] }] });
const image = (url: string): Json => part({ type: "image_url", image_url: { url } });

test.each([
  ["the media type of a data URL", `data:${CARD},%20`],
  ["the media type of a data URL in base64", `data:${CARD};base64,${HELLO}`],
  ["a parameter of a data URL", `data:text/plain;x=4111-1111-1111-1111;base64,${HELLO}`],
  ["the charset of a data URL", `data:text/plain;charset=4111-1111-1111-1111,%20`],
  ["words after a picture", `data:image/png;base64,${PICTURE} ${CARD}`],
  ["signs after the start of a picture", `${PICTURE}.${CARD.replaceAll(" ", "-")}.`],
])("text in %s is inspected", async (_, text) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  expect((await guard.evaluate({ payload: note(text) })).status).toBe("block");
});

test("prose that begins like a data URL is masked as text, and not listed", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });

  const verdict = await guard.evaluate({ payload: note(`Data: ${CARD}, and 50% more`) });

  expect(verdict.transformed_payload).toEqual(note("Data: Card [MASKED_CC], and 50% more"));
  expect(verdict.detectors.uninspected).toEqual([]);
});

const PDF = minimalPdf(CARD).toString("base64");

test.each<[string, Json]>([
  ["an A2A part", part({ raw: PDF, mediaType: "application/pdf" })],
  ["a member of any name", part({ type: "x", payload: PDF.replace(/.{60}/g, "$&\n") })],
  ["an argument of a tool", note(PDF)],
  ["a data URL without `base64`", image(`data:application/pdf,${PDF}`)],
  ["a data URL with a parameter after `base64`", image(`data:a/b;base64;x=y,${PDF}`)],
  ["a data URL with a long name", image(`data:a/b;name=${"n".repeat(300)};base64,${PDF}`)],
  ["a data URL after spaces", image(`${" ".repeat(12)}data:a/b;base64,${PDF}`)],
  ["a data URL with a line end in its scheme", image(`da\nta:a/b;base64,${PDF}`)],
])("a PDF in %s is read", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");

  expect((await guard.evaluate({ payload })).status).toBe("block");
});

const SEALED = randomBytes(2000).toString("base64");

test.each<[string, Json, string]>([
  ["Mistral's audio", part({ type: "input_audio", input_audio: PICTURE }), "media"],
  ["Ollama's images", { messages: [{ role: "user", content: "a", images: [PICTURE] }] }, "media"],
  [
    "Bedrock's encrypted reasoning",
    part({ reasoningContent: { redactedContent: Buffer.alloc(99, 0x9f).toString("base64") } }),
    "encrypted",
  ],
  [
    "Anthropic's encrypted reasoning",
    { messages: [{ role: "assistant", content: [{ type: "redacted_thinking", data: SEALED }] }] },
    "encrypted",
  ],
  ["the same in a user message", part({ type: "redacted_thinking", data: SEALED }), "binary"],
  [
    "OpenRouter's encrypted reasoning",
    {
      messages: [
        { role: "assistant", reasoning_details: [{ type: "reasoning.encrypted", data: SEALED }] },
      ],
    },
    "encrypted",
  ],
  [
    "an argument that is named like encrypted reasoning",
    part({ type: "tool_use", input: { type: "redacted_thinking", data: SEALED } }),
    "binary",
  ],
])("%s is listed as not inspected", async (_, payload, reason) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const { detectors } = await guard.evaluate({ payload });

  expect(detectors.uninspected).toMatchObject([{ reason }]);
});

test.each(["iso-8859-1", "ISO-8859-15", "shift_jis", "euc_jp"])(
  "text of a data URL in %s is inspected",
  async (charset) => {
    const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
    const payload = file(`data:text/plain;charset=${charset};base64,${encode(CARD)}`);

    const { status, detectors } = await guard.evaluate({ payload });

    expect([status, detectors.uninspected]).toEqual(["block", []]);
  },
);

/** Text with a card in UTF-7, which is plain ASCII. */
const UTF7 = "My card is +ADQAMQAxADEAMQAxADEAMQAxADEAMQAxADEAMQAxADE-.";
const encode = (text: string) => Buffer.from(text).toString("base64");
const file = (file_data: string): Json =>
  part({ type: "file", file: { filename: "a.txt", file_data } });
const resource = (mimeType: string, text: string): Json =>
  part({ type: "resource", resource: { uri: "a:b", mimeType, blob: encode(text) } });

test.each<[string, Json, boolean]>([
  ["UTF-7 in a data URL", file(`data:text/plain;charset=utf-7;base64,${encode(UTF7)}`), true],
  ["UTF-7 without base64", file(`data:text/plain;charset="x-UTF-7",${UTF7}%20`), true],
  ["UTF-7 without escapes", file(`data:text/plain;charset=utf-7,${UTF7}`), true],
  [
    "UTF-7 and another parameter",
    file(`data:text/plain;charset=utf-7;format=flowed,${UTF7}%20`),
    true,
  ],
  ["UTF-7 after another charset", resource("a/b;charset=ascii;charset='utf-7'", UTF7), true],
  ["UTF-7 in an extended parameter", resource("a/b; charset*=us-ascii''utf-7", UTF7), true],
  [
    "UTF-7 in a folded header",
    resource(
      "",
      `Content-Type: text/plain;\n format=flowed;\n charset*=us-ascii''utf-7\n\n${UTF7}`,
    ),
    true,
  ],
  ["HZ in a resource", resource("text/plain; charset=hz-gb-2312", "~{VP~} text"), true],
  ["UTF-7 in a page", resource("text/html", `<meta charset="utf-7">${UTF7}`), true],
  ["UTF-7 in XML", resource("", `<?xml version="1.0" encoding="UTF-7"?><a>${UTF7}</a>`), true],
  ["UTF-7 in a mail", resource("", `Content-Type: text/plain;\n charset=utf-7\n\n${UTF7}`), true],
  ["UTF-7 in a header", resource("", `Subject: =?utf-7?Q?+ADQAMQAxADE-?=\n\nHello`), true],
  ["ISO-2022-JP", resource("", "Text \x1b$B#4#1#1#1\x1b(B"), true],
  ["Latin-1", file(`data:text/plain;charset=iso8859_1;base64,${encode("Some text")}`), false],
  ["UTF-32", resource("text/plain; charset=utf-32", "Some text"), false],
  ["a note on UTF-7", resource("text/plain", `UTF-7 writes ${UTF7}`), false],
])("a text file in a charset that is not decoded is listed: %s", async (_, payload, isListed) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const { detectors } = await guard.evaluate({ payload });

  const reasons = detectors.uninspected.map(({ reason }: Json) => reason);
  expect(reasons.includes("binary")).toBe(isListed);
});
