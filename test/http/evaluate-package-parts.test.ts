/** Relationships and content types decide what a part of an Office document is, not its name. */
import { expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { zipFiles } from "../kit/docx.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PRINTER = "application/vnd.openxmlformats-officedocument.presentationml.printerSettings";

const relationships = (...targets: [type: string, target: string][]): string => {
  const elements = targets.map(([type, target], at) => {
    return `<Relationship Id="rId${at}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  });
  const namespace = "http://schemas.openxmlformats.org/package/2006/relationships";
  return `<Relationships xmlns="${namespace}">${elements.join("")}</Relationships>`;
};

const types = (...declared: string[]): string =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${declared.join("")}</Types>`;

/** Evaluates a document with a part in its folder and these relationships. */
async function verdictOf(
  part: [name: string, content: string | Uint8Array],
  targets: [type: string, target: string][],
  { body = "<w:p/>", type = `<Default Extension="bin" ContentType="${PRINTER}"/>` } = {},
): Promise<[status: string, reasons: string[]]> {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const file = zipFiles({
    [`word/${part[0]}`]: part[1],
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    "word/_rels/document.xml.rels": relationships(...targets),
    "[Content_Types].xml": types(type),
  });
  const payload = {
    messages: [
      {
        role: "user",
        content: [{ type: "file", file: { file_data: file.toString("base64") } }],
      },
    ],
  };
  const { status, detectors } = await guard.evaluate({ payload });
  return [status, detectors.uninspected.map(({ reason }) => reason)];
}

const UNKNOWN = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));
const CHUNK = '<w:altChunk r:id="rId0"/>';
const CONTENT: Record<string, Buffer> = {
  Shift_JIS: Buffer.from("82a8827182e082cc8365834c835883678140".repeat(9), "hex"),
  zlib: deflateSync("Card 4111 1111 1111 1111"),
  "unknown bytes": UNKNOWN,
};

test.each(["printerSettings1.bin", "font1.odttf", "font1.fntdata"])(
  "content that cannot be decoded is listed in a part named %s",
  async (name) => {
    for (const content of Object.values(CONTENT)) {
      const verdict = await verdictOf([name, content], [["aFChunk", name]], { body: CHUNK });
      expect(verdict).toEqual(["allow", ["binary"]]);
    }
  },
);

const SETTINGS = "printerSettings1.bin";

test.each([
  "./printerSettings1.bin",
  "/word/PRINTERSETTINGS1.BIN",
  "%70rinterSettings1%2ebin",
  "&#112;rinterSettings1.bin#a",
  `${" ".repeat(65_536)}printerSettings1.bin`,
])("printer settings are content if another relationship has the target %.30s", async (target) => {
  const targets: [string, string][] = [
    ["printerSettings", SETTINGS],
    ["aFChunk", target],
  ];

  expect(await verdictOf([SETTINGS, UNKNOWN], targets)).toEqual(["allow", ["binary"]]);
});

test("printer settings are content if the document inserts parts, or declares another type", async () => {
  const targets: [string, string][] = [["printerSettings", SETTINGS]];
  const type = `<Override PartName="/word/${SETTINGS}" ContentType="text/plain"/>`;

  for (const document of [{ body: CHUNK }, { type }]) {
    const verdict = await verdictOf([SETTINGS, UNKNOWN], targets, document);
    expect(verdict).toEqual(["allow", ["binary"]]);
  }
});

test.each([
  ["printer settings of Windows", "printerSettings", "printerSettings1.bin", UNKNOWN],
  // python-pptx adds such a part to every presentation.
  [
    "printer settings of macOS",
    "printerSettings",
    "printerSettings1.bin",
    `\x02\0\0\0\x01\0\0\0\u0019<?xml version="1.0"?><plist><key>72</key></plist>`,
  ],
  ["a font", "font", "fonts/font1.bin", UNKNOWN],
])("a part with %s is not listed", async (_, type, name, content) => {
  expect(await verdictOf([name, content], [[type, name]])).toEqual(["allow", []]);
});

/** A card in full-width digits of Shift_JIS. */
const CARD = Buffer.from([..."4111111111111111"].flatMap((digit) => [0x82, 0x4f + Number(digit)]));
const PAGE = Buffer.concat([
  Buffer.from(`<html><p>${"These are the notes of the day. ".repeat(6)}`),
  CARD,
  Buffer.from("</p></html>"),
]);

test.each([
  '<Default Extension="HTM" ContentType="text/html; charset=shift_jis"/>',
  '<Override PartName="/word/c.htm" ContentType="text/html;charset=&quot;Shift_JIS&quot;"/>',
])("a part is decoded in the charset of its content type: %s", async (type) => {
  const document = { body: CHUNK, type };

  expect(await verdictOf(["c.htm", PAGE], [["aFChunk", "c.htm"]], document)).toEqual(["block", []]);
});

test("a part whose content type has an unknown charset is listed", async () => {
  const type = '<Default Extension="htm" ContentType="text/html; charset=cp65000"/>';
  const part: [string, string] = ["c.htm", "<html><p>+ADQAMQAxADE-</p></html>"];

  expect(await verdictOf(part, [["aFChunk", "c.htm"]], { body: CHUNK, type })).toEqual([
    "allow",
    ["binary"],
  ]);
});
