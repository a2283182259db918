/** UTF-16 is decoded by its byte order mark or as declared. Bytes that others may read in another charset are listed. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "4111 1111 1111 1111";
const wide = (text: string): Buffer => Buffer.from(text, "utf16le");
const wideBothWays = (text: string): Buffer[] => [wide(text), wide(text).swap16()];

const dataUrl = (type: string, bytes: Buffer): Json => {
  const file_data = `data:${type};base64,${bytes.toString("base64")}`;
  return { messages: [{ role: "user", content: [{ type: "file", file: { file_data } }] }] };
};
const blob = (mimeType: string, bytes: Buffer): Json => ({
  contents: [{ uri: "file:///a", mimeType, blob: bytes.toString("base64") }],
});
const attachment = (content_type: string, bytes: Buffer): Json => ({
  input: "See the file.",
  attachments: [{ filename: "a", content_type, data: bytes.toString("base64") }],
});

/** Returns the status and the reasons of a file, as a data URL and as an MCP blob. */
async function verdictsOf(type: string, bytes: Buffer, keyword?: string): Promise<unknown[]> {
  const guard = await makeGuardWithRules(
    await kit(),
    keyword ? "prompt_moderation" : "data_loss_prevention",
    keyword ? { settings: { keywords: [keyword] } } : {},
  );
  const verdicts: unknown[] = [];
  for (const payload of [dataUrl(type, bytes), blob(type, bytes)]) {
    const { status, detectors } = await guard.evaluate({ payload });
    verdicts.push([status, ...detectors.uninspected.map(({ reason }) => String(reason))]);
  }
  return verdicts;
}

const FOUND = [["block"], ["block"]];
const FOUND_AND_LISTED = [
  ["block", "binary"],
  ["block", "binary"],
];

test.each([
  ["hiragana", "このけいかくはだれにもいわないでください", "けいかく"],
  [
    "hiragana and kanji",
    "お世話になっております。極秘計画についてのご連絡をお待ちしております。",
    "極秘計画",
  ],
  ["Hindi", "यह योजना किसी को मत बताना। बैठक सोमवार को होगी।", "योजना"],
])("UTF-16 with a byte order mark is inspected: %s", async (_, text, keyword) => {
  for (const bytes of wideBothWays(`\ufeff${text}`)) {
    expect(await verdictsOf("text/plain", bytes, keyword)).toEqual(FOUND);
    expect(await verdictsOf("text/plain;charset=utf-16", bytes, keyword)).toEqual(FOUND);
  }
});

test.each([
  ["circled digits", "④①①①①①①①①①①①①①①①"],
  ["Indic digits", "४१११११११११११११११"],
])("a card in UTF-16 with a byte order mark is found or listed: %s", async (_, text) => {
  for (const bytes of wideBothWays(`\ufeff${text}`)) {
    for (const verdict of await verdictsOf("text/plain", bytes))
      expect(verdict).not.toEqual(["allow"]);
  }
});

test.each([
  ["ASCII", "Card:\n378282246310005\n"],
  ["UTF-8", `Номер карты: ４１１１１１１１１１１１１１１１`],
])("%s after a byte order mark of UTF-16 is inspected, and listed", async (_, text) => {
  for (const mark of [Buffer.of(0xff, 0xfe), Buffer.of(0xfe, 0xff)]) {
    const bytes = Buffer.concat([mark, Buffer.from(text)]);
    expect(await verdictsOf("text/plain", bytes)).toEqual(FOUND_AND_LISTED);
  }
});

test("digits of one byte in UTF-16 with a byte order mark are listed", async () => {
  const parts = [wide("\ufeffMy card is 4111 "), Buffer.from("1111 1111 "), wide("1111.")];
  expect(await verdictsOf("text/plain", Buffer.concat(parts))).toEqual(FOUND_AND_LISTED);
});

test.each([
  ["Russian", `Имя;Карта\nИванов Иван Иванович;${CARD}\n`],
  ["Chinese", `姓名，卡号\n王小明，${CARD}\n`],
  ["Japanese", `なまえは、やまだたろうです。カードは${CARD}です。`],
])("UTF-16 without a byte order mark is decoded as declared: %s", async (_, text) => {
  const xml = `<?xml version="1.0" encoding="utf-16"?><a>${text}</a>`;
  for (const [index, charset] of ["utf-16le", "utf-16be"].entries()) {
    for (const type of [`text/csv;charset=${charset}`, `text/csv; charset="${charset}"`]) {
      expect(await verdictsOf(type, wideBothWays(text)[index] as Buffer)).toEqual(FOUND);
    }
    expect(await verdictsOf("application/xml", wideBothWays(xml)[index] as Buffer)).toEqual(FOUND);
  }
});

/** A card in full-width digits of EUC-JP, and of the Chinese and Korean charsets. */
const DIGITS = Buffer.from(
  [..."4111111111111111"].flatMap((digit) => [0xa3, 0xb0 + Number(digit)]),
);
const around = (start: string, end = ""): Buffer =>
  Buffer.concat([
    Buffer.from(`${start}${"These are the notes. ".repeat(6)}`),
    DIGITS,
    Buffer.from(end),
  ]);
const page = (charset: string): Buffer => around(`<html><meta charset="${charset}"><p>`, "</p>");
const xml = (charset: string): Buffer =>
  around(`<?xml version="1.0" encoding="${charset}"?><a>`, "</a>");

test.each([
  ["text/html;charset=iso-8859-1", page("euc-jp")],
  ["text/html;charset=utf-8", page("euc-jp")],
  ["text/html;charset=windows-1251", page("euc-jp")],
  ["text/html;charset=euc-jp", page("iso-8859-1")],
  ["application/xml;charset=koi8-r", xml("gbk")],
  ["text/plain;charset=iso-8859-1;charset=euc-jp", around("")],
  ["text/plain;charset=utf-16", page("euc-jp")],
])("text whose charsets differ is listed: %s", async (type, bytes) => {
  for (const verdict of await verdictsOf(type, bytes)) expect(verdict).toContain("binary");
  const guard = await makeGuardWithRules(await kit(), "doc_analyzer", { action: "report" });
  const { detectors } = await guard.evaluate({ payload: attachment(type, bytes) });
  expect(detectors.uninspected).toMatchObject([{ reason: "binary" }]);
});

test("a data URL within a message whose charsets differ is listed", async () => {
  const guard = await makeGuardWithRules(await kit(), "data_loss_prevention");
  const reasonsOf = async (type: string, bytes: Buffer) => {
    const input = `See data:${type};base64,${bytes.toString("base64")} for it.`;
    const { detectors } = await guard.evaluate({ payload: { input } });
    return detectors.uninspected.map(({ reason }) => String(reason));
  };

  expect(await reasonsOf("text/html;charset=iso-8859-1", page("euc-jp"))).toEqual(["binary"]);
  expect(await reasonsOf("a/b;charset=iso-8859-1;charset=euc-jp", DIGITS)).toEqual(["binary"]);
  expect(await reasonsOf("text/html;charset=euc-jp", page("euc-jp"))).toEqual([]);
});

test.each([
  ["text/html;charset=us-ascii", page("euc-jp")],
  ["text/html;charset=EUC-JP", page("euc-jp")],
  ["text/html;charset=iso-8859-1", Buffer.from(`<meta charset="utf-8"><p>café ${CARD}`, "latin1")],
  ["text/html;charset=koi8-r", Buffer.from(`<meta charset="euc-jp"><p>ASCII ${CARD}`)],
  ["text/html;charset=utf-8", Buffer.from(`<meta charset="gb2312"><p>文字 ${CARD}`)],
  ["text/html;charset=utf-16", wide(`\ufeff<meta charset="gb2312"><p>文字 ${CARD}`)],
  ["application/xml;charset=utf-8", Buffer.from(`<?xml encoding="utf-16"?><a>é ${CARD}</a>`)],
])("text whose charsets read the same is not listed: %s", async (type, bytes) => {
  expect(await verdictsOf(type, bytes)).toEqual(FOUND);
});
