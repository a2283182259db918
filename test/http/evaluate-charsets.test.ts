/** Text is decoded with the charset that it declares, and listed as not inspected if that charset is unknown. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
/** A card in UTF-7, which is plain ASCII. */
const UTF7 = "My card is +ADQAMQAxADEAMQAxADEAMQAxADEAMQAxADEAMQAxADE-.";

const file = (type: string, text: string | Buffer): Json => {
  const file_data = `data:${type};base64,${Buffer.from(text).toString("base64")}`;
  return { messages: [{ role: "user", content: [{ type: "file", file: { file_data } }] }] };
};
const attachment = (content_type: string, text: string | Buffer): Json => ({
  input: "See the file.",
  attachments: [{ filename: "a", content_type, data: Buffer.from(text).toString("base64") }],
});

/** Returns the reasons of both ways to send a file. */
async function reasonsOf(type: string, text: string): Promise<string[][]> {
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const reasons: string[][] = [];
  for (const payload of [file(type, text), attachment(type, text)]) {
    const { detectors } = await guard.evaluate({ payload });
    reasons.push([...new Set(detectors.uninspected.map(({ reason }) => String(reason)))]);
  }
  return reasons;
}

const mail = (contentType: string): string =>
  `Subject: a\r\nContent-Type: ${contentType}\r\n\r\n${UTF7}\r\n`;
const page = (meta: string): string => `<html><head><meta ${meta}></head>${UTF7}</html>`;

test.each([
  ["a name of Windows", mail("text/plain; charset=cp65000")],
  ["an unknown name", mail('text/plain; format=flowed;\r\n\tcharset="x-any"')],
  ["a continued name", mail("text/plain; charset*0=utf; charset*1=-7")],
  ["an extended name", mail("text/plain; charset*=us-ascii''%75tf-7")],
  ["a comment in a name", mail("text/plain; charset=(x)utf-7")],
  ["a comment after the parameter", mail("text/plain; charset (x) = utf-7")],
  ["a name in a word", mail('text/plain; charset="=?us-ascii?Q?utf-7?="')],
  ["an escape in a name", mail('text/plain; charset="utf\\-7"')],
  ["a word of a header", "Subject: a\r\n =?cp65000?Q?+ADQAMQAxADE-?=\r\n\r\nHello"],
  ["a parameter of a header", mail("text/plain; name*=cp65000''+ADQAMQAxADE-")],
  ["a part of a mail", `Subject: a\n\n--b\nContent-Type: text/plain; charset=u7\n\n${UTF7}\n--b--`],
  ["a page", page('charset="hz"')],
  ["a page with other attributes", page(`name="a > b <c>" charset=cp65000`)],
  ["a page with a content type", page('http-equiv="Content-Type" content="a/b; charset=x-any"')],
  ["a page with references", page('charset="&#117;tf-7"')],
  ["XML", `<?xml version="1.0" encoding="cp65000"?><a>${UTF7}</a>`],
])("a file that declares an unknown charset is listed: %s", async (_, text) => {
  expect(await reasonsOf("text/plain", text)).toEqual([["binary"], ["binary"]]);
});

test.each([
  ["a mail", mail('text/plain; charset="us-ascii" (plain); format=flowed')],
  ["a mail in ISO-8859", mail("text/plain; charset=ISO_8859-15")],
  ["a mail without a name", mail('text/plain; charset=""')],
  ["a word of a header", "Subject: =?utf-8*en?Q?Hello?=\r\n\r\nHello"],
  ["a parameter of a header", mail("text/plain; name*0*=iso-8859-1''caf%E9")],
  ["a page", page('charset="utf-8"')],
  ["a template of a page", page('charset="{{ charset }}"')],
  ["XML", `<?xml version='1.0' encoding='utf-8'?><a>${UTF7}</a>`],
  ["a program", 'open(path, encoding="rot13")\ncharset = foo\nprint("=?charset?q?Hello?=")'],
  ["JSON", '{"charset": "x-any", "headers": ["Content-Type: text/plain; charset=x-any"]}'],
  ["Markdown", "# Charsets\n\nUse `charset=foo`, or `<?xml encoding='bar'?>`.\n"],
])("a file that declares a known charset, or mentions one, is not listed: %s", async (_, text) => {
  expect(await reasonsOf("text/plain", text)).toEqual([[], []]);
});
