import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { readDocumentText } from "./read-document-text.ts";

const QUOTED = "Content-Transfer-Encoding: quoted-printable\n\n";

test.each([
  ["uuencode", `begin 644 a\n${"!A\n".repeat(1_000_000)}`],
  ["quoted-printable", QUOTED + "=41".repeat(600_000)],
])("other requests run while %s of many lines or signs is decoded", async (_, source) => {
  let turns = 0;
  const others = setInterval(() => turns++, 1);

  const { ok } = await readDocumentText(Buffer.from(source), { content_type: null });
  clearInterval(others);

  expect(ok).toBe(true);
  expect(turns).toBeGreaterThan(3);
});

test("escapes of quoted-printable text are decoded wherever they are", async () => {
  // Longer than the pieces that are decoded at once, and of all lengths that may be cut.
  const word = "a=41b= \t\r\nc=";
  for (const before of ["", "x", "xx", "xxx", "xxxx", "xxxxx", "xxxxxx"]) {
    const source = QUOTED + before + `${word}\r\n`.repeat(6000);
    const read = await readDocumentText(Buffer.from(source), { content_type: null });

    expect(read).toMatchObject({ text: expect.stringContaining(before + "aAbc".repeat(6000)) });
  }
});

test.each(["{a\n", "<p>a<b>b</b>\n", "<a '\n--b\n", "{\\rtf1 a}\n"])(
  "many parts of a mail that are not encoded are read in linear time: %j",
  async (body) => {
    const part = `Content-Type: a\n\n${body}`;

    await expectLinear(
      (source) => readDocumentText(Buffer.from(source), { content_type: null }),
      (length) => part.repeat(length / part.length),
    );
  },
);

test("long text beside a page in a mail is read once", async () => {
  const page = `Content-Type: text/html\n\n<p>4111 <b>1111</b></p>\n--b\n${"QUJD".repeat(50_000)}`;

  const read = await readDocumentText(Buffer.from(page), { content_type: null });

  expect(read).toMatchObject({ text: `${page}\n4111 1111` });
});
