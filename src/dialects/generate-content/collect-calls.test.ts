import { expect, test } from "bun:test";
import { createCallCollector } from "./collect-calls.ts";

const SIZE = 15 * 1024;
const text = "a".repeat(SIZE);

const MIB = 1024 * 1024;

test.each([
  [
    "names",
    2,
    (at: number) => ({ partialArgs: [{ jsonPath: `$['${at}${text}']`, nullValue: null }] }),
  ],
  ["texts", 16, (at: number) => ({ partialArgs: [{ jsonPath: `$.a${at}`, stringValue: text }] })],
  ["arguments", 16, (at: number) => ({ args: { [`a${at}`]: text } })],
])("the %s of a call that does not end are limited to %d MiB", (_, max, createPart) => {
  const calls = createCallCollector();
  calls.add({ functionCall: { name: "get_weather", willContinue: true } });
  let added = 0;
  const addAll = () => {
    for (; added < 5000; added++) {
      calls.add({ functionCall: { ...createPart(added), willContinue: true } });
    }
  };

  expect(addAll).toThrow("is too long to be translated");
  expect(added * SIZE).toBeWithin((max - 1) * MIB, max * MIB);
});
