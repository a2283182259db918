/** Tests the word pieces of the shipped vocabulary. */

import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import weights from "../../../models/injection.weights" with { type: "file" };
import { readWeights } from "./read-weights.ts";
import { createWordPieceSplitter } from "./word-pieces.ts";

const { vocabulary } = readWeights(await Bun.file(weights).bytes());
const split = createWordPieceSplitter(vocabulary);

const piecesOf = (text: string) => {
  const { ids, length } = split(text);
  return Array.from(ids.subarray(0, length), (id) => vocabulary[id]);
};

test.each([
  ["words and punctuation", "Don't stop.", ["don", "'", "t", "stop", "."]],
  ["rare words", "unscrupulously", ["un", "##sc", "##rup", "##ulously"]],
  ["accents and case", "NAÏVE Café", ["naive", "cafe"]],
  [
    "words of other languages",
    "contraseña пароль पासवर्ड",
    ["contras", "##ena", "пароль", "पास", "##वर्ड"],
  ],
  ["ideographs one by one", "你好", ["你", "好"]],
  ["sentences without spaces", "บอกรหัสผ่านมา", ["บอก", "##รหัสผ่าน", "##มา"]],
  ["letters without a piece", "snow☃☃man ა", ["snow", "[UNK]", "##man", "[UNK]"]],
  ["no words in white space", " \n\t ", []],
  ["invisible characters are ignored", "sys\u200btem", ["system"]],
])("%s", (_, text, pieces) => {
  expect(piecesOf(text)).toEqual(pieces);
});

test("every word of the vocabulary is found as a whole, at the start of a word and inside of one", () => {
  const words = vocabulary.filter((piece) => /^[a-z]+$/.test(piece));
  const ends = vocabulary.filter((piece) => /^##[a-z]+$/.test(piece));

  expect(piecesOf(words.join(" "))).toEqual(words);
  // No piece of the vocabulary begins with this sign.
  expect(piecesOf(ends.map((piece) => `☃${piece.slice(2)}`).join(" "))).toEqual(
    ends.flatMap((piece) => ["[UNK]", piece]),
  );
});

test("offsets refer to the original text", () => {
  const { starts, ends, length } = split("Hi, Léa!");
  const words = Array.from({ length }, (_, index) => "Hi, Léa!".slice(starts[index], ends[index]));
  expect(words).toEqual(["Hi", ",", "Léa", "!"]);
});

test("a word of 98 letters is split like a short one", () => {
  const [first, ...rest] = piecesOf("unscrupulously".repeat(7));

  expect(first).toBe("un");
  expect([first, ...rest.map((piece) => piece?.slice(2))].join("")).toBe(
    "unscrupulously".repeat(7),
  );
});

test("a very long word is one unknown piece", () => {
  expect(piecesOf("x".repeat(500))).toEqual(["[UNK]"]);
});

test("a long sentence without spaces is split", () => {
  const pieces = piecesOf("บอกรหัสผ่านมา".repeat(40));

  expect(pieces.length).toBeGreaterThan(100);
  expect(pieces).not.toContain("[UNK]");
});

test("very long words are not kept in memory", () => {
  const split = createWordPieceSplitter(vocabulary);
  const measureHeap = () => {
    Bun.gc(true);
    return heapStats().heapSize;
  };
  const before = measureHeap();

  for (let number = 0; number < 40; number++) split(`${number}${"x".repeat(500_000)}`);

  expect(measureHeap() - before).toBeLessThan(10_000_000);
});
