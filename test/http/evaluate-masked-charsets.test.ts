/** A masked file is UTF-8, and declares it where it declared another charset. */
import { expect, test } from "bun:test";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "4111 1111 1111 1111";

/** Returns the text of a masked file. */
async function maskedText(file: Buffer): Promise<string> {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention", {
    action: "transform",
  });
  const file_data = `data:a/b;base64,${file.toString("base64")}`;
  const messages = [{ role: "user", content: [{ type: "file", file: { file_data } }] }];
  const { transformed_payload } = await guard.evaluate({ payload: { messages } });
  const [, data = ""] = JSON.stringify(transformed_payload).split(";base64,");
  return Buffer.from(data.slice(0, data.indexOf('"')), "base64").toString();
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const wide = (text: string): Buffer => Buffer.from(text, "utf16le");

test.each([
  ["a page", latin1(`<meta charset="koi8-r"><p>\xf0\xd2 ${CARD}`), '<meta charset="utf-8"><p>Пр'],
  [
    "a page with a content type",
    latin1(`<meta content='text/html; charset=koi8-r'><p>\xf0\xd2 ${CARD}`),
    "<meta content='text/html; charset=utf-8'><p>Пр",
  ],
  ["XML", latin1(`<?xml encoding='koi8-r'?>\xf0\xd2 ${CARD}`), "<?xml encoding='utf-8'?>Пр"],
  ["XML in UTF-16", wide(`\ufeff<?xml encoding="UTF-16"?>П ${CARD}`), '<?xml encoding="utf-8"?>П'],
  [
    "a mail",
    latin1(`Subject: =?koi8-r?b?8NI=?=\nContent-Type: a/b; charset=koi8-r\n\n\xf0\xd2 ${CARD}`),
    "Subject: =?koi8-r?b?8NI=?=\nContent-Type: a/b; charset=utf-8\n\nПр",
  ],
])("a masked file declares UTF-8: %s", async (_, file, start) => {
  const text = await maskedText(file);
  expect(text).toStartWith(start);
  expect(text).not.toContain(CARD);
});

test("a masked file in UTF-8 that mentions another charset is not changed", async () => {
  const header = "Content-Type: text/html; charset=koi8-r\n";
  expect(await maskedText(Buffer.from(`${header}é ${CARD}`))).toStartWith(header);
});

test("the parts of a masked mail declare the charset in which they are encoded", async () => {
  const part = "Content-Type: a/b; charset=koi8-r\nContent-Transfer-Encoding: base64\n\n8NI=\n";
  expect(await maskedText(latin1(`Subject: caf\xe9 ${CARD}\n${part}`))).toEndWith(part);
});
