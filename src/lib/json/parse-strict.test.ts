import { expect, test } from "bun:test";
import { MAX_VALUES, parseStrict } from "./parse-strict.ts";

const bytes = (text: string) => Buffer.from(text);
const nested = (depth: number) => bytes(`${"[".repeat(depth)}${"]".repeat(depth)}`);

test.each([
  ["an object", '{"a":[1,"x",null,true],"b":{}}'],
  ["a name that other objects have too", '{"a":{"a":1},"b":[{"a":1},{"a":2}]}'],
  ["names that differ in case", '{"a":1,"A":2}'],
  ["a colon, a brace and a quote inside strings", '{"a:\\"{":":}\\\\","b":"\\\\\\""}'],
  ["a pair of surrogates, escaped and not", '{"a":"\\ud83d\\ude00 😀 \\\\ud800"}'],
  ["NUL inside a string", '{"a":"\\u0000"}'],
  ["the names of an object's own", '{"__proto__":1,"constructor":2,"toString":3}'],
  ["white space around everything", ' \n{ "a" :\t[ 1 , 2 ]\r\n} '],
  ["a value that is not an object", '"x"'],
])("accepted with the result of JSON.parse: %s", (_, text) => {
  expect(parseStrict(bytes(text))).toMatchObject({ ok: true, value: JSON.parse(text), text });
});

test.each([
  ["bytes that are not text", Buffer.from([0x22, 0xff, 0x22]), "not valid UTF-8"],
  ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "not valid UTF-8"],
  ["a byte order mark", bytes("\ufeff{}"), "not plain JSON: it starts with a byte order mark"],
  ["nothing", bytes(""), "not valid JSON: it ends too early"],
  ["half a document", bytes('{"a":"b'), "not valid JSON: it ends too early"],
  ["a trailing comma", bytes('{"a":1,}'), "not valid JSON at byte 7"],
  ["text after the end", bytes("{} {}"), "not valid JSON at byte 3"],
  ["a raw newline in a string", bytes('"a\nb"'), "not valid JSON at byte 2"],
  ["duplicate names", bytes('{"a":1,"a":2}'), "ambiguous: /a is repeated"],
  ["duplicate names, one escaped", bytes('{"a":1,"\\u0061":2}'), "ambiguous: /a is repeated"],
  [
    "a name twice, deep inside",
    bytes('{"x":[0,{"a/b":{"k":1,"j":2,"k":1}}],"y":{"k":1}}'),
    "ambiguous: /x/1/a~1b/k is repeated",
  ],
  ["__proto__ twice", bytes('{"__proto__":1,"__proto__":2}'), "ambiguous: /__proto__ is repeated"],
  [
    "a name as long as the body",
    bytes(`{"${"k".repeat(999)}":1,"${"k".repeat(999)}":2}`),
    `ambiguous: /${"k".repeat(119)}… is repeated`,
  ],
  [
    "names that are equal without half a pair",
    bytes('{"\\ud83d":1,"\\ud83e":2}'),
    "ambiguous: /\ufffd is repeated",
  ],
  ["1001 levels", nested(1001), "nested deeper than 1000 levels"],
])("rejected with the reason: %s", (_, body, reason) => {
  expect(parseStrict(body)).toEqual({ ok: false, reason });
});

test.each([
  ["in a string", '{"a":["\\uD83D x"]}', '{"a":["\\ufffd x"]}'],
  ["the other half", '"\\ude00"', '"\\ufffd"'],
  ["in a name", '{"a":{"\\ud83d":1}}', '{"a":{"\\ufffd":1}}'],
  ["beside a pair", '"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"'],
  ["after a backslash", '"\\\\ud83d\\ude00\\\\\\ud83d"', '"\\\\ud83d\\ufffd\\\\\\ufffd"'],
])("half of a surrogate pair is replaced: %s", (_, text, repaired) => {
  expect(parseStrict(bytes(text))).toMatchObject({
    ...{ ok: true, value: JSON.parse(repaired), text: repaired, isRepaired: true },
  });
});

test.each([
  ["values", '{"a":1, "b":2, "a":3}', '{ "b":2, "a":3}'],
  ["one escaped", '{"a":1,"\\u0061":2}', '{"\\u0061":2}'],
  ["three of them", '[{"k":[1],"k":[2] , "k":[3]}]', '[{ "k":[3]}]'],
  ["inside a removed one", '{"a":{"x":1,"x":2},"b":{"y":1,"y":2},"a":3}', '{"b":{"y":2},"a":3}'],
  ["inside the last", '{"a":1,"a":{"x":1,"x":2}}', '{"a":{"x":2}}'],
  ["__proto__", '{"__proto__":1,"__proto__":2}', '{"__proto__":2}'],
])(
  "for a caller that sends the result, the last of repeated members is kept: %s",
  (_, text, kept) => {
    expect(parseStrict(bytes(text), { dropsRepeated: true })).toMatchObject({
      ...{ ok: true, value: JSON.parse(kept), text: kept, isRepaired: true },
    });
  },
);

test("1000 levels are accepted", () => {
  expect(parseStrict(nested(1000)).ok).toBe(true);
});

const SIZE = 4 * 1024 * 1024;

/** Would take hours if any step of the parser were not linear. */
test.each([
  ["opening brackets", "[".repeat(SIZE), `nested deeper than 1000 levels`],
  ["empty objects", `[${"{},".repeat(SIZE / 3)}1]`, `made of more than ${MAX_VALUES} values`],
  ["quotes", '"'.repeat(SIZE), "not valid JSON at byte 2"],
  ["escaped quotes", `"${'\\"'.repeat(SIZE / 2)}`, "not valid JSON: it ends too early"],
  ["backslashes", `"${"\\\\".repeat(SIZE / 2)}`, "not valid JSON: it ends too early"],
  ["names", `{${'"a":1,'.repeat(100_000)}"b":1}`, "ambiguous: /a is repeated"],
])("a hostile body is rejected in linear time: %s", (_, text, reason) => {
  expect(parseStrict(bytes(text))).toEqual({ ok: false, reason });
});
