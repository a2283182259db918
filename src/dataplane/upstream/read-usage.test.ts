import { expect, test } from "bun:test";
import { readUsage } from "./read-usage.ts";

const read = (tail: string, head?: string) =>
  readUsage(Buffer.from(tail), head === undefined ? undefined : Buffer.from(head));

test("the usage of a whole response is read in either vocabulary", () => {
  expect(
    read('{"x":1,"usage": {"prompt_tokens":3,"completion_tokens":4,"d":{"a":1}},"y":2}'),
  ).toEqual({
    input_tokens: 3,
    output_tokens: 4,
  });
  expect(read('{"usage":{"input_tokens":5,"output_tokens":6}}')).toEqual({
    input_tokens: 5,
    output_tokens: 6,
  });
});

test("in a stream the last usage object counts", () => {
  const nulls = 'data: {"usage":null}\n\n'.repeat(20);

  expect(
    read(`${nulls}data: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n${nulls}`),
  ).toEqual({ input_tokens: 1, output_tokens: 2 });
});

test("a stream that reports its input tokens first is read at both ends", () => {
  const head =
    'data: {"type":"message_start","message":{"usage":{"input_tokens":11,"output_tokens":1}}}';

  expect(read('data: {"type":"message_delta","usage":{"output_tokens":9}}', head)).toEqual({
    input_tokens: 11,
    output_tokens: 9,
  });
});

test.each([
  "",
  "{}",
  '{"usage":null}',
  '{"usage":7}',
  '"usage"',
  'the word "usage": {broken',
  '{"usage":{"prompt_tokens":',
])("%j contains no usage", (text) => {
  expect(read(text)).toBeNull();
});

test("an invalid token count is read as 0", () => {
  expect(read('{"usage":{"prompt_tokens":1e300,"completion_tokens":2147483648}}')).toEqual({
    input_tokens: 0,
    output_tokens: 0,
  });
  expect(read('{"usage":{"prompt_tokens":"9","completion_tokens":-1}}')).toEqual({
    input_tokens: 0,
    output_tokens: 0,
  });
});
