import { expect, test } from "bun:test";
import { readDocumentText } from "../read-document-text.ts";

test.each(["rc4-40", "rc4-128", "aes-128", "aes-256", "aes-256-hardened"])(
  "a PDF encrypted with %s that needs no password is read",
  async (name) => {
    const bytes = await Bun.file(`test/golden/documents/${name}.pdf`).bytes();

    expect(await readDocumentText(bytes, { content_type: null })).toMatchObject({
      ok: true,
      text: expect.stringMatching(/^Encrypted title\n+Readable without a password\n$/),
    });
  },
);
