/** Bytes that follow text, or that a sender declares as text, are listed as not inspected. */
import { expect, test } from "bun:test";
import { deflateRawSync, gzipSync } from "node:zlib";
import type { Json } from "../kit/check-verdict.ts";
import { docx } from "../kit/docx.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { minimalPdf } from "../kit/minimal-pdf.ts";

const kit = sharedKit();
const CARD = "Card 4111 1111 1111 1111.";
const PROSE = "These are the notes of the meeting. ".repeat(200);
const CIPHER = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));

/** An archive of tar: each file after a block with its name. */
const tar = (...files: Uint8Array[]): Buffer =>
  Buffer.concat(
    files.flatMap((file) => {
      const header = Buffer.alloc(512);
      header.write("a.txt");
      return [header, file, Buffer.alloc(512 - (file.length % 512))];
    }),
  );

const member = (url: string): Json => ({
  messages: [{ role: "user", content: [{ type: "file", file: { file_data: url } }] }],
});
const attachment = (data: string, content_type = "text/plain"): Json => ({
  input: "See the file.",
  attachments: [{ filename: "a", content_type, data }],
});

/** Returns the reasons of both ways to send a file. */
async function reasonsOf(file: Buffer, content_type = "text/plain"): Promise<string[][]> {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const data = file.toString("base64");
  const reasons: string[][] = [];
  for (const payload of [
    member(`data:${content_type};base64,${data}`),
    attachment(data, content_type),
  ]) {
    const { detectors } = await guard.evaluate({ payload });
    reasons.push(detectors.uninspected.map(({ reason }) => reason));
  }
  return reasons;
}

test.each([
  ["compressed bytes", Buffer.concat([Buffer.from(PROSE), gzipSync(CARD)])],
  ["UTF-16", Buffer.concat([Buffer.from(PROSE), Buffer.from(CARD, "utf16le"), Buffer.from(PROSE)])],
  ["a file in a tar", tar(Buffer.from(PROSE), gzipSync(CARD), Buffer.from(PROSE))],
])("%s after text are listed as not inspected", async (_, file) => {
  expect(await reasonsOf(file)).toEqual([["binary"], ["binary"]]);
});

test("a gzip file after zeros, which follow another one, is listed as not inspected", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const reasonsAfter = async (...rest: Buffer[]) => {
    const data = Buffer.concat([gzipSync("notes"), Buffer.alloc(8), ...rest]).toString("base64");
    const { detectors } = await guard.evaluate({ payload: attachment(data) });
    return detectors.uninspected.map(({ reason }) => reason);
  };

  expect(await reasonsAfter(gzipSync(CARD))).toEqual(["binary"]);
  expect(await reasonsAfter()).toEqual([]);
});

test.each(["koi8-r", "windows-1251", "utf-16le", "shift_jis", "x-user-defined"])(
  "bytes that are declared as text in %s are listed as not inspected",
  async (charset) => {
    const content_type = `text/plain;charset=${charset}`;

    expect(await reasonsOf(CIPHER, content_type)).toEqual([["binary"], ["binary"]]);
  },
);

test.each([
  ["koi8-r", Buffer.from("f0d2c9d7c5d42c20ccc0c4c921".repeat(20), "hex")],
  ["utf-8", Buffer.from(`\x1b[31m${PROSE}\x1b[0m\f_\b_ déjà vu \u{1f600}`)],
])("text in %s is not listed", async (charset, file) => {
  expect(await reasonsOf(file, `text/plain;charset=${charset}`)).toEqual([[], []]);
});

test.each([
  ["Latin letters", Buffer.from(`caf\xe9 ${CARD}`, "latin1")],
  ["Cyrillic letters", Buffer.from(`${"\xf0\xd2\xc9\xd7".repeat(20)} ${CARD}`, "latin1")],
])("a false declaration of UTF-16 hides no card after %s", async (_, file) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const url = `data:text/plain;charset=utf-16;base64,${file.toString("base64")}`;

  const { status, detectors } = await guard.evaluate({ payload: member(url) });

  expect(status === "block" || detectors.uninspected.length > 0).toBe(true);
});

const wide = (text: string) => Buffer.from(text, "utf16le");

test.each([
  [
    "with digits of one byte within UTF-16",
    [wide("My number is 4111 "), Buffer.from("1111 1111 "), wide("1111, thanks.")],
  ],
  [
    "with digits of one byte within big-endian UTF-16",
    [wide("Card 4111 1111 ").swap16(), Buffer.from("1111 1111.")],
  ],
  ["after a false byte order mark", [wide("\ufeff"), wide("Card 4111 1111 1111 1111").swap16()]],
  [
    "in another byte order",
    [wide(`${"Notes of the day. ".repeat(20)} `).swap16(), wide(" 4111 1111 1111 1111 ")],
  ],
  [
    "with digits of one byte at the end of UTF-16",
    [wide("Card 4111 1111 1111 111"), Buffer.from("1")],
  ],
  [
    "with digits of one byte within UTF-32",
    [wide([..."Card 4111 1111 1111 "].join("\0")), Buffer.from("\0\x001111\0\0\0")],
  ],
])("a card %s is found, as parsers of UTF-8 read it", async (_, parts) => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const data = Buffer.concat(parts).toString("base64");
  const blob = { contents: [{ uri: "file:///a", mimeType: "text/plain", blob: data }] };

  for (const payload of [member(`data:text/plain;base64,${data}`), blob]) {
    const { status, detectors } = await guard.evaluate({ payload });
    expect(status).toBe("block");
    expect(detectors.uninspected.map(({ reason }) => String(reason))).toEqual(["binary"]);
  }
});

test.each([
  ["spaces and rules", "　　　　見出し\n────────\n一一一一\n⠀⠀⠀⠀"],
  ["Chinese", "数据在这里，请注意。一二三四五，中文的文本。"],
])("UTF-16 with a byte order mark and %s is not listed", async (_, text) => {
  const file = wide(`\ufeff${text} Notes`);

  expect([await reasonsOf(file), await reasonsOf(file.swap16())]).toEqual([
    [[], []],
    [[], []],
  ]);
});

test("text before and after other bytes is still inspected", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const [prose, card, other] = [Buffer.from(PROSE), Buffer.from(CARD), gzipSync("notes")];

  for (const parts of [
    [card, prose, other],
    [prose, other, card],
  ]) {
    const data = Buffer.concat(parts).toString("base64");
    const verdict = await guard.evaluate({ payload: member(`data:text/plain;base64,${data}`) });
    expect(verdict.status).toBe("block");
  }
});

/** A zip of files that are not compressed, after `before`. */
function zipAfter(before: Buffer, files: readonly Buffer[]): Buffer {
  const parts = [before];
  const directory: Buffer[] = [];
  let offset = before.length;
  for (const file of files) {
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt32LE(file.length, 20);
    entry.writeUInt32LE(offset, 42);
    parts.push(local, file);
    directory.push(entry);
    offset += local.length + file.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const PDF = minimalPdf("Notes");
const RTF = Buffer.from("{\\rtf1 Notes}");

test.each([
  ["a PDF", zipAfter(PDF, [Buffer.from(CARD)])],
  ["an RTF file", zipAfter(RTF, [gzipSync(CARD)])],
  ["a PDF in the same archive", zipAfter(Buffer.alloc(0), [PDF, Buffer.from(CARD)])],
])("the files of an archive after %s are read", async (_, file) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", {
    settings: { unreadable: "ignore" },
  });

  const { status } = await guard.evaluate({ payload: attachment(file.toString("base64")) });

  expect(status).toBe("block");
});

const PNG = Buffer.from(`\x89PNG\r\n\x1a\n${"\0\x01\xfe".repeat(100)}`, "latin1");

test.each<[string, (data: Buffer) => Json]>([
  ["a data URL", (data) => member(`data:image/png;base64,${data.toString("base64")}`)],
  [
    "a data URL with escapes",
    (data) => member(`data:image/png,${data.toString("hex").replace(/../g, "%$&")}`),
  ],
  ["a member", (data) => member(data.toString("base64"))],
  ["a message", (data) => ({ input: `Here: ${data.toString("base64")}` })],
])("a document after an image in %s is read, and the image is listed", async (_, toPayload) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", {
    settings: { unreadable: "ignore" },
  });
  const reasons = async (file: Buffer) => {
    const { status, detectors } = await guard.evaluate({ payload: toPayload(file) });
    return [status, ...detectors.uninspected.map(({ reason }) => String(reason))];
  };

  expect(await reasons(zipAfter(PNG, [Buffer.from(CARD)]))).toEqual([
    "block",
    "media",
    "unreadable",
  ]);
  expect(await reasons(Buffer.concat([PNG, minimalPdf(CARD)]))).toEqual(["block", "media"]);
  // The directory has offsets without the image, which some readers correct.
  expect(await reasons(Buffer.concat([PNG, docx(CARD)]))).toEqual(["allow", "media", "unreadable"]);
  expect(await reasons(Buffer.concat([PNG, Buffer.from("PK\x05\x06")]))).toEqual([
    "allow",
    "media",
  ]);
});

test.each<[string, (data: string) => Json]>([
  ["an attachment", attachment],
  ["a data URL", (data) => member(`data:text/plain;base64,${data}`)],
  [
    "a member beside a MIME type",
    (data) => ({
      messages: [
        { role: "user", content: [{ source: { type: "base64", media_type: "text/plain", data } }] },
      ],
    }),
  ],
  ["an MCP blob", (blob) => ({ contents: [{ uri: "file:///a", mimeType: "text/plain", blob }] })],
  [
    "a document of Bedrock",
    (bytes) => ({
      messages: [{ role: "user", content: [{ document: { format: "txt", source: { bytes } } }] }],
    }),
  ],
])("text around a PDF in %s that is declared as text is inspected", async (_, toPayload) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const [pdf, card] = [minimalPdf("notes"), Buffer.from(`\n${CARD}\n`)];

  for (const parts of [
    [card, pdf],
    [pdf, card],
  ]) {
    const payload = toPayload(Buffer.concat(parts).toString("base64"));
    expect((await guard.evaluate({ payload })).status).toBe("block");
  }
});

const [BEFORE, AFTER] = [
  PDF.subarray(0, PDF.indexOf("2 0 obj")),
  PDF.subarray(PDF.indexOf("2 0 obj")),
];

test.each<[string, (file: Buffer) => Json]>([
  ["a PDF", (file) => attachment(file.toString("base64"), "application/pdf")],
  ["text", (file) => attachment(file.toString("base64"))],
  ["bytes", (file) => member(`data:application/octet-stream;base64,${file.toString("base64")}`)],
  ["nothing", (file) => member(file.toString("base64"))],
  ["a resource", (file) => ({ contents: [{ uri: "file:///a", blob: file.toString("base64") }] })],
])("bytes around a PDF that is declared as %s are inspected, or listed", async (_, toPayload) => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const verdictOf = async (...parts: Buffer[]) => {
    const { status, detectors } = await guard.evaluate({
      payload: toPayload(Buffer.concat(parts)),
    });
    return [status, ...detectors.uninspected.map(({ reason }) => String(reason))];
  };

  for (const [before, after] of [
    [Buffer.alloc(0), PDF],
    [BEFORE, AFTER],
    [PDF, Buffer.alloc(0)],
  ] as const) {
    expect(await verdictOf(before, Buffer.from(`\n% ${CARD}\n`), after)).toEqual(["block"]);
    expect(await verdictOf(before, CIPHER, after)).toEqual(["allow", "binary"]);
  }
  expect(await verdictOf(PDF, wide(CARD))).toEqual(["block"]);
  expect(
    await verdictOf(PDF, Buffer.from("trailer <</A [(\n"), Buffer.from(`${CARD})]>>`)),
  ).toEqual(["block"]);
  expect(await verdictOf(PDF, PNG)).toEqual(["allow", "media"]);
});

test.each([
  ["zeros at its end", [PDF, Buffer.alloc(512)]],
  ["a few other bytes at its end", [PDF, Buffer.from("\r\n\x1a\x91\x03\xff\n", "latin1")]],
  [
    "a newer version",
    [
      PDF,
      Buffer.from(
        "9 0 obj <</A 1>> endobj\nxref\n0 1\n0000000000 65535 f \n9 1\n0000000411 00000 n \ntrailer <</Size 10/ID[(\x01\x02\x03\x04\x05\x06\x07\x08)<00>]>>\nstartxref\n411\n%%EOF\n",
      ),
    ],
  ],
  [
    "comments of binary bytes",
    [Buffer.from("%PDF-1.7\r%\xe2\xe3\xcf\xd3\r\n%\xc7\xec\x8f\xa2\n", "latin1"), PDF],
  ],
  ["the commands of a printer", [Buffer.from("\x1b%-12345X@PJL JOB\r\n"), PDF]],
])("a PDF with %s is not listed", async (_, parts) => {
  expect(await reasonsOf(Buffer.concat(parts), "application/pdf")).toEqual([[], []]);
});

test("a PDF that only contains an archive is read", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const file = Buffer.concat([zipAfter(PDF, [Buffer.from("Notes")]), Buffer.from("\n%%EOF\n")]);

  const verdict = await guard.evaluate({ payload: attachment(file.toString("base64")) });

  expect(verdict).toMatchObject({
    status: "allow",
    detectors: { uninspected: [{ reason: "binary" }] },
  });
});

/** Two padded strings of base64, which `base64 -d` decodes as one. */
const PADDED_TWICE = [
  Buffer.from("Hello!!").toString("base64") + Buffer.from(CARD).toString("base64"),
  Buffer.from(CARD).toString("base64").replace(/.{4}/g, "$&=="),
];

test.each([
  ["an attachment", (data: string) => attachment(data), "unreadable"],
  ["a data URL", (data: string) => member(`data:text/plain;base64,${data}`), "binary"],
  [
    "an attached data URL",
    (data: string) => attachment(`data:text/plain;base64,${data}`),
    "unreadable",
  ],
  ["a member that is base64", member, "binary"],
] as const)(
  "base64 after padding in %s is listed as not inspected",
  async (_, toPayload, reason) => {
    const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });

    for (const data of PADDED_TWICE) {
      const { detectors } = await guard.evaluate({ payload: toPayload(data) });
      expect(detectors.uninspected.map((each) => each.reason)).toEqual([reason]);
    }
  },
);

test("too much padding at the end hides no text", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const data = `${Buffer.from(deflateRawSync(CARD, { level: 0 })).toString("base64")}====`;

  expect((await guard.evaluate({ payload: member(data) })).status).toBe("block");
});

test("the name of an attachment is inspected", async () => {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = Buffer.from("Notes").toString("base64");
  const payload = { input: "See the file.", attachments: [{ filename: `${CARD}txt`, data }] };

  expect((await guard.evaluate({ payload })).status).toBe("block");
});
