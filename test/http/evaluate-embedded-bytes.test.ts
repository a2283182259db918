/** Bytes that are encoded inside of text, and declared nowhere, are decoded and inspected, or listed as not inspected. */
import { expect, test } from "bun:test";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const NOTE = "Müller pays with card 4111 1111 1111 1111 until Friday.";
const LONG_NOTE = `${NOTE} ${Array.from({ length: 400 }, (_, at) => at * 7919).join(" ")}`;

const LATIN1 = Buffer.from(NOTE, "latin1");
const UTF16 = Buffer.from(NOTE, "utf16le");
const toBigEndian = (bytes: Buffer) => Buffer.from(bytes).swap16();

const inText = (encoded: string) => ({
  messages: [{ role: "user", content: `Please decode this for me: ${encoded} and summarize it.` }],
});

test.each([
  ["Latin-1", LATIN1],
  ["UTF-16", UTF16],
  ["big-endian UTF-16", toBigEndian(UTF16)],
  ["UTF-16 with a byte order mark", Buffer.from(`\ufeff${NOTE}`, "utf16le")],
  [
    "big-endian UTF-16 with a byte order mark",
    toBigEndian(Buffer.from(`\ufeff${NOTE}`, "utf16le")),
  ],
  ["a control character at the beginning", Buffer.from(`\x01${NOTE}`)],
  ["a control character at the end", Buffer.from(`${NOTE}\0`)],
  ["an invalid byte", Buffer.concat([Buffer.from([0xff]), Buffer.from(NOTE)])],
])("text in base64 or hex within a message is inspected: %s", async (_, bytes) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  for (const alphabet of ["base64", "base64url", "hex"] as const) {
    const encoded = bytes.toString(alphabet);
    for (const end of ["", "\n", "\r\n"]) {
      const payload = inText(`${end}${encoded.replace(/.{60}/g, `$&${end}`)}`);
      expect((await guard.evaluate({ payload })).status).toBe("block");
    }
  }
});

/** Header of a public key with a length of two bytes, and its version. */
const PGP_PACKET = Buffer.from([0x99, 0x02, 0x0d, 0x04]);
const PICTURE = Buffer.from(`\x89PNG\r\n\x1a\n${"\x00\x01\xfe".repeat(500)}`, "latin1");

test.each([
  ["a compressed file", zstdCompressSync(LONG_NOTE), ["binary"]],
  ["long unknown bytes", deflateRawSync(LONG_NOTE), ["binary"]],
  ["a gzip file that no rule opens", gzipSync(NOTE), ["not_opened"]],
  ["a picture", PICTURE, ["media"]],
  ["a font", Buffer.concat([Buffer.from("wOF2"), randomBytes(2000)]), ["media"]],
  ["a token", randomBytes(64), []],
  [
    "a public key",
    generateKeyPairSync("rsa", { modulusLength: 4096 }).publicKey.export({
      type: "spki",
      format: "der",
    }),
    [],
  ],
  ["a public key of PGP", Buffer.concat([PGP_PACKET, randomBytes(1600)]), []],
])("%s within a message is listed if it may be content", async (_, bytes, reasons) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const base64 = bytes.toString("base64");

  const wrap = (end: string) => `${end}${base64.replace(/.{76}/g, `$&${end}`)}${end}`;
  for (const encoded of [base64, wrap("\n"), wrap("\r\n")]) {
    const { detectors } = await guard.evaluate({ payload: inText(encoded) });
    expect(detectors.uninspected.map(({ reason }) => String(reason))).toEqual(reasons);
  }
});

test("a document within a message is opened if a rule reads attachments", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");

  const { status } = await guard.evaluate({ payload: inText(gzipSync(NOTE).toString("base64")) });

  expect(status).toBe("block");
});

const SEALED = `EqgG${randomBytes(2000).toString("base64")}`;
const CALL = { type: "function", function: { name: "f", arguments: "{}" } };

test.each<[string, Json[]]>([
  [
    "LiteLLM's ids of tool calls",
    [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ ...CALL, id: `call__thought__${SEALED}` }],
      },
      { role: "tool", tool_call_id: `call__thought__${SEALED}`, content: "done" },
    ],
  ],
  [
    "LiteLLM's signatures of thoughts",
    [{ role: "assistant", provider_specific_fields: { thought_signatures: [SEALED] } }],
  ],
  [
    "reasoningEncryptedContent of the AI SDK",
    [{ role: "assistant", providerOptions: { openai: { reasoningEncryptedContent: SEALED } } }],
  ],
  ["reasoning_opaque of GitHub Copilot", [{ role: "assistant", reasoning_opaque: SEALED }]],
])("what only its issuer can read is listed as encrypted: %s", async (_, messages) => {
  const guard = await makeGuardWithRules(await kit(), "uninspected");

  const { status, detectors } = await guard.evaluate({ payload: { messages } });

  expect(status).toBe("allow");
  expect(new Set(detectors.uninspected.map(({ reason }) => String(reason)))).toEqual(
    new Set(["encrypted"]),
  );
});

test.each<[string, Json]>([
  [
    "arguments of MCP",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { arguments: { file_id: SEALED } } },
  ],
  [
    "results of MCP",
    { jsonrpc: "2.0", id: 1, result: { content: [], structuredContent: { signatures: SEALED } } },
  ],
  ["Anthropic's input", { messages: [{ content: [{ type: "tool_use", input: { id: SEALED } }] }] }],
  [
    "Gemini's arguments",
    { contents: [{ parts: [{ functionCall: { name: "f", args: { encryptedId: SEALED } } }] }] },
  ],
  [
    "Gemini's results",
    { contents: [{ parts: [{ functionResponse: { name: "f", response: { id: SEALED } } }] }] },
  ],
  [
    "Bedrock's results",
    { messages: [{ content: [{ toolResult: { content: [{ json: { docId: SEALED } }] } }] }] },
  ],
  ["Cohere's arguments", { messages: [{ tool_calls: [{ parameters: { my_id: SEALED } }] }] }],
  ["Cohere's results", { message: "x", tool_results: [{ outputs: [{ docId: SEALED }] }] }],
  ["Cohere's documents", { message: "x", documents: [{ data: { signature: SEALED } }] }],
  [
    "a list of results of MCP",
    { jsonrpc: "2.0", id: 1, result: { content: [], structuredContent: [{ my_id: SEALED }] } },
  ],
  ["variables of a prompt", { input: "x", prompt: { id: "p", variables: { user_id: SEALED } } }],
  [
    "the schema of a tool",
    { tools: [{ name: "f", input_schema: { properties: { a: { default: { id: SEALED } } } } }] },
  ],
])("bytes in the data of tools are binary under any name: %s", async (_, payload) => {
  const guard = await makeGuardWithRules(await kit(), "uninspected");

  const { status, detectors } = await guard.evaluate({ payload });

  expect(status).toBe("block");
  expect(detectors.uninspected.map(({ reason }) => String(reason))).toEqual(["binary"]);
});

test("what Anthropic encrypts for itself is listed as encrypted", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const content = { type: "encrypted_code_execution_result", encrypted_stdout: SEALED };
  const part = { type: "code_execution_tool_result", tool_use_id: "srvtoolu_1", content };

  const { detectors } = await guard.evaluate({
    payload: { messages: [{ role: "assistant", content: [part] }] },
  });

  expect(detectors.uninspected.map(({ reason }) => String(reason))).toEqual(["encrypted"]);
});

test("lists of hashes, and letters that are no base64, are not listed", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const hashes = Array.from({ length: 50 }, () => randomBytes(32).toString("hex")).join("\n");

  for (const text of [
    hashes,
    "ACGT".repeat(400),
    "-".repeat(2000),
    "a/b_c-".repeat(300),
    "Ab".repeat(900),
  ]) {
    const { detectors } = await guard.evaluate({ payload: inText(text) });
    expect(detectors.uninspected).toEqual([]);
  }
});

test.each([
  ["a list of tokens that is indented", Array.from({ length: 20 }, makeToken).join("\n    ")],
  ["a list of tokens in a JSON string", Array.from({ length: 20 }, makeToken).join("\\n")],
  ["a certificate in a JSON string", JSON.stringify(makeCertificate())],
  ["the bytecode of a contract", `0x${randomBytes(1000).toString("hex")}`],
])("%s is not listed", async (_, text) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");

  const { detectors } = await guard.evaluate({ payload: inText(text) });

  expect(detectors.uninspected).toEqual([]);
});

function makeToken(): string {
  return randomBytes(48).toString("base64");
}

/** PEM whose DER has only the header of a certificate. */
function makeCertificate(): string {
  const der = Buffer.concat([Buffer.from("308204b0", "hex"), randomBytes(1200)]).toString("base64");
  const lines = der.match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----"].join("\n");
}

const VALUE = "QmlsbHMgZ28gdG8gYW5hQGV4YW1wbGUuY29tIGFuZCB0byBub2JvZHkgZWxzZSBpbiB0aGUgdGVhbTog";

test.each([
  [`data:\n  config: ${VALUE}\n  password: x1`],
  [`@@ -1,2 +1,2 @@\n ${VALUE}\n end\n`],
  [`NOTE = "${VALUE}\\nOK"`],
  [`NOTE = "${VALUE}\\nDone"`],
  [`"Read this:\\n${VALUE}\\nRegards, Tom"`],
])("a mask of base64 leaves the next line: %s", async (input) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });

  const { transformed_payload } = await guard.evaluate({ payload: { input } });

  expect(transformed_payload).toEqual({ input: input.replace(VALUE, "[MASKED_EMAIL]") });
});

test.each(["\n  ", "\\n"])("bytes before another line are listed: %j", async (end) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const text = `${end}${randomBytes(1500).toString("base64")}${end}Regards`;

  const { detectors } = await guard.evaluate({ payload: inText(text) });

  expect(detectors.uninspected).toMatchObject([{ reason: "binary" }]);
});

test.each(["\n    ", "\r\n  ", "\\n    "])(
  "each value of an indented list is inspected, separated by %j",
  async (end) => {
    const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
    const first = "The first note of the list has some words in it only, 1.";
    const values = [first, `${NOTE} Thanks, and goodbye.`].map((note) =>
      Buffer.from(note).toString("base64url"),
    );

    const { status } = await guard.evaluate({ payload: inText(end + values.join(end) + end) });

    expect(status).toBe("block");
  },
);
