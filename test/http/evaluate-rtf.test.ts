/** RTF is decoded in the code pages that it declares, and its objects and pictures are read or listed. */
import { expect, test } from "bun:test";
import type { Json } from "../kit/check-verdict.ts";
import { docx, zipDocument } from "../kit/docx.ts";
import { makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD_NUMBER = "4111 1111 1111 1111";
const CARD = `Card ${CARD_NUMBER}.`;
/** A card in full-width digits. */
const SHIFT_JIS = `8253${"8250".repeat(15)}`;
const EUC = `a3b4${"a3b1".repeat(15)}`;
const BIG5 = `a2b3${"a2b0".repeat(15)}`;
const escaped = (hex: string): string => hex.replace(/../g, "\\'$&");
const rtf = (source: string): Buffer => Buffer.from(`{\\rtf1\\ansi${source}}`, "latin1");

const member = (file: Buffer): Json => {
  const file_data = `data:application/rtf;base64,${file.toString("base64")}`;
  return { messages: [{ role: "user", content: [{ type: "file", file: { file_data } }] }] };
};

const verdictOf = (file: Buffer): Promise<string[]> => statusOf(member(file));

let made: Promise<TestGuard> | undefined;
async function statusOf(payload: Json): Promise<string[]> {
  made ??= makeGuardWithRules(await kit(), "doc_analyzer", { settings: { unreadable: "ignore" } });
  const { status, detectors } = await (await made).evaluate({ payload });
  return [status, ...detectors.uninspected.map(({ reason }) => String(reason))];
}

const ESCAPED_CARD = escaped(Buffer.from(CARD).toString("hex"));

test.each([
  ...["{\\rtf1", "{\\rt", "\n{\\rtf1", " \0{\\rtf1", "\xef\xbb\xbf{\\rtf1", "{ \\RTF1"],
  ...["\n\xef\xbb\xbf{\\rtf1", "{{}\\rtf1", "{\0\\rtf1", "{\\urtf1", "{\\b\\rtf1"],
])("RTF that begins with %j is read", (start) => expectRead(start));

test("RTF after a thousand line ends is read", () => expectRead(`${"\n".repeat(1100)}{\\rtf1`));

async function expectRead(start: string): Promise<void> {
  const file = Buffer.from(`${start}\\ansi This is a document. ${ESCAPED_CARD}}`, "latin1");
  const text = `See data:application/rtf;base64,${file.toString("base64")}`;

  expect(await verdictOf(file)).toEqual(["block"]);
  expect(await statusOf({ input: text })).toEqual(["block"]);
}

test("the source of RTF is read, too, if it has another start", async () => {
  expect(await verdictOf(Buffer.from("\n{\\rtf1\\x-4111 1111 1111 1111}"))).toEqual(["block"]);
});

test.each([
  ["a title before the author", `{\\info{\\title ${CARD_NUMBER}}{\\author Bob}}text`],
  ["a footer after the header", `{\\header Page}{\\footer ${CARD_NUMBER}}text`],
  ["a footnote", `word{\\footnote ${CARD_NUMBER}}word`],
  [
    "a comment",
    `text{\\*\\atnauthor A}\\chatn{\\*\\annotation{\\*\\atndate 1}\\pard ${CARD_NUMBER}\\par}`,
  ],
  ["a text box", `text{\\shp{\\*\\shpinst{\\sp{\\sn n}{\\sv 0}}{\\shptxt ${CARD_NUMBER}}}}`],
  ["a property", `{\\*\\userprops {\\propname Card}\\proptype30{\\staticval ${CARD_NUMBER}}}`],
  ["a variable", `{\\*\\docvar {name}{${CARD_NUMBER}}}`],
  ["hidden text", `word{\\v ${CARD_NUMBER}}word`],
  ["the Unicode form", `{\\upr{hello}{\\*\\ud{${CARD_NUMBER}}}}`],
  ["a line after the generator", `{\\generator Word 1}${CARD_NUMBER}`],
  ["formatted text", "word{\\footnote 4111 {\\b 11}11 {\\*\\x y}1111 1111}word"],
])("a card in %s of RTF is found beside other text", async (_, source) => {
  expect(await verdictOf(rtf(` ${source}`))).toEqual(["block"]);
});

test.each([
  ["a fallback of ten bytes", "\\uc10 4111 11\\u49 abcdefghij1 1111 1111"],
  ["fallbacks in groups", "\\u52{a}\\u49{a}\\u49{a}\\u49{a} 1111 1111 1111"],
  ["text that some readers skip", "\\uc9999\\u52 ????111 1111 1111 1111"],
  ["a line end before the star", "4111 {\n\\*\\x y}1111 1111 1111"],
  ["a star after other words", "4111 {\\b\\*\\x y}1111 1111 1111"],
  ["control symbols", "4111\\:1111\\|1111\\:1111"],
  ["bytes", "4111 1111 \\bin6 jun}ju1111 1111"],
  ["numbers of lists", "4111 {\\pntext 1.}1111 {\\listtext 2.}1111 1111"],
  ["an old picture", "4111 {\\nonshppict x}1111 1111 1111"],
  ["text in bytes, beside Unicode", "4111 {\\upr{xx}{\\*\\ud{1111}}} 1111 1111"],
  ["text in Unicode, beside bytes", "4111 {\\upr{1111}{\\*\\ud{xx}}} 1111 1111"],
])("a card is found in RTF around %s", async (_, source) => {
  expect(await verdictOf(rtf(` ${source}`))).toEqual(["block"]);
});

test.each([
  ["a star without a word", "4111 1111 {\\*junk}1111 1111"],
  ["a star before a space", "4111 1111 {\\* \\x junk}1111 1111"],
  ["a star before an escaped byte", "4111 1111 {\\*\\'61 junk}1111 1111"],
  ["a star before a group", "4111 1111 {\\*{junk}}1111 1111"],
  ["the result of an object", "4111 {\\*\\x junk}{\\object{\\result 1111}} 1111 1111"],
  ["a starred word that is no destination", "4111 {\\*\\x junk}{\\*\\b 1111} 1111 1111"],
  ["hidden text that is shown", "4111 {\\*\\x junk}{\\v 1111} 1111 1111"],
  ["a list number that is shown", "4111 {\\*\\x junk}{\\listtext 1111} 1111 1111"],
  ["text before the result of a field", "4111 {\\field junk{\\fldrslt 1111}} 1111 1111"],
  ["text in an object", "4111 {\\object junk{\\result 1111}} 1111 1111"],
  ["a result without an object", "4111 {\\result junk}1111 1111 1111"],
  ["text in a table of styles", "4111 {\\*\\x junk}{\\stylesheet 1111{Normal;}} 1111 1111"],
  ["an equation", "4111 {\\*\\x junk}{\\mmath{\\*\\moMath{\\mr 1111}}} 1111 1111"],
  ["hidden text in a note", "word{\\footnote 4111 {\\*\\x junk}{\\v 1111} 1111 1111}word"],
  ["both forms of text", "41{\\*\\x junk}{\\upr{1}{\\*\\ud{1}}} 1111 1111 1111"],
  [
    "a result outside of a field",
    "41{\\field{\\fldrslt a}}11{\\*\\xe b}{\\fldrslt  1111 1111} 1111",
  ],
  ["a space that some readers hide", "4111{\\*\\x junk}{\\result  }1111 1111 1111"],
  ["groups in data", "4111 {\\*\\tc{\\stylesheet 1111}}{\\*\\tc junk} 1111 1111"],
  ["a break that some readers do not show", "4111 11\\page 11 11\\row 11 11\\cell 11"],
  ["a group in a fallback", "\\uc6 4111 11\\u49 ab{jun}cdef1 1111 1111"],
  ["a destination after another word", "4111 {\\b\\fonttbl 1111}{\\*\\x junk} 1111 1111"],
])("a card is found in RTF with %s", async (_, source) => {
  expect(await verdictOf(rtf(` ${source}`))).toEqual(["block"]);
});

test("RTF with many kinds of text in a line about which readers disagree is listed", async () => {
  const kinds = "{\\v a}{\\xe b}{\\listtext c}";

  expect(await verdictOf(rtf(` text${kinds}\\par{\\result d}`))).toEqual(["allow"]);
  expect(await verdictOf(rtf(` text${kinds}{\\result d}`))).toEqual(["allow", "unreadable"]);
  expect(await verdictOf(rtf(" {\\v{\\xe{\\tc{\\result d}}}}"))).toEqual(["allow", "unreadable"]);
});

test("RTF in bytes that some readers skip is read", async () => {
  expect(await verdictOf(rtf(` \\bin999 ${ESCAPED_CARD}`))).toEqual(["block"]);
});

test.each([
  ["the code page of the document", `\\ansicpg932 ${escaped(SHIFT_JIS)}`],
  ["Chinese", `\\ansicpg936 ${escaped(EUC)}`],
  ["Korean", `\\ansicpg949 ${escaped(EUC)}`],
  ["traditional Chinese", `\\ansicpg950 ${escaped(BIG5)}`],
  [
    "UTF-8",
    `\\ansicpg65001 ${escaped(Buffer.from("４１１１１１１１１１１１１１１１").toString("hex"))}`,
  ],
  [
    "the charset of the font",
    `\\ansicpg1252{\\fonttbl{\\f0 A;}{\\f1\\fcharset128 B;}}\\f1 ${escaped(SHIFT_JIS)}`,
  ],
  [
    "the charset of the default font",
    `\\deff3{\\fonttbl{\\f3\\fcharset134 A;}{\\f1 B;}}\\f1 Hi \\plain ${escaped(EUC)}`,
  ],
  ["the code page of the font", `{\\fonttbl{\\f1\\cpg936 A;}}{\\f1 ${escaped(EUC)}}`],
  [
    "the code page of the document, for readers that ignore fonts",
    `\\ansicpg932{\\fonttbl{\\f0\\fcharset0 A;}}\\f0 ${escaped(SHIFT_JIS.slice(0, 8))}\\b ${escaped(SHIFT_JIS.slice(8))}`,
  ],
  [
    "bytes that are not escaped",
    `\\ansicpg932 ${Buffer.from(SHIFT_JIS, "hex").toString("latin1")}`,
  ],
  [
    "bytes of UTF-8",
    `\\ansicpg1252 ${Buffer.from("４１１１１１１１１１１１１１１１").toString("latin1")}`,
  ],
  ["escapes in several lines", `\\ansicpg932 ${escaped(SHIFT_JIS).replace(/.{12}/g, "$&\r\n")}`],
  [
    "a fallback of two bytes",
    `\\ansicpg932\\uc2 ${SHIFT_JIS.replace(/..../g, (hex) => {
      const digit = Number.parseInt(hex, 16) - 0x824f;
      return `\\u${0xff10 + digit - 0x10000}\\'82\\'4f`;
    })}`,
  ],
])("a card in RTF in %s is found", async (_, source) => {
  expect(await verdictOf(rtf(source))).toEqual(["block"]);
  expect(await verdictOf(zipDocument(rtf(source)))).toEqual(["block"]);
});

test.each([
  ["letters of Western Europe", "\\ansicpg1252 caf\\'e9 \\'93quoted\\'94"],
  ["Cyrillic letters", "\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2"],
  ["bullets", "\\ansicpg932{\\fonttbl{\\f2\\fcharset2 Symbol;}}{\\f2\\'b7} Notes"],
  ["an unknown code page without letters", "\\ansicpg437 Notes"],
  [
    "a list of numbers",
    `{\\*\\listtable${"{\\leveltext\\'02\\'00.;}{\\levelnumbers\\'01;}".repeat(9)}}First`,
  ],
  ["a list of symbols", `{\\*\\listtable${"{\\leveltext\\'01\\u-3913 ?;}".repeat(9)}}First`],
  ["symbols", "\\u61623 ?\\tab one\\par \\u61607 ?\\tab two\\par \\u61623 ?\\tab three"],
])("RTF with %s is not listed", async (_, source) => {
  expect(await verdictOf(rtf(source))).toEqual(["allow"]);
});

test.each([
  "\\ansicpg65000 +ADQAMQAxADE- 1111 1111 1111",
  "\\ansicpg65000{\\fonttbl{\\f0\\fcharset0 A;}}\\f0 +ADQAMQAxADE- 1111 1111 1111",
  "\\ansicpg52936 ~\\{#4#1#1#1~\\} 1111 1111 1111",
])("RTF in a code page that writes other letters in ASCII is listed: %s", async (source) => {
  expect(await verdictOf(rtf(source))).toEqual(["allow", "binary"]);
});

test("digits of a symbol font in RTF are inspected", async () => {
  const digits = CARD_NUMBER.replace(/\d/g, (digit) => `\\u${61488 + Number(digit)} ?`);

  expect(await verdictOf(rtf(` ${digits}`))).toEqual(["block"]);
});

test.each(["\\ansicpg437", "\\pc", "\\ansicpg1361", "{\\fonttbl{\\f0\\fcharset255 A;}}\\f0"])(
  "letters of RTF in the unknown code page %s are listed",
  async (declaration) => {
    expect(await verdictOf(rtf(`${declaration} Notes \\'82\\'e1`))).toEqual(["allow", "binary"]);
  },
);

const lines = (data: Buffer): string => data.toString("hex").replace(/.{128}/g, "$&\r\n");
const CIPHER = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256));
const PNG = Buffer.from(`\x89PNG\r\n\x1a\n${"\0\x01\xfe".repeat(100)}`, "latin1");
const binary = (data: Buffer): string => `\\bin${data.length} ${data.toString("latin1")}`;

test.each([
  ["a document", lines(docx(CARD))],
  ["text", lines(Buffer.from(CARD))],
  ["UTF-16", lines(Buffer.from(CARD, "utf16le"))],
  ["UTF-16 that is not in hex", binary(Buffer.from(CARD, "utf16le"))],
])("%s in an object or picture of RTF is read", async (_, source) => {
  for (const [word, ...reasons] of [
    ["object{\\*\\objdata"],
    ["shppict{\\pict\\wmetafile8", "media"],
  ]) {
    expect(await verdictOf(rtf(` Hi{\\${word} ${source}}}`))).toEqual(["block", ...reasons]);
  }
});

test("other objects and pictures of RTF are listed", async () => {
  for (const toSource of [lines, binary]) {
    const [object, picture] = [
      `{\\object\\objemb{\\*\\objdata ${toSource(CIPHER)}}}`,
      `{\\pict{\\*\\picprop{\\sp{\\sn a}{\\sv 1}}}\\pngblip ${toSource(PNG)}}`,
    ];
    expect(await verdictOf(rtf(` Hi${object}`))).toEqual(["allow", "binary"]);
    expect(await verdictOf(rtf(` Hi${picture}`))).toEqual(["allow", "media"]);
    expect(await verdictOf(rtf(` Hi${picture}${object}${picture}`))).toEqual([
      "allow",
      "binary",
      "media",
    ]);
  }
});

test("text beside the data of a picture is inspected", async () => {
  const source = ` Hi{\\pict{\\*\\picprop{\\sp{\\sv ${CARD}}}}\\pngblip ${lines(PNG)}}`;

  expect(await verdictOf(rtf(source))).toEqual(["block", "media"]);
});
