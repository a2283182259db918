/** A rewritten payload differs from the original only in the changed texts. */
import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { rewritePayload } from "./rewrite-payload.ts";

const change = (pointer: string, text: string, inner: string | null = null) => ({
  segment: createSegment("any", "user", { pointer, inner }),
  text,
});
const body = (payload: string) =>
  ` { "direction" : "input", "payload" :${payload}, "x": {"payload": 1} } `;

test.each([
  ["the text of a minimal payload", '{"input":"a"}', [change("/input", "b")], '{"input":"b"}'],
  [
    "one text of many: numbers, white space, order and escapes are kept",
    '{ "z": 1.0, "a": "\\u00e9\\/",\n "messages": [ {"content": "x"}, {"content": "y"} ], "n": 12345678901234567890 }',
    [change("/messages/1/content", 'q"\\\n')],
    '{ "z": 1.0, "a": "\\u00e9\\/",\n "messages": [ {"content": "x"}, {"content": "q\\"\\\\\\n"} ], "n": 12345678901234567890 }',
  ],
  [
    "names that are escaped in pointers and JSON",
    '{"a/b":{"~c\\u0064":"x"},"a":{"b":"x"}}',
    [change("/a~1b/~0cd", "y")],
    '{"a/b":{"~c\\u0064":"y"},"a":{"b":"x"}}',
  ],
  [
    "JSON inside a string stays JSON",
    '{"arguments":"{ \\"n\\": 1.50, \\"to\\": [\\"a\\", \\"b\\"] }"}',
    [change("/arguments", 'say "x"', "/to/0"), change("/arguments", "y", "/to/1")],
    '{"arguments":"{ \\"n\\": 1.50, \\"to\\": [\\"say \\\\\\"x\\\\\\"\\", \\"y\\"] }"}',
  ],
  [
    "a string that contains a JSON string",
    '{"a":"\\"x\\""}',
    [change("/a", "y", "")],
    '{"a":"\\"y\\""}',
  ],
  [
    "a null content is removed at any position in its message",
    '{"messages":[{"content": null , "role":"a"},{"role":"a", "content":null,"tool_calls":[]},{"role":"a" ,"content": null },{"content":null}]}',
    [],
    '{"messages":[{ "role":"a"},{"role":"a","tool_calls":[]},{"role":"a"  },{}]}',
  ],
  [
    "a null content outside of messages is kept",
    '{"content":null,"choices":[{"message":{"content":null}}],"messages":[{"parts":[{"content":null}]}, null]}',
    [],
    '{"content":null,"choices":[{"message":{"content":null}}],"messages":[{"parts":[{"content":null}]}, null]}',
  ],
  [
    "a token list next to a changed text is removed, and a string there is changed",
    '{"a":{"logprobs":"x"},"b":{"logprobs":["x"],"text":"x"},"c":{"logprobs":["x"]},"logprobs":true}',
    [change("/a/logprobs", "y"), change("/b/text", "y")],
    '{"a":{"logprobs":"y"},"b":{"logprobs":[],"text":"y"},"c":{"logprobs":["x"]},"logprobs":true}',
  ],
  [
    "attachments are removed and never changed",
    '{"attachments":[{"data":"aGk="}], "attachments_note":"a", "input":"x"}',
    [change("/attachments/0", "b"), change("/attachments_note", "b")],
    '{ "attachments_note":"b", "input":"x"}',
  ],
])("%s", (_, payload, changes, expected) => {
  expect(rewritePayload(body(payload), changes)).toBe(expected);
});
