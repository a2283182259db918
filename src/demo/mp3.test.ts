/** Reads the frames back as the standard lays them out: what a decoder finds is the one line that was meant. */
import { expect, test } from "bun:test";
import { encodeMp3 } from "./mp3.ts";

/** Side information of a mono frame of the low sampling rates, then its Huffman-coded pairs (table 1). */
function linesOf(frame: Buffer): number[] {
  const bits = [...frame].map((octet) => octet.toString(2).padStart(8, "0")).join("");
  const field = (at: number, width: number) => Number.parseInt(bits.slice(at, at + width), 2);
  const side = 32;
  const [mainDataBegin, length, pairs] = [field(side, 8), field(side + 9, 12), field(side + 21, 9)];
  expect([mainDataBegin, field(side + 38, 9), field(side + 47, 1)]).toEqual([0, 0, 0]);
  expect([field(side + 48, 5), field(side + 53, 5), field(side + 58, 5)]).toEqual([1, 1, 1]);

  let coded = bits.slice(side + 72, side + 72 + length);
  const lines: number[] = [];
  const table: [string, number[]][] = [
    ["1", [0, 0]],
    ["001", [0, 1]],
    ["01", [1, 0]],
    ["000", [1, 1]],
  ];
  for (let pair = 0; pair < pairs; pair += 1) {
    const [code, values] = table.find(([prefix]) => coded.startsWith(prefix)) ?? ["", []];
    coded = coded.slice(code.length);
    for (const value of values) {
      lines.push(value === 1 && coded.startsWith("1") ? -1 : value);
      if (value === 1) coded = coded.slice(1);
    }
  }
  expect(coded).toBe("");
  return lines;
}

test("a note is one frame a block, each with its line alone set", () => {
  const bytes = encodeMp3([{ line: 24, blocks: 2 }]);

  const lines = linesOf(bytes.subarray(24));
  expect(bytes.length).toBe(48);
  expect(lines.map((value, line) => [line, value]).filter(([, value]) => value !== 0)).toEqual([
    [24, 1],
  ]);
});

test("a pause is a frame with nothing in it", () => {
  expect(linesOf(encodeMp3([{ line: 0, blocks: 1 }]))).toEqual([]);
});
