/** Parts of a mail are read in any encoding, or listed. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "My card is 4111 1111 1111 1111, and this is a long line of the mail.\n";
const NOTES = "These are the notes of the day. ".repeat(6);
/** A card in full-width digits of Shift_JIS. */
const DIGITS = Buffer.from(
  [..."4111111111111111"].flatMap((digit) => [0x82, 0x4f + Number(digit)]),
);
const JAPANESE = Buffer.concat([Buffer.from(NOTES), DIGITS]);

/** Returns the verdicts of both ways to send a file. */
async function verdictsOf(source: string): Promise<[status: string, reasons: string[]][]> {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer");
  const data = Buffer.from(source).toString("base64");
  const file_data = `data:message/rfc822;base64,${data}`;
  const payloads: Json[] = [
    { messages: [{ role: "user", content: [{ type: "file", file: { file_data } }] }] },
    { input: "See the mail.", attachments: [{ filename: "a", content_type: "a/b", data }] },
  ];
  const verdicts: [string, string[]][] = [];
  for (const payload of payloads) {
    const { status, detectors } = await guard.evaluate({ payload });
    verdicts.push([status, detectors.uninspected.map(({ reason }) => reason)]);
  }
  return verdicts;
}

const BOTH = <T>(verdict: T): T[] => [verdict, verdict];

function uuencode(
  bytes: Buffer,
  { begin = "begin 644 a.txt", zero = "`", end = "\n", width = 45 } = {},
): string {
  const toSign = (value: number) => (value === 0 ? zero : String.fromCharCode(32 + value));
  const lines: string[] = [begin];
  for (let at = 0; at < bytes.length; at += width) {
    const chunk = bytes.subarray(at, at + width);
    let line = toSign(chunk.length);
    for (let three = 0; three < chunk.length; three += 3) {
      const [a = 0, b = 0, c = 0] = chunk.subarray(three, three + 3);
      const bits = (a << 16) | (b << 8) | c;
      line += [18, 12, 6, 0].map((shift) => toSign((bits >> shift) & 63)).join("");
    }
    lines.push(line.trimEnd());
  }
  return [...lines, zero, "end", ""].join(end);
}

/** Replaces each sign by the one with the same last six bits. */
const shift = (signs: string): string =>
  signs.replace(/[!-?]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 64));

const SHORT_LINES = uuencode(Buffer.from(CARD), { width: 30 });

const mail = (encoding: string, body: string, type = "text/plain"): string =>
  `Subject: a\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`;

test.each(["x-uuencode", "uuencode", "X-UUE", "7bit"])(
  "text in uuencode is read in a mail with the encoding %s",
  async (encoding) => {
    expect(await verdictsOf(mail(encoding, uuencode(Buffer.from(CARD))))).toEqual(
      BOTH(["block", []]),
    );
  },
);

test.each([
  ["after prose", `Hello,\n\nsee below.\n\n${uuencode(Buffer.from(CARD))}\nBye\n`],
  ["with spaces for zeros", uuencode(Buffer.from(`${CARD}\0\0`), { zero: " " })],
  ["with carriage returns", uuencode(Buffer.from(CARD), { end: "\r" })],
  ["without a name", uuencode(Buffer.from(CARD), { begin: "begin 0o644" })],
  ["with a long mode", uuencode(Buffer.from(CARD), { begin: `begin ${"0".repeat(30)}644 a` })],
  ["without a space after the mode", uuencode(Buffer.from(CARD), { begin: "begin 644a" })],
  ["as a second file", `${uuencode(Buffer.from(NOTES))}\n${uuencode(Buffer.from(CARD))}`],
  ["with numbers of bytes in lower case", SHORT_LINES.replace(/^[^be]/gm, shift)],
  ["with all signs in lower case", SHORT_LINES.replace(/^[^be].*/gm, shift)],
  [
    "with prose among signs in lower case",
    SHORT_LINES.replace(/^[^be].*/gm, (line) => `${shift(line)}\nsome prose`),
  ],
  ["without an end", uuencode(Buffer.from(CARD)).replace("end", "")],
])("text in uuencode is read in plain text: %s", async (_, text) => {
  expect(await verdictsOf(text)).toEqual(BOTH(["block", []]));
});

test("bytes in uuencode that are not text are listed", async () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));

  expect(await verdictsOf(mail("x-uuencode", uuencode(bytes)))).toEqual(
    BOTH(["allow", ["binary"]]),
  );
});

test("text in uuencode is decoded in the charset of the mail", async () => {
  const source = mail("x-uuencode", uuencode(JAPANESE), "text/plain; charset=shift_jis");

  expect(await verdictsOf(source)).toEqual(BOTH(["block", []]));
});

test.each(["x-yencode", "x-uuencode"])(
  "a part of a mail that is not in a known encoding is listed: %s without a file",
  async (encoding) => {
    expect(await verdictsOf(mail(encoding, NOTES))).toEqual(BOTH(["allow", ["binary"]]));
  },
);

test("prose that begins like uuencode, and known encodings, are not listed", async () => {
  for (const text of [
    `begin 1\nThe first part\n\nbegin 2\nThe second part\nend\n${NOTES}`,
    mail("8bit", NOTES),
    `The header Content-Transfer-Encoding: x-uuencode is obsolete. ${NOTES}`,
  ]) {
    expect(await verdictsOf(text)).toEqual(BOTH(["allow", []]));
  }
});

test.each(["base64", "quoted-printable", "uuencode"])(
  "a part in %s with two charsets is listed, unless its bytes are ASCII",
  async (encoding) => {
    const types = "a/b; charset=euc-kr\r\nContent-Type: a/b; charset=shift_jis";
    const encode = (bytes: Buffer): string =>
      encoding === "base64"
        ? bytes.toString("base64")
        : encoding === "uuencode"
          ? uuencode(bytes)
          : bytes.toString("latin1").replace(/[^ -~]/g, (byte) => {
              return `=${byte.charCodeAt(0).toString(16)}`;
            });

    expect(await verdictsOf(mail(encoding, encode(JAPANESE), types))).toEqual(
      BOTH(["allow", ["binary"]]),
    );
    expect(await verdictsOf(mail(encoding, encode(Buffer.from(NOTES)), types))).toEqual(
      BOTH(["allow", []]),
    );
  },
);

const RTF = `{\\rtf1\\ansi ${NOTES} \\'34111 1111 \\'31111 1111}`;
const PAGE = "<div>4111 <b>1111</b> 1111 1111</div>";
const MULTIPART = 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n';

test.each([
  ["RTF in 7bit", mail("7bit", RTF, "application/rtf")],
  ["RTF in 8bit, without a blank line", mail("8bit", RTF).replace("\r\n\r\n", "\r\n")],
  ["RTF without an encoding", `Content-Type: application/rtf\n\n${RTF}`],
  [
    "RTF after another part",
    `${MULTIPART}--b\n\n${NOTES}\n--b\nContent-Type: text/rtf\n\n${RTF}\n--b--`,
  ],
  ["RTF with a line like a delimiter", mail("7bit", RTF.replace("These", "\n--b\nThese"))],
  ["HTML in 7bit", mail("7bit", PAGE, "text/html")],
  ["HTML with a line like a delimiter", mail("7bit", `<p>a</p>\n-- \n${PAGE}`)],
  ["HTML after an open tag", `${MULTIPART}<a "\n--b\n${mail("7bit", PAGE)}\n--b--`],
])("a part of a mail that is not encoded is read as a document: %s", async (_, source) => {
  expect(await verdictsOf(source)).toEqual(BOTH(["block", []]));
});
