import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { readDocumentText } from "./read-document-text.ts";

const read = (bytes: Uint8Array) => readDocumentText(bytes, { content_type: null });

test.each([
  String.raw`4111 {\*\bkmkstart x}1111`,
  String.raw`4111 \v hidden\v0 1111`,
  String.raw`4111 \v hidden\par more\plain 1111`,
  String.raw`4111 {\deleted x}1111`,
  String.raw`4111 {\info{\title x}}1111`,
  String.raw`4111 {\footnote x\par y}1111`,
  String.raw`{\field{\fldinst x}{\fldrslt 4111 {\*\x{\v0 y}}1111}}`,
  String.raw`\*4111 {\*\x y}1111`,
])("text that RTF hides does not part the number in %s", async (source) => {
  const found = await read(Buffer.from(`{\\rtf1 ${source}}`));

  expect(found).toMatchObject({ kind: "rtf", text: expect.stringContaining("4111 1111") });
});

test("hidden text of RTF is read, and other lines are read once", async () => {
  const source = String.raw`{\rtf1{\fonttbl Arial;}first{\*\bkmkstart hidden}\par second\par third}`;

  const { text } = (await read(Buffer.from(source))) as { text: string };

  expect(text).toBe("Arial;firsthidden\nsecond\nthird\nArial;\nhidden\nfirst\n");
});

test("spaces and line ends that RTF writes as words are read", async () => {
  const source = String.raw`{\rtf1 all\enspace previous\softline instructions\emdash now}`;

  const { text } = (await read(Buffer.from(source))) as { text: string };

  expect(text).toBe("all previous\ninstructions-now\nallpreviousinstructions\u2014now");
});

test("quotes and bullets that RTF writes as words part the words around them", async () => {
  const source = String.raw`{\rtf1 id\ldblquote 4111\rdblquote ab\lquote c\rquote d\bullet e}`;

  const { text } = (await read(Buffer.from(source))) as { text: string };

  expect(text).toBe("id\u201c4111\u201dab\u2018c\u2019d\u2022e");
});

test("the groups of a destination are read joined and parted", async () => {
  const source = String.raw`{\rtf1 word{\footnote 4111 {\b 11}11}word}`;

  const { text } = (await read(Buffer.from(source))) as { text: string };

  expect(text).toBe("word4111 1111word\n4111 1111\n4111 \n11\n11\nwordword");
});

test("text that some readers show is read in all combinations", async () => {
  const source = String.raw`{\rtf1 a{\v b}{\xe c}{\*\bkmkstart d}e}`;

  const { text } = (await read(Buffer.from(source))) as { text: string };

  expect(text.split("\n").sort()).toEqual(["abcde", "abce", "abe", "ace", "ae", "b", "c", "d"]);
});

test("the cells of a table are not joined, but text outside of tables is", async () => {
  const table = String.raw`{\rtf1 \trowd\pard\intbl 1\cell 2\cell\row\pard 3\cell 4}`;

  const { text } = (await read(Buffer.from(table))) as { text: string };

  expect(text).toBe("1\t2\t\n3\t4\n34");
});

test.each([
  ...["{\\*\\a x", "{\\footnote {a}{\\v b}}", "\\bin1 xy", "\\uc9\\u49 {a}"],
  ...["a{\\v b}{\\xe c}{\\tc d}", "{\\v a{\\xe b", "\\xe a\\tc b", "\\field\\object a", "\\*a"],
])("RTF of many %s is read in linear time", async (piece) => {
  await expectLinear(
    (source) => read(Buffer.from(source)),
    (length) => `{\\rtf1 ${piece.repeat(length / piece.length)}`,
  );
});
