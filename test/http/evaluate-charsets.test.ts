/** Text is decoded with the charset that it declares, and listed as not inspected if that charset is unknown. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
/** A card in UTF-7, which is plain ASCII. */
const UTF7 = "My card is +ADQAMQAxADEAMQAxADEAMQAxADEAMQAxADEAMQAxADE-.";

const file = (type: string, text: string | Buffer): Json => {
  const file_data = dataUrl(type, text);
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

/** Text with a card in full-width digits, mostly in ASCII or not. */
const ASCII = "These are the notes of the day. ".repeat(6);
const DIGITS: Record<string, Buffer> = {
  shift_jis: fullWidth(0x82, 0x4f),
  "euc-jp": fullWidth(0xa3, 0xb0),
  gb18030: fullWidth(0xa3, 0xb0),
  "euc-kr": fullWidth(0xa3, 0xb0),
  big5: fullWidth(0xa2, 0xaf),
};

/** Returns a card in a charset in which the digit 0 has these bytes. */
function fullWidth(lead: number, zero: number): Buffer {
  return Buffer.from([..."4111111111111111"].flatMap((digit) => [lead, zero + Number(digit)]));
}

const around = (start: string, text: Buffer, end = ""): Buffer =>
  Buffer.concat([Buffer.from(start), text, Buffer.from(end)]);

const verdictOf = async (detector: string, payload: Json): Promise<unknown[]> => {
  const guard = await makeGuardWithRules(await kit(), detector);
  const { status, detectors } = await guard.evaluate({ payload });
  return [status, detectors.uninspected];
};

const cases = Object.entries(DIGITS).flatMap(([charset, digits]) => [
  [charset, "mostly in ASCII", around(`${ASCII} card `, digits)] as const,
  [
    charset,
    "without ASCII",
    around("", Buffer.concat([digits, Buffer.from("\n"), digits])),
  ] as const,
]);

test.each(cases)("text in %s, %s, is decoded as its file declares", async (charset, _, text) => {
  const files = [
    around(`Subject: a\nContent-Type: text/plain; charset=${charset}\n\n`, text),
    around(`<html><head><meta charset="${charset}"></head><p>`, text, "</p></html>"),
    around(`<?xml version="1.0" encoding="${charset}"?><a>`, text, "</a>"),
  ];

  for (const each of files) {
    expect(await verdictOf("data_loss_prevention", file("a/b", each))).toEqual(["block", []]);
    expect(await verdictOf("doc_analyzer", attachment("a/b", each))).toEqual(["block", []]);
  }
});

test.each(cases)(
  "the part of a mail in %s, %s, is decoded as it declares",
  async (charset, _, text) => {
    const quoted = text.toString("latin1").replace(/[^ -~]/g, (byte) => {
      return `=${byte.charCodeAt(0).toString(16).padStart(2, "0")}`;
    });
    for (const [encoding, body] of [
      ["base64", text.toString("base64")],
      ["quoted-printable", quoted],
    ]) {
      const headers = `Content-Type: a/b; charset=${charset}\nContent-Transfer-Encoding: ${encoding}`;
      const source = `Subject: a\n\n--b\nContent-Type: a/b\n\nHello\n--b\n${headers}\n\n${body}\n--b--`;
      expect(await verdictOf("doc_analyzer", attachment("a/b", source))).toEqual(["block", []]);
    }
  },
);

test("a mail with parts in two charsets is listed, unless their bytes are ASCII", async () => {
  const parts = (letters: string) => {
    const [one, other] = ["koi8-r", "big5"].map((charset) => {
      return `--b\nContent-Type: a/b; charset=${charset}\n\n${ASCII}${letters}\n`;
    });
    return Buffer.from(`Subject: a\n\n${one}${other}--b--`, "latin1");
  };

  expect(await verdictOf("data_loss_prevention", file("a/b", parts("\xc1\xc2")))).toMatchObject([
    "allow",
    [{ reason: "binary" }],
  ]);
  expect(await verdictOf("data_loss_prevention", file("a/b", parts("")))).toEqual(["allow", []]);
});

const BESIDE: Record<string, (type: string, data: string) => Json> = {
  "an MCP blob": (mimeType, blob) => ({ contents: [{ uri: "file:///a", mimeType, blob }] }),
  "a document of Anthropic": (media_type, data) => ({
    messages: [{ role: "user", content: [{ source: { type: "base64", media_type, data } }] }],
  }),
  "inline data of Gemini": (mime_type, data) => ({
    contents: [{ role: "user", parts: [{ inline_data: { mime_type, data } }] }],
  }),
  "an argument of a tool": (content_type, data) => {
    const call = { function: { name: "a", arguments: JSON.stringify({ content_type, data }) } };
    return { messages: [{ role: "assistant", tool_calls: [call] }] };
  },
};

/** A greeting in Cyrillic letters before a card. */
const CYRILLIC = Buffer.concat([
  Buffer.from("f0d2c9d7c5d42c20ccc0c4c921".repeat(20), "hex"),
  Buffer.from(" 4111 1111 1111 1111"),
]);

test.each(Object.entries(BESIDE))("the charset beside %s is used", async (_, toPayload) => {
  for (const [charset, , text] of [...cases, ["koi8-r", "", CYRILLIC] as const]) {
    const payload = toPayload(`text/plain; charset=${charset}`, text.toString("base64"));
    expect(await verdictOf("data_loss_prevention", payload)).toEqual(["block", []]);
  }
});

test.each(["charset=utf-8;header=present", "format=flowed; charset=koi8-r", "header=absent"])(
  "text of a data URL with the parameters %s is decoded, and not listed",
  async (parameters) => {
    const text = parameters.includes("koi8") ? CYRILLIC : "name,card\na,4111 1111 1111 1111";

    const payload = file(`text/csv;${parameters}`, text);

    expect(await verdictOf("data_loss_prevention", payload)).toEqual(["block", []]);
  },
);

const dataUrl = (type: string, text: string | Buffer): string =>
  `data:${type};base64,${Buffer.from(text).toString("base64")}`;
const messages = (content: string): Json => ({ messages: [{ role: "user", content }] });

test("a data URL in an unknown charset within a message is listed", async () => {
  for (const type of [
    "text/plain;charset=utf-7",
    ";charset=x-any",
    'a/b; a="b"; charset=cp65000',
  ]) {
    for (const url of [dataUrl(type, UTF7), `data:${type},${UTF7}`]) {
      for (const payload of [messages(url), messages(`See ${url} for it.`), { input: url }]) {
        const [, uninspected] = await verdictOf("data_loss_prevention", payload);
        expect(uninspected).toMatchObject([{ reason: "binary" }]);
      }
    }
  }
});

test("text that mentions data URLs and charsets is not listed", async () => {
  for (const text of [
    `A data URL (data:text/plain;charset=utf-8,Hello) has no charset=foo parameter.`,
    `data: charset=foo, and url(data:image/svg+xml;charset=utf8,%3Csvg%3E)`,
  ]) {
    expect(await verdictOf("data_loss_prevention", messages(text))).toEqual(["allow", []]);
  }
});

test.each(cases)("a data URL in %s, %s, within a message is decoded", async (charset, _, text) => {
  const url = dataUrl(`text/plain;charset=${charset}`, text);

  for (const content of [url, `See ${url} for it.`]) {
    expect(await verdictOf("data_loss_prevention", messages(content))).toEqual(["block", []]);
  }
});
