import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { minimalPdf } from "../../../test/kit/minimal-pdf.ts";
import { readDocumentText } from "./read-document-text.ts";

const read = (content: string | Uint8Array, content_type: string | null = null) =>
  readDocumentText(Buffer.from(content as string), { content_type });

test.each([
  ["plain words", null, "text", "plain words"],
  ["<!DOCTYPE html><p>page", "text/plain", "html", "page"],
  ["\n <html><script>a()</script>page", "application/octet-stream", "html", "page\na()"],
  [
    "text with <script>all of it</script>",
    "text/html",
    "text",
    "text with <script>all of it</script>",
  ],
  ['{"json": true}', "application/pdf", "text", '{"json": true}'],
  ["a,b\n1,2", "text/csv", "text", "a,b\n1,2"],
  ['<a b="c">d</a>', "text/xml", "text", '<a b="c">d</a>'],
  ["<article>1<b>2</b></article>", null, "text", "<article>1<b>2</b></article>\n12"],
  ["", null, "text", ""],
])("the kind of %j sent as %p is %s", async (content, contentType, kind, text) => {
  expect(await read(content, contentType)).toMatchObject({
    ok: true,
    kind: kind as "text",
    text,
    truncated: false,
  });
});

test.each([
  ["a picture", Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0), "only text is read"],
  ["an old Word file", Buffer.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), "old Office format"],
  ["an invalid zip", Buffer.from("PK\x03\x04"), "damaged"],
  ["an invalid PDF", Buffer.from("%PDF-1.7 and nothing"), "no pages"],
])("%s is rejected with a reason", async (_, bytes, reason) => {
  expect(await read(bytes, "text/plain")).toMatchObject({
    ok: false,
    reason: expect.stringContaining(reason),
  });
});

const mail = (encoding: string, body: string) =>
  [
    "Content-Type: multipart/mixed; boundary=b",
    "--b",
    "Content-Type: text/plain",
    `Content-Transfer-Encoding: ${encoding}`,
    ...["X-After: 1", "", body, "--b--", ""],
  ].join("\r\n");

test.each([
  ["quoted-printable", "4111=20=\r\n1111 caf=C3=A9", "4111 1111 café"],
  ["Base64", Buffer.from("the text of a part").toString("base64"), "the text of a part"],
  ["base64", gzipSync("packed text").toString("base64"), "packed text"],
])("a part of a mail in %s is read", async (encoding, body, text) => {
  expect(await read(mail(encoding, body))).toMatchObject({
    ok: true,
    kind: "text",
    text: expect.stringContaining(text),
    unread: [],
  });
});

test.each([
  ["a signature", "Regards\r\n-- \r\n=34111 1111"],
  ["a line like a delimiter", "Hello\r\n--x\r\n\r\n=34111 1111"],
])("quoted-printable text after %s is read", async (_, body) => {
  expect(await read(mail("quoted-printable", body))).toMatchObject({
    text: expect.stringContaining("4111 1111"),
  });
});

test.each([
  ["quoted-printable", "=?utf-8?Q?4111=201111_caf=C3=A9?="],
  ["base64", `=?UTF-8?b?${Buffer.from("4111 1111 café").toString("base64")}?=`],
  [
    "two words in two lines",
    "=?utf-8*en?q?4111=20?=\r\n =?utf-8?q?1111_caf=c3?=\r\n\t=?utf-8?q?=a9?=",
  ],
  ["another charset", "4111 =?utf-8?q?11?= =?iso-8859-1?q?11_caf=e9?="],
])("words of a header in %s are read", async (_, words) => {
  const source = `From: a@b.example\r\nSubject: ${words}\r\nTo: c@d.example\r\n\r\nHello`;

  expect(await read(source)).toMatchObject({
    kind: "text",
    text: expect.stringContaining("Subject: 4111 1111 café"),
  });
});

test.each([
  ["a mail", "To: a@b.example\r\nSubject: 4111\r\n 1111\r\n\r\nHello"],
  ["a calendar", "BEGIN:VCALENDAR\r\nSUMMARY:4111 11\r\n 11\r\nEND:VCALENDAR"],
  ["a contact", "BEGIN:VCARD\nNOTE:4111 \n\t1111\nEND:VCARD"],
])("a folded line of %s is read as one", async (_, source) => {
  expect(await read(source)).toMatchObject({ text: expect.stringContaining("4111 1111") });
});

const office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
const word = "http://schemas.microsoft.com/office/word/2003/wordml";
const htmlPart = "Content-Type: text/html\r\n\r\n";
const parts = (...bodies: string[]) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${bodies.join("\r\n--b\r\n")}\r\n--b--\r\n`;

test.each([
  ["DocBook", "<?xml version='1.0'?><para>4111 <emphasis>11</emphasis>11</para>"],
  ["DocBook without line ends", "<entry>1</entry><entry>4111 <emphasis>11</emphasis>11</entry>"],
  ["a CDATA section", "<?xml version='1.0'?><a>4111 <![CDATA[1111]]></a>"],
  ["character references", "<?xml version='1.0'?><a>&#52;111 1111</a>"],
  ["references in an attribute", "<?xml version='1.0'?><a b='&#52;111 1111'/>"],
  ["SVG", "<svg><text>4111 <tspan>11</tspan>11</text></svg>"],
  ["XHTML", "<?xml version='1.0'?><html><li>1</li><li>4111 <b>11</b>11</li></html>"],
  ["an element that HTML does not define", "<!doctype html><p>4111 <x-y>11</x-y>11"],
  ["HTML after text", "Hello, 4111 <b>11</b>11"],
  [
    "a flat OpenDocument text",
    `<office:document xmlns:office="${office}"><text:p>4111 <text:span>11</text:span>11</text:p></office:document>`,
  ],
  [
    "an XML document of Word 2003",
    `<w:wordDocument xmlns:w="${word}"><w:p><w:r><w:t>4111 </w:t></w:r><w:r><w:t>1111</w:t></w:r></w:p></w:wordDocument>`,
  ],
  ["an HTML part of a mail that begins with text", parts(`${htmlPart}Hello, 4111 <b>11</b>11`)],
  [
    "an HTML part after an unclosed script",
    parts(`${htmlPart}<script>a`, `${htmlPart}Hello, 4111 <b>11</b>11`),
  ],
  ["a part of RTF without headers", parts("\r\n{\\rtf1 4111 {\\b 11}11}")],
])("a number in %s is read", async (_, source) => {
  expect(await read(source)).toMatchObject({
    text: expect.stringMatching(/(?<!\d)4111 1111(?!\d)/),
  });
});

test("long text beside tags is read once", async () => {
  const long = "long ".repeat(10_000);

  const { text } = (await read(`<b>41</b>11 ${long}<i>x</i>`)) as { text: string };

  expect(text.length).toBeLessThan(long.length * 1.1);
});

test("indented lines of other text are read once", async () => {
  for (const source of ["Note: a\n\nb:\n  c", "a\n  b"]) {
    expect(await read(source)).toMatchObject({ text: source });
  }
});

test("a mail whose lines end with carriage returns is read", async () => {
  const body = Buffer.from("the text of a part").toString("base64");

  expect(await read(mail("base64", body).replaceAll("\n", ""))).toMatchObject({
    text: expect.stringContaining("the text of a part"),
  });
});

const PACKED = gzipSync("the text of a part").toString("base64");

test.each([
  ["a comment before its encoding", mail("(a) base64", PACKED)],
  ["its encoding in quotes", mail('"base64"', PACKED)],
  ["an experimental encoding", mail("x-base64", PACKED)],
  ["a space before the colon", mail("base64", PACKED).replace("Encoding:", "Encoding :")],
  ["two encodings", mail("quoted-printable\r\nContent-Transfer-Encoding: base64", PACKED)],
  ["no blank line before it", mail("base64", PACKED).replace(`\r\n\r\n${PACKED}`, `\r\n${PACKED}`)],
  ["a line that is not a header before it", mail("base64\r\nnot a header", PACKED)],
  [
    "an empty part without a blank line before it",
    `Content-Transfer-Encoding: quoted-printable\r\n--b\r\n${mail("base64", PACKED)}`,
  ],
])("a part of a mail with %s is read", async (_, source) => {
  expect(await read(source)).toMatchObject({
    text: expect.stringContaining("the text of a part"),
  });
});

test("a PDF after an RTF file is reported", async () => {
  const pdf = Buffer.concat([Buffer.from("{\\rtf1 Notes}%PDF-1.4\n"), gzipSync("x".repeat(99))]);

  expect(await read(pdf)).toMatchObject({ ok: true, unread: [{ problem: "binary" }] });
});

test("a part of a mail that is not text is reported", async () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));

  expect(await read(mail("base64", bytes.toString("base64")))).toMatchObject({
    ok: true,
    unread: [{ problem: "binary" }],
  });
});

test("the parts of a mail without blank lines are read in linear time", async () => {
  const part = "Content-Transfer-Encoding: base64\nX\n--\n";

  await expectLinear(read, (length) => part.repeat(length / part.length));
});

test("the declared charset is used for text", async () => {
  expect(await read(Buffer.of(0xcf, 0xf0, 0xe8), "text/plain; charset=windows-1251")).toMatchObject(
    {
      text: "При",
    },
  );
});

test("the beginning of very long text is read, and the result is marked as truncated", async () => {
  const result = await read("word ".repeat(500_000));

  expect(result).toMatchObject({ ok: true, truncated: true });
  expect(result.ok && result.text.length).toBe(2_000_000);
});

test("the type of a PDF is read in linear time", async () => {
  const pdf = minimalPdf("notes");

  await expectLinear(
    (type) => read(pdf, type),
    (length) => `${" ".repeat(length)}x`,
  );
});
