/** Encoded bytes of a payload are decoded and inspected, or listed as not inspected. */
import { expect, test } from "bun:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "Card 4111 1111 1111 1111";
const NOTE = `${CARD}. ${"These are the notes of the meeting. ".repeat(3)}`;

const part = (content: object): Json => ({ messages: [{ role: "user", content: [content] }] });
const source = (members: object): Json => part({ type: "document", source: members });
const dataUrl = (data: string): Json =>
  part({ type: "file", file: { file_data: `data:text/plain;base64,${data}` } });

/** Members that the format declares as base64. */
const DECLARED: Record<string, (data: string) => Json> = {
  "a data URL": dataUrl,
  "an MCP blob": (blob) => part({ type: "resource", resource: { uri: "a:b", blob } }),
  "an MCP image": (data) => part({ type: "image", data, mimeType: "text/plain" }),
  "an Anthropic source": (data) => source({ type: "base64", media_type: "x/y", data }),
  "Google inline data": (data) => part({ inlineData: { mimeType: "x/y", data } }),
  "Bedrock bytes": (bytes) => part({ document: { source: { bytes } } }),
  "OpenAI audio": (data) => part({ type: "input_audio", input_audio: { data, format: "pcm16" } }),
};
const UNDECLARED = (data: string): Json => ({ input: [{ type: "redacted", data }] });

const WRAPPINGS = [
  [1, "\n"],
  [4, "\r\n"],
  [7, "\t"],
  [19, " "],
  [39, "\r\n"],
] as const;
function* wrap(bytes: Uint8Array): Generator<string> {
  const base64 = Buffer.from(bytes).toString("base64");
  for (const [width, separator] of WRAPPINGS) {
    yield base64.replace(new RegExp(`.{${width}}`, "g"), `$&${separator}`);
  }
  // Lines of different lengths.
  yield base64.replace(/(.{3})(.{11})/g, "$1\n$2 \n");
}

const BYTES = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));
const PICTURE = Buffer.from(`\x89PNG\r\n\x1a\n${"\x00\x01\xfe".repeat(100)}`, "latin1");
const PDF = Buffer.from(`%PDF-1.7${"\x00".repeat(80)}`);
const ZSTD = zstdCompressSync(NOTE);

test.each([...Object.entries(DECLARED), ["a member that declares nothing", UNDECLARED]] as const)(
  "text in %s is inspected with base64 lines of any length",
  async (_, payloadOf) => {
    const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

    for (const lines of wrap(Buffer.from(NOTE))) {
      const { status, detectors } = await guard.evaluate({ payload: payloadOf(lines) });
      expect({ lines, status, uninspected: detectors.uninspected }).toEqual({
        lines,
        status: "block",
        uninspected: [],
      });
    }
  },
);

test.each(Object.entries(DECLARED))(
  "bytes in %s are listed as not inspected with lines of any length",
  async (_, payloadOf) => {
    const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

    for (const [bytes, reason] of [
      [BYTES, "binary"],
      [PICTURE, "media"],
      [PDF, "not_opened"],
    ] as const) {
      for (const lines of wrap(bytes)) {
        const { detectors } = await guard.evaluate({ payload: payloadOf(lines) });
        expect(detectors.uninspected.map((each) => each.reason)).toEqual([reason]);
      }
    }
  },
);

test("wrapped bytes of a known format are listed where nothing declares base64", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  for (const [bytes, reason] of [
    [ZSTD, "binary"],
    [PICTURE, "media"],
    [PDF, "not_opened"],
  ] as const) {
    for (const lines of wrap(bytes)) {
      const { detectors } = await guard.evaluate({ payload: UNDECLARED(lines) });
      expect(detectors.uninspected).toEqual([{ pointer: "/input/0/data", reason }]);
    }
  }
});

test("short text that the format declares as base64 is inspected", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  for (const [member, payloadOf] of Object.entries(DECLARED)) {
    for (const lines of wrap(Buffer.from(CARD))) {
      const { status } = await guard.evaluate({ payload: payloadOf(lines) });
      expect({ member, lines, status }).toEqual({ member, lines, status: "block" });
    }
  }
});

test.each([
  ["words", `${CARD} and then the words of a note that has no full stop at its end so far ok`],
  [
    "names of files",
    `src/policy/payload\nsrc/lib/documents\n${CARD}\n${"test/http/kit\n".repeat(9)}`,
  ],
  ["settings", `PATH=/usr/bin\nNODE_ENV=production\n${CARD}\n${"KEY=value\n".repeat(9)}`],
  ["comments", `//Even ${CARD} ${"words of a comment ".repeat(9)}`],
  ["numbers", `${CARD} ${"12 34 56 ".repeat(30)}`],
])("%s in a member that may be base64 are read as text", async (_, text) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const payloads = [
    UNDECLARED(text),
    source({ type: "text", media_type: "text/plain", data: text }),
    { input: [{ type: "image_generation_call", result: text }] },
    { input: [{ type: "reasoning", signature: text }] },
  ];

  for (const payload of payloads) {
    const { status, detectors } = await guard.evaluate({ payload });
    expect({ status, uninspected: detectors.uninspected }).toEqual({
      status: "block",
      uninspected: [],
    });
  }
});

/** Starts of compressed files whose remaining bytes may be printable. */
const COMPRESSED: [format: string, start: string][] = [
  ["zstd", "\x28\xb5\x2f\xfd"],
  ["a skippable frame of zstd or lz4", "\x5a\x2a\x4d\x18"],
  ["lz4", "\x04\x22\x4d\x18"],
  ["legacy lz4", "\x02\x21\x4c\x18"],
  ["xz", "\xfd7zXZ\0"],
  ["lzip", "LZIP\x01"],
  ["bzip2", "BZh91AY&SY"],
  ["7z", "7z\xbc\xaf\x27\x1c"],
  ["rar", "Rar!\x1a\x07"],
  ["snappy", "\xff\x06\0\0sNaPpY"],
  ["lzop", "\x89LZO\0"],
  ["a cabinet", "MSCF\0\0\0\0"],
  ["zlib", "x\x9c"],
];

test.each(COMPRESSED)(
  "%s is listed as not inspected, even if it resembles text",
  async (_, start) => {
    const closed = await makeGuardWithRules(await kit(), "data_loss_prevention");
    const opening = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
    const data = Buffer.from(start + NOTE, "latin1").toString("base64");

    const member = await closed.evaluate({ payload: dataUrl(data) });
    const attached = await opening.evaluate({ payload: { attachments: [{ data }] } });

    for (const { detectors } of [member, attached]) {
      expect(detectors.uninspected).toMatchObject([{ reason: "binary" }]);
    }
  },
);

test("text that mentions a compressed format is inspected", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  for (const start of ["BZh9", "Rar!", "LZIP", "7z", "MSCF", "P*M"]) {
    const data = Buffer.from(`${start} ${NOTE}`).toString("base64");
    expect((await guard.evaluate({ payload: dataUrl(data) })).status).toBe("block");
  }
});

test.each([
  ["a picture", "iVBORw0KGgo"],
  ["audio", "//"],
  ["a PDF", "JVBERi0"],
  ["zstd", "KLUv/"],
  ["encoded text", Buffer.from("These are harmless words. ".repeat(240)).toString("base64")],
])("prose after the base64 of %s is inspected", async (_, start) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const text = `${start}Even ${CARD} ${"and then some more words ".repeat(200)}`;

  for (const payload of [UNDECLARED(text), { input: [{ type: "reasoning", signature: text }] }]) {
    expect((await guard.evaluate({ payload })).status).toBe("block");
  }
});

/** A mail whose text is harmless, with one part. */
const mail = (encoding: string, body: string, end = "\r\n") =>
  [
    "Subject: Notes",
    "MIME-Version: 1.0",
    "Content-Type: multipart/mixed; boundary=b",
    ...["", "--b", "Content-Type: application/octet-stream"],
    `Content-Transfer-Encoding: ${encoding}`,
    ...["", body, "--b--", ""],
  ].join(end);
const QUOTED_CARD = CARD.replaceAll("1", "=31");
const PACKED = gzipSync(NOTE).toString("base64");

test.each([
  ["base64", mail("base64", PACKED)],
  ["base64 after many spaces", mail(`${" ".repeat(40)}base64`, PACKED)],
  ["base64, with carriage returns only", mail("BASE64", PACKED, "\r")],
  ["quoted-printable", mail("quoted-printable", QUOTED_CARD)],
  [
    "quoted-printable after a signature",
    mail("quoted-printable", `Regards\r\n-- \r\n${QUOTED_CARD}`),
  ],
])("the parts of a mail are opened, or listed as not opened: %s", async (_, text) => {
  const opening = await makeGuardWithRules(await kit(), "doc_analyzer");
  const closed = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const base64 = Buffer.from(text).toString("base64");

  const payloads = [
    dataUrl(base64),
    part({ type: "file", file: { file_data: `data:message/rfc822,${encodeURIComponent(text)}` } }),
    part({ type: "file", file: { file_data: `data:message/rfc822,${text}` } }),
    part({ type: "resource", resource: { uri: "a:b", blob: base64 } }),
  ];

  for (const payload of payloads) {
    expect((await opening.evaluate({ payload })).status).toBe("block");
    const { detectors } = await closed.evaluate({ payload });
    expect(detectors.uninspected).toMatchObject([{ reason: "not_opened" }]);
  }
});

test("the text of a mail is inspected and masked, even if no rule opens its parts", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const text = `Subject: ${CARD}\r\n${mail("base64", PACKED)}`;

  const { transformed_payload } = await guard.evaluate({
    payload: dataUrl(Buffer.from(text).toString("base64")),
  });

  const masked = text.replace("4111 1111 1111 1111", "[MASKED_CC]");
  expect(transformed_payload).toEqual(dataUrl(Buffer.from(masked).toString("base64")));
});

test("text without encoded parts is not a document", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", { action: "report" });
  const text = mail("7bit", "See the header Content-Transfer-Encoding: base64 of RFC 2045.");

  const { detectors } = await guard.evaluate({
    payload: dataUrl(Buffer.from(text).toString("base64")),
  });

  expect(detectors.uninspected).toEqual([]);
});

const BLOB = Buffer.from(`caf\xe9 ${CARD}`, "latin1").toString("base64");
const toolResult = (result: object) => ({
  messages: [{ role: "tool", tool_call_id: "1", content: JSON.stringify(result) }],
});

test.each<[string, Json]>([
  ["a tool message", toolResult({ contents: [{ uri: "file:///a", blob: BLOB }] })],
  ["JSON in JSON of a tool message", toolResult({ text: JSON.stringify({ bytes: BLOB }) })],
  [
    "the response of a function",
    { contents: [{ parts: [{ functionResponse: { name: "read", response: { blob: BLOB } } }] }] },
  ],
  [
    "the arguments of an MCP call",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "a", arguments: { bytes: BLOB } },
    },
  ],
])("a blob with a Latin-1 byte in %s is inspected", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  expect((await guard.evaluate({ payload })).status).toBe("block");
});

test("a blob in the arguments of a call is masked, and is base64 again", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const call = (blob: string) => ({
    function: { name: "save", arguments: JSON.stringify({ blob }) },
  });
  const payload = { messages: [{ role: "assistant", tool_calls: [call(BLOB)] }] };

  const { transformed_payload } = await guard.evaluate({ payload });

  const [masked] = JSON.stringify(transformed_payload).match(/[\w+/]{20,}={0,2}/) ?? [];
  expect(Buffer.from(masked ?? "", "base64").toString()).toMatch(/^café .*\[MASKED_CC\]$/);
});
